"""Notes in which the user sets a rule for daily life, with the rule beside the text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.environments import odds
from generators.environments.advice import draw_rule, fitting, said
from generators.environments.moments import DAY, day_of, draw_waking, iso_day, iso_time
from services.notes.records import Note
from services.rules import with_rule

if TYPE_CHECKING:
    from generators.environments.seeder import SeedContext


def ruled_notes(c: SeedContext, times: set[str]) -> list[Note]:
    """Return notes that state a rule, each of a day on which nothing else was noted; `times` are of the others."""
    stream = c.stream.child("ruled")
    today, taken = day_of(c.now), {time[:10] for time in times}
    first = max(day_of(c.since), today - odds.NOTE_DAYS)
    free = [day for day in range(first, today) if iso_day(day) not in taken]
    found: dict[str, Note] = {}
    for number, day in enumerate(stream.sample(free, stream.weighted(odds.RULED_NOTES))):
        mine = stream.child(number)
        form = mine.weighted(fitting(c.profile.health_risks))
        rule = draw_rule(mine, form, c.profile)
        text = said(mine, form, rule, "note")
        at = iso_time(draw_waking(mine, day * DAY, (day + 1) * DAY - 1))
        if text not in found:
            found[text] = with_rule(Note(id=c.new_id("notes"), time=at, text=text), rule)
    return list(found.values())
