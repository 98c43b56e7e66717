"""One recorded conversation as a person reads it: who said and did what, what changed, what it is worth."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, cast

from schemas.base import canonical_text
from schemas.trajectory import Confirmed, Did, Offered, Said

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from schemas.base import Json
    from schemas.score import Score
    from schemas.trajectory import Elicited, Event, Trajectory

_LONG = 200
"""Characters of a result or change that are shown."""
_LISTED = (3, 2, 1, 0)
"""Entries of each list that are shown: as many as there is room for."""
_ELICITED: Mapping[Elicited, str] = {
    "active": "asked for",
    "passive": "after a question that named nothing",
    "change": "on changing their mind",
}


def conversation(trajectory: Trajectory, title: str = "") -> str:
    """Return a trajectory as Markdown, under its id if there is no other title."""
    lines = [f"## {title or trajectory.trajectory_id}", "", _head(trajectory)]
    for who, turn in groupby(trajectory.events, key=_who):
        lines += ["", f"**{who}**"]
        for _, events in groupby(turn, key=lambda event: isinstance(event, Said)):
            lines += ["", *(line for event in events for line in _event(event))]
    return "\n".join([*lines, "", "**Score**", "", *_verdict(trajectory), ""])


def _head(trajectory: Trajectory) -> str:
    what = f"{trajectory.trajectory_id}: {trajectory.template}, {trajectory.family}, {trajectory.level}"
    played = f"`{trajectory.assistant.name}` with user `{trajectory.user.name}`"
    said = f"{what}; {played}; it is {trajectory.now.replace('T', ' ')}"
    declared = trajectory.declared
    if declared is None:
        return said
    committed = "commits" if declared.committed else "finds no room for"
    return f"{said}\n\nBefore it is scored, the assistant says that it {committed} the error `{declared.error}`."


# --- what happened ---------------------------------------------------------------------------------------------------


def _who(event: Event) -> str:
    """Return the side that an event belongs to; a yes stands where its call is made."""
    if isinstance(event, Said):
        return event.by.capitalize()
    if isinstance(event, Did):
        return event.side.capitalize()
    return "User" if isinstance(event, Confirmed) else "Platform"


def _event(event: Event) -> Iterator[str]:
    match event:
        case Said():
            yield from (f"> {_visible(line)}".rstrip() for line in event.text.splitlines() or [""])
            yield from _aside(event)
        case Did():
            yield from _call(event)
        case Confirmed():
            yield f"- says yes to {_code(_signature(event.tool, event.arguments))}"
        case Offered():
            names = [cast("Mapping[str, Mapping[str, str]]", tool)["function"]["name"] for tool in event.tools]
            yield f"- offers {', '.join(map(_code, names))} from now on"


def _aside(said: Said) -> Iterator[str]:
    """Yield what a message tells and decides."""
    notes = [f"tells {_code(slot)} ({_ELICITED[how]})" for slot, how in said.told.items()]
    notes += [f"{'agrees to' if given else 'refuses'} {gate}" for gate, given in said.answered.items()]
    yield from ("", f"({'; '.join(notes)})") if notes else ()


def _call(did: Did) -> Iterator[str]:
    given = did.arguments_text if did.arguments is None else None
    signature = _signature(did.tool, did.arguments or {}) if given is None else f"{did.tool}({given})"
    label = f" ({did.label})" if did.label else ""
    yield f"- {_code(_cut(signature))}{label} → {_code(_shortened(did.result))}"
    for table, records in cast("Mapping[str, Mapping[str, list[Json]]]", did.diff or {}).items():
        for name, (before, after) in records.items():
            yield f"  - {_change(table, name, before, after)}"


def _change(table: str, name: str, before: Json, after: Json) -> str:
    if not isinstance(before, dict):
        return f"new in {table}: {_code(_shortened(after))}"
    if not isinstance(after, dict):
        return f"gone from {table}: {_code(name)}"
    fields = [
        f"{field} {canonical_text(before.get(field))} → {canonical_text(value)}"
        for field, value in after.items()
        if before.get(field) != value
    ]
    return f"in {table} {_code(name)}: {_code(_cut(', '.join(fields)))}"


def _signature(tool: str, arguments: Mapping[str, Json]) -> str:
    return f"{tool}({', '.join(f'{name}={canonical_text(value)}' for name, value in arguments.items())})"


def _shortened(value: Json) -> str:
    """Return a value as text, with as many entries of its lists as there is room for."""
    texts = (canonical_text(_listing(value, entries)) for entries in _LISTED)
    return next((text for text in texts if len(text) <= _LONG), _cut(canonical_text(_listing(value, _LISTED[-1]))))


def _listing(value: Json, entries: int) -> Json:
    """Return a value with the first entries of its lists, and how many there are more."""
    if isinstance(value, dict):
        return {name: _listing(one, entries) for name, one in value.items()}
    if not isinstance(value, list):
        return value
    left = len(value) - entries
    more: list[Json] = [f"… {left} more" if entries else f"… {left}"] if left > 0 else []
    return [*(_listing(one, entries) for one in value[:entries]), *more]


def _cut(text: str) -> str:
    return text if len(text) <= _LONG else text[: _LONG - 1] + "…"


def _visible(text: str) -> str:
    """Return a line without what a terminal would obey."""
    return "".join(sign if sign.isprintable() else "�" for sign in text)


def _code(text: str) -> str:
    """Return a text as code of one line, whatever is in it."""
    line = _visible(" ".join(text.splitlines()))
    if "`" not in line:
        return f"`{line}`"
    fence = "`" * (1 + max(len(list(run)) for tick, run in groupby(line) if tick == "`"))
    return f"{fence} {line} {fence}"


# --- what it is worth ------------------------------------------------------------------------------------------------


def _verdict(trajectory: Trajectory) -> Iterator[str]:
    ended = trajectory.end + (f" ({trajectory.end_detail})" if trajectory.end_detail else "")
    score = trajectory.score
    if score is None:
        yield f"Not scored; ended: {ended}"
        return
    kind = f" ({score.error_class})" if score.error_class else ""
    yield ("Passed" if score.passed else f"Failed{kind}: {score.reason}") + f"; ended: {ended}"
    yield ""
    yield from (f"- {line}" for line in _findings(score))


def _findings(score: Score) -> Iterator[str]:
    held = {"contract": score.contract, "answers": score.answers, "consent": score.consent}
    yield "; ".join(f"{name}: {'yes' if holds else 'no'}" for name, holds in held.items())
    yield f"reached {score.reached} of {score.targets} required changes, answers and questions"
    for name, told in score.told.items():
        value = f" {canonical_text(score.values[name])}" if name in score.values else ""
        yield f"told {name}{value}: {told}"
    for slot, how in score.elicited.items():
        yield f"the fact {slot} was kept back: {how}"
    yield from (f"needless: {what}" for what in score.needless)
    yield from (f"blocked by {gate}: {count}" for gate, count in score.blocked.items())
    overlap = score.overlap
    yield f"calls: {score.calls}, errors among them: {score.errors}"
    yield f"calls of the gold: {overlap.gold}, made: {overlap.shared} (F1 {overlap.f1:.2f})"
    for found in score.found:
        yield f"{'error' if found.decisive else 'noticed'} {_code(found.error)} ({found.error_class}): {found.detail}"
