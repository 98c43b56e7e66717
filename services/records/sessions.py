"""Tools on sessions."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

from msgspec import Meta

from schemas.base import Json
from services.moments import RANGE_ERRORS, TIME_ERROR, days_between, moment_of
from services.records.records import LoggedSession
from services.runtime.tools import Context, tool

MOST_HOURS = 24
"""No session is longer."""


def show_session(session: LoggedSession) -> dict[str, Json]:
    """Return a session as tools show it."""
    lasted = dt.datetime.fromisoformat(session.end) - dt.datetime.fromisoformat(session.start)
    return {
        "record_id": session.id,
        "session_type": session.session_type,
        "start_time": session.start,
        "end_time": session.end,
        "duration_minutes": int(lasted.total_seconds()) // 60,
        "user_note": session.note,
    }


@tool(
    side="assistant",
    errors=RANGE_ERRORS,
    example={"start_date": "2025-06-01", "end_date": "2025-06-10"},
)
def get_session_records(
    c: Context,
    start_date: Annotated[str, Meta(description="First day of the range, YYYY-MM-DD.")],
    end_date: Annotated[str, Meta(description="Last day of the range, YYYY-MM-DD.")],
) -> dict[str, Json]:
    """Return the sessions, such as study or meditation, that began within a range of days, both ends included.

    `sessions` [{record_id, session_type, start_time, end_time, duration_minutes (whole ones), user_note or null}],
    oldest first. Workouts are no sessions.
    """
    first, last = days_between(c, start_date, end_date)
    found = [session for session in c.all(LoggedSession) if first <= session.start[:10] <= last]
    return {"sessions": [show_session(s) for s in sorted(found, key=lambda s: (s.start, s.id))]}


def _stretch(c: Context, start_time: str, end_time: str) -> tuple[str, str]:
    """Return the ends of a session. Refuse one that has not ended, ends before it starts, or lasts too long."""
    start, end = moment_of(c, start_time), moment_of(c, end_time)
    if end > c.now:
        c.refuse("IN_FUTURE", f"It is {c.now}; a session is logged after it ended.")
    if end <= start:
        c.refuse("INVALID_RANGE", f"The session ends at {end}, not after its start at {start}.")
    if dt.datetime.fromisoformat(end) - dt.datetime.fromisoformat(start) > dt.timedelta(hours=MOST_HOURS):
        c.refuse("TOO_LONG", f"A session lasts at most {MOST_HOURS} hours.")
    return start, end


@tool(
    side="assistant",
    write=True,
    errors={
        **TIME_ERROR,
        "IN_FUTURE": "The session ends after the present time.",
        "INVALID_RANGE": "The session does not end after it starts.",
        "TOO_LONG": f"The session is longer than {MOST_HOURS} hours.",
        "TIME_TAKEN": "A session that begins at exactly this time is logged already.",
        "TYPE_EMPTY": "The kind of session is an empty text.",
    },
    example={"start_time": "2025-06-09T18:00:00", "end_time": "2025-06-09T18:45:00", "session_type": "study"},
)
def create_session_record(
    c: Context,
    start_time: Annotated[str, Meta(description="When it began, local time YYYY-MM-DDTHH:MM:SS.")],
    end_time: Annotated[str, Meta(description="When it ended, local time YYYY-MM-DDTHH:MM:SS, not after now.")],
    session_type: Annotated[str, Meta(description="What it was, such as study, meditation or work.")],
    user_note: Annotated[str | None, Meta(description="Note about the session, or null for none.")] = None,
) -> dict[str, Json]:
    """Log a session that has ended, such as study, meditation or work.

    The new session: `record_id`, `session_type`, `start_time`, `end_time`, `duration_minutes` and `user_note`.
    """
    if not session_type.strip():
        c.refuse("TYPE_EMPTY", "Say what kind of session it was.")
    start, end = _stretch(c, start_time, end_time)
    if any(session.start == start for session in c.all(LoggedSession)):
        c.refuse("TIME_TAKEN", f"A session that began at {start} is logged already.")
    return show_session(c.create(LoggedSession, session_type=session_type, start=start, end=end, note=user_note))
