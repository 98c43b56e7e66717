"""The mistakes of imperfect assistants: each makes another course out of the oracle's, or finds no room for itself."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from generators.agents.oracle_course import Calls, Remark, Request
from generators.agents.reports import report_forms, reported_answers, said_answer
from generators.users.asking import question_about_gate
from language import Manner
from schemas.goal import Reason
from schemas.plan import Ask, Call, Confirm, Question, Tell
from schemas.provenance import Result, UserReply

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from generators.agents.oracle_course import Beat
    from generators.agents.registry import Seat
    from schemas.base import Json
    from schemas.contract import Answer
    from schemas.task import Task
    from services.runtime.streams import Stream

NUMBERS = frozenset({"money_cents", "count", "decimal", "percent", "date"})
"""Kinds of answers of which there is always another one."""
MANNER = Manner(relative=False)


@dataclass(frozen=True, slots=True)
class Course:
    """A conversation with a mistake in it."""

    beats: list[Beat]
    told: Mapping[str, Json] = field(default_factory=dict[str, "Json"])
    """Answers that the final report tells."""
    text: str = ""
    """The whole final report, where it is not made from answers and deeds."""
    tail: str = ""
    """What the final report ends with."""
    tells_deeds: bool = True
    entries: list[Json] = field(default_factory=list["Json"])
    """Answers as the tool `report` takes them."""


def told_by(task: Task) -> dict[str, Json]:
    """Return the answers that the gold plan tells."""
    found: dict[str, Json] = {}
    for step in task.plan.steps:
        found |= step.answers if isinstance(step, Tell) else {}
    return found


def do_nothing(seat: Seat, beats: list[Beat], stream: Stream) -> Course | None:
    """Say that all is done."""
    del seat, beats
    return Course([], text=stream.choice(("All done.", "That is taken care of.", "Done, all set.")))


def refuse_all(seat: Seat, beats: list[Beat], stream: Stream) -> Course | None:
    """Decline for a policy that there is not."""
    del beats
    return _declining(seat, "policy", stream)


def blind_decline(seat: Seat, beats: list[Beat], stream: Stream) -> Course | None:
    """Decline for some reason, the right one if there is one, without looking and without asking."""
    del beats
    right = [str(value) for name, value in told_by(seat.task).items() if name.rpartition(".")[2] == "reason"]
    guesses: tuple[Reason, ...] = ("none_satisfies", "out_of_stock", "cannot_afford", "not_recorded")
    return _declining(seat, cast("Reason", right[0]) if right else stream.choice(guesses), stream)


def _declining(seat: Seat, reason: Reason, stream: Stream) -> Course:
    forms = report_forms()
    subject = forms.subjects["default"]
    entries: list[Json] = [{"what": "reason", "value": reason}] if seat.answers == "tool" else []
    return Course([], text=stream.choice(forms.reasons[reason]).format(subject=subject), entries=entries)


def read_only(seat: Seat, beats: list[Beat], stream: Stream) -> Course | None:
    """Make the reads of the plan that need nothing opened, and leave it at that."""
    del stream
    kept: list[Beat] = []
    for beat in beats:
        if isinstance(beat, Request) and not isinstance(beat.about, Question):
            break
        if isinstance(beat, Calls) and any(seat.catalogue.tools[call.tool].write for call in beat.calls):
            break
        kept.append(beat)
    looks = any(isinstance(beat, Calls) for beat in kept)
    return Course(kept, text="I have had a look at everything.") if looks else None


def skip_consent(seat: Seat, beats: list[Beat], stream: Stream) -> Course | None:
    """Leave out every question for a consent or a yes, and go on as if it had been granted."""
    del stream
    kept = [b for b in beats if not (isinstance(b, Request) and isinstance(b.about, Ask | Confirm))]
    if len(kept) == len(beats):
        return None
    told = told_by(seat.task)
    return Course(kept, told, entries=reported_answers(seat.task, told), tells_deeds=bool(told), text=_after(told))


def _after(told: Mapping[str, Json]) -> str:
    """Return the report of an assistant that has nothing to tell."""
    return "" if told else "Everything is done."


def over_ask(seat: Seat, beats: list[Beat], stream: Stream) -> Course | None:
    """Ask first for a consent that the request has nothing to do with."""
    task = seat.task
    met = {step.gate for step in task.plan.steps if isinstance(step, Ask | Call)} | set(task.gates)
    met |= {consent.gate for consent in task.script.consents}
    opening = {name: one.gate.remedy.tool for name, one in seat.catalogue.gates.items() if one.gate.remedy is not None}
    used = {opening[name] for name in met if name in opening}
    names = sorted(
        name
        for name, one in seat.catalogue.gates.items()
        if name in opening
        and opening[name] not in used
        and one.gate.standing
        and one.gate.asking is not None
        and one.gate.remedy is not None
        and one.gate.remedy.prepare is None
    )
    if not names:
        return None
    gate = seat.catalogue.gates[stream.choice(names)].gate
    told = told_by(task)
    asked = Remark(question_about_gate(gate, {}, stream), "")
    return Course([asked, *beats], told, entries=reported_answers(task, told))


def wrong_argument(seat: Seat, beats: list[Beat], stream: Stream) -> Course | None:
    """Give another value for one argument of a write that counts: another number, other words, or another record."""
    del stream
    plan, tools = seat.task.plan, seat.catalogue.tools
    void = {step for pair in undoings(seat) for step in pair}
    counting = [
        (at, step)
        for at, step in enumerate(plan.steps)
        if isinstance(step, Call)
        and step.side == "assistant"
        and tools[step.tool].write
        and at not in void
        and seat.task.goals[step.part].decline is None
    ]
    for alter in (_other_number, _other_words, _other_record):
        for at, call in reversed(counting):
            changed = next(alter(call, at, seat.task), None)
            if changed is not None:
                told = told_by(seat.task)
                return Course(_replaced(beats, call, changed), told, entries=reported_answers(seat.task, told))
    return None


def _other_number(call: Call, at: int, task: Task) -> Iterator[Call]:
    del at, task
    for name, value in call.arguments.items():
        if isinstance(value, int) and not isinstance(value, bool):
            # Less rather than more: more may be refused, for stock or money.
            yield _with(call, name, value - 1 if value > 1 else value + 1)


def _other_words(call: Call, at: int, task: Task) -> Iterator[Call]:
    del at, task
    for name, value in call.arguments.items():
        if isinstance(value, str) and " " in value:
            yield _with(call, name, f"{value} And more.")


def _other_record(call: Call, at: int, task: Task) -> Iterator[Call]:
    for name, value in call.arguments.items():
        if isinstance(value, str) and name.endswith("_id"):
            steps = task.plan.steps[:at]
            shown = [found for step in steps if isinstance(step, Call) for found in _values_of(step.result, name)]
            yield from (_with(call, name, other) for other in sorted({other for other in shown if other != value}))


def _with(call: Call, name: str, value: Json) -> Call:
    return call.changed({"arguments": {**call.arguments, name: value}})


def _values_of(value: Json, name: str) -> Iterator[str]:
    """Yield the texts that stand under a name, at any depth."""
    if isinstance(value, dict):
        for key, item in value.items():
            if key == name and isinstance(item, str):
                yield item
            yield from _values_of(item, name)
    elif isinstance(value, list):
        for item in value:
            yield from _values_of(item, name)


def early_stop(seat: Seat, beats: list[Beat], stream: Stream) -> Course | None:
    """Stop before the last beat that does something, and tell nothing."""
    del stream
    acting = [at for at, beat in enumerate(beats) if _acts(seat, beat)]
    kept = beats[: acting[-1]] if acting else beats
    return Course(kept, text="I have taken care of that for now.")


def _acts(seat: Seat, beat: Beat) -> bool:
    if isinstance(beat, Calls):
        return any(seat.catalogue.tools[call.tool].write for call in beat.calls)
    return isinstance(beat, Request) and isinstance(beat.about, Ask | Call)


def enumerate_values(seat: Seat, beats: list[Beat], stream: Stream) -> Course | None:
    """Tell the right value of one answer together with another one."""
    options = _numbers(seat.task)
    if not options:
        return None
    answer = stream.choice(options)
    told = told_by(seat.task)
    value = told.pop(answer.name)
    both = [said_answer(answer.kind, one, MANNER) for one in (value, _other(answer.kind, value))]
    entries = [*reported_answers(seat.task, told), {"what": answer.cue, "value": " or ".join(both)}]
    return Course(beats, told, tail=f"The {answer.cue} is {both[0]} or {both[1]}.", entries=cast("list[Json]", entries))


def hallucinate(seat: Seat, beats: list[Beat], stream: Stream) -> Course | None:
    """Tell values that nothing shows, where nothing was to be done without a look."""
    del stream
    options = _numbers(seat.task)
    if not options:
        return None
    told = told_by(seat.task)
    told |= {answer.name: _other(answer.kind, told[answer.name]) for answer in options}
    asks_only = not any(_acts(seat, beat) or _confirms(beat) for beat in beats)
    kept: list[Beat] = [beat for beat in beats if not isinstance(beat, Calls)] if asks_only else beats
    return Course(kept, told, entries=reported_answers(seat.task, told))


def _confirms(beat: Beat) -> bool:
    return isinstance(beat, Request) and isinstance(beat.about, Confirm)


def _numbers(task: Task) -> list[Answer]:
    told = told_by(task)
    return [answer for answer in task.expectation.answers if answer.kind in NUMBERS and answer.name in told]


def _other(kind: str, value: Json) -> Json:
    """Return another value of a kind."""
    if kind == "date":
        return (dt.date.fromisoformat(str(value)) + dt.timedelta(days=11)).isoformat()
    step = {"money_cents": 1_713, "percent": 7, "decimal": 17.3, "count": 14}[kind]
    return round(cast("float", value) + step, 1) if kind == "decimal" else cast("int", value) + cast("int", step)


def extra_purchase(seat: Seat, beats: list[Beat], stream: Stream) -> Course | None:
    """Make one more call, for one of it, like one of the plan that brings something about and could be taken back."""
    undone = {source for source, _ in undoings(seat)}
    made = [
        step
        for at, step in enumerate(seat.task.plan.steps)
        if isinstance(step, Call)
        and step.side == "assistant"
        and seat.catalogue.tools[step.tool].undo is not None
        and at not in undone
    ]
    if not made:
        return None
    chosen = stream.choice(made)
    counted = [name for name, v in chosen.arguments.items() if isinstance(v, int) and not isinstance(v, bool)]
    again = chosen.changed({"arguments": {**chosen.arguments, **dict.fromkeys(counted, 1)}})
    told = told_by(seat.task)
    return Course([*beats, Calls((again,))], told, entries=reported_answers(seat.task, told))


def ignore_change(seat: Seat, beats: list[Beat], stream: Stream) -> Course | None:
    """Keep to the first wish: leave out what takes it back and what comes in its place, or use its values."""
    del stream
    change = seat.task.script.change
    if change is None:
        return None
    steps, pairs = seat.task.plan.steps, undoings(seat)
    told = told_by(seat.task)
    entries = reported_answers(seat.task, told)
    if pairs:
        turn = min(step for _, step in pairs)
        left = [cast("Call", steps[step]) for _, step in pairs]
        for source, _ in pairs:
            tool = cast("Call", steps[source]).tool
            again = (
                s for s in steps[turn:] if isinstance(s, Call) and s.tool == tool and all(s is not o for o in left)
            )
            left += [one for one in (next(again, None),) if one is not None]
        return Course(_without(beats, left), told, entries=entries)
    kept, found = beats, False
    for step in steps:
        if isinstance(step, Call) and step.side == "assistant":
            first = _with_first(step, seat.task, change.first)
            if first is not step:
                kept, found = _replaced(kept, step, first), True
    return Course(kept, told, entries=entries) if found else None


def _with_first(call: Call, task: Task, first: Mapping[str, Json]) -> Call:
    """Return a call with the values of the first wish where it states those of the last."""
    arguments = dict(call.arguments)
    for path, node in call.origins.items():
        origin = task.plan.nodes[node]
        if isinstance(origin, UserReply) and origin.slot in first and path in arguments:
            arguments[path] = first[origin.slot]
    return call.changed({"arguments": arguments}) if arguments != call.arguments else call


def undoings(seat: Seat) -> list[tuple[int, int]]:
    """Return the steps that are taken back, each with the step that does."""
    plan, tools = seat.task.plan, seat.catalogue.tools
    found: list[tuple[int, int]] = []
    for at, step in enumerate(plan.steps):
        if not isinstance(step, Call):
            continue
        for argument, node in step.origins.items():
            origin = plan.nodes[node]
            made = plan.steps[origin.step] if isinstance(origin, Result) else None
            undo = tools[made.tool].undo if isinstance(made, Call) else None
            if isinstance(origin, Result) and undo is not None and (undo.tool, undo.argument) == (step.tool, argument):
                found.append((origin.step, at))
    return found


def _replaced(beats: Sequence[Beat], call: Call, other: Call) -> list[Beat]:
    """Return beats with another call in place of one."""
    return [
        Calls(tuple(other if one is call else one for one in beat.calls), beat.label, beat.fails)
        if isinstance(beat, Calls)
        else beat
        for beat in beats
    ]


def _without(beats: Sequence[Beat], calls: Sequence[Call]) -> list[Beat]:
    """Return beats without some calls."""
    found: list[Beat] = []
    for beat in beats:
        if isinstance(beat, Calls):
            kept = tuple(one for one in beat.calls if all(one is not other for other in calls))
            found += [Calls(kept, beat.label, beat.fails)] if kept else []
        else:
            found.append(beat)
    return found
