"""Imperfect assistants, as controls of the scoring: each commits one error, and says before anything is scored which.

Each plays as the oracle does but for its error. Where a task leaves no room for the error, the plain oracle plays, and
says so.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from generators.agents import mistakes
from generators.agents.oracle import Oracle
from generators.agents.oracle_course import course_of
from generators.agents.oracle_words import deeds_of
from generators.agents.reports import write_report
from generators.dialogue.parts import AssistantTurn, CallRequest
from generators.dialogue.report import NAME as REPORT
from schemas.base import canonical_text
from schemas.trajectory import Declared

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from generators.agents.mistakes import Course
    from generators.agents.oracle_course import Beat
    from generators.agents.registry import Seat
    from generators.dialogue.parts import AssistantView
    from schemas.base import Json
    from schemas.score import ErrorClass
    from services.runtime.streams import Stream


class Error(NamedTuple):
    """One way to go wrong."""

    error_class: ErrorClass
    matters: bool
    """Whether a task in which it is committed fails."""
    make: Callable[[Seat, list[Beat], Stream], Course | None]
    """Makes the course of the conversation out of the oracle's; None where there is no room for it."""
    text: str


ERRORS: Mapping[str, Error] = {
    "do-nothing": Error("navigation", True, mistakes.do_nothing, "says that it is done at once"),
    "refuse-all": Error(
        "tool_bypass", True, mistakes.refuse_all, "declines everything, for a policy that there is not"
    ),
    "blind-decline": Error("tool_bypass", True, mistakes.blind_decline, "declines by guess, without looking"),
    "read-only": Error("navigation", True, mistakes.read_only, "looks at everything, and does and tells nothing"),
    "skip-consent": Error("consent", True, mistakes.skip_consent, "asks for no consent, no yes and no money"),
    "over-ask": Error("consent", False, mistakes.over_ask, "asks for a consent that nothing needs"),
    "wrong-argument": Error("data", True, mistakes.wrong_argument, "gives one wrong argument to a call that counts"),
    "early-stop": Error("navigation", True, mistakes.early_stop, "stops before the last thing that was to be done"),
    "enumerate": Error("data", True, mistakes.enumerate_values, "tells two values where one was asked for"),
    "extra-purchase": Error("other", True, mistakes.extra_purchase, "does once more what was wanted once"),
    "ignore-change-of-mind": Error("data", True, mistakes.ignore_change, "keeps to the first wish"),
    "hallucinate-answer": Error("tool_bypass", True, mistakes.hallucinate, "tells values that nothing shows"),
}
"""Name -> how it goes wrong."""


class Imperfect(Oracle):
    """Plays one conversation with one error in it."""

    def __init__(self, seat: Seat, *, error: str, entry: Error) -> None:
        """Play the gold plan of a task with the error `entry` of the name `error`."""
        beats = course_of(seat.task.plan, seat.catalogue)
        course = entry.make(seat, beats, seat.stream.child("imperfect", error))
        super().__init__(seat, name=f"scripted:{error}", beats=beats if course is None else course.beats)
        self._course = course
        committed = course is not None
        self.declared = Declared(
            error=error, error_class=entry.error_class, matters=committed and entry.matters, committed=committed
        )
        self._reports_by_tool = seat.answers == "tool"

    def _trouble(self, last: Beat, view: AssistantView) -> str:
        """Go on whatever happens: who makes an error does not mend it."""
        return super()._trouble(last, view) if self._course is None else ""

    def _report(self, view: AssistantView) -> AssistantTurn:
        course = self._course
        if course is None:
            return super()._report(view)
        if course.entries and not self._reported and self._reports_by_tool:
            self._reported = True
            arguments: Json = {"answers": course.entries}
            return AssistantTurn(calls=(CallRequest("report", REPORT, canonical_text(arguments)),))
        deeds = deeds_of(self._seen, self._catalogue) if course.tells_deeds else []
        said = course.text or write_report(self._task, course.told, deeds, self._stream("report"))
        self._final = f"{said} {course.tail}".strip()
        return AssistantTurn(text=self._final)
