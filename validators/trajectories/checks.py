"""What a recorded conversation must hold, whoever played it: nothing here says how well the assistant did.

- `trajectory.form`: ids, turns and message order are as a runner writes them; arguments are those of their text.
- `trajectory.replay`: carried out anew from the task's start, every call gives the recorded result, hash and change.
- `trajectory.user`: what the user told, consented to and did stands in the script.
- `trajectory.end`: the reason for which it ended is true.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

import orjson

from schemas.base import canonical, content
from schemas.trajectory import Did, Said
from validators.judging import judge
from validators.scoring.errors import ERRORS
from validators.scoring.outcome import REPORT, outcome_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from schemas.base import Json
    from schemas.certificate import Verdict
    from schemas.trajectory import Event, Trajectory
    from validators.scoring.outcome import Outcome
    from validators.tasks.context import TaskContext


def check_trajectory(context: TaskContext, trajectory: Trajectory, outcome: Outcome | None = None) -> list[Verdict]:
    """Return the verdicts on a trajectory; `outcome` is what carrying it out anew gave, if that was done before."""
    anew = outcome or outcome_of(context, trajectory)
    return [
        judge("trajectory.form", lambda: _form(context, trajectory)),
        judge("trajectory.replay", lambda: _replay(context, trajectory, anew)),
        judge("trajectory.user", lambda: _user(context, trajectory, anew)),
        judge("trajectory.end", lambda: _end(trajectory, anew)),
    ]


def _form(context: TaskContext, trajectory: Trajectory) -> Iterator[str]:
    task, events = context.task, trajectory.events
    if trajectory.trajectory_id != f"{task.task_id}-k{trajectory.attempt:02d}":
        yield f"its id is {trajectory.trajectory_id}"
    for name in ("task_id", "user_id", "family", "level", "template", "scenario", "start_hash"):
        if getattr(trajectory, name) != getattr(task, name):
            yield f"its {name} is {getattr(trajectory, name)!r}, the task's is {getattr(task, name)!r}"
    first = events[0] if events else None
    if not (isinstance(first, Said) and first.by == "user" and first.text == task.instruction):
        yield "it does not begin with the request"
    calls = [event.call_id for event in events if isinstance(event, Did)]
    if len(set(calls)) != len(calls):
        yield "two calls have the same id"
    turns = [event.turn for event in events]
    if turns != sorted(turns):
        yield "its turns are out of order"
    declared, name = trajectory.declared, trajectory.assistant.name
    if declared is not None and (name, declared.error_class) != (
        f"scripted:{declared.error}",
        ERRORS.get(declared.error),
    ):
        yield f"{name} declares {declared.error!r}, of the class {declared.error_class}"
    replies = [(event.turn, event.reply) for event in events if isinstance(event, Did) and event.side == "assistant"]
    if replies != sorted(replies):
        yield "its replies are out of order"
    for at, event in enumerate(events):
        if isinstance(event, Did) and event.arguments is not None and not _is_text_of(event.arguments_text, event):
            yield f"event {at}: the arguments of {event.tool} are not those of its text"
        if isinstance(event, Said) and event.by != "user" and (event.told or event.answered):
            yield f"event {at}: {event.by} tells facts of the user's"


def _is_text_of(text: str, event: Did) -> bool:
    try:
        # Nearly always it is the text of just these arguments; only other spacings or forms have to be read.
        return text.encode() == content(event.arguments) or canonical(cast("object", orjson.loads(text))) == canonical(
            event.arguments
        )
    except (orjson.JSONDecodeError, UnicodeEncodeError):
        return False


def _replay(context: TaskContext, trajectory: Trajectory, anew: Outcome) -> Iterator[str]:
    if trajectory.now != context.now:
        yield f"it is at {trajectory.now}, the environment at {context.now}"
    for call in anew.calls:
        event = call.event
        if event.arguments is not None and not _same(call.result, event.result):
            yield f"event {call.at}: {event.tool} returns something else"
        if call.state_hash != event.state_hash:
            yield f"event {call.at}: after {event.tool} the state is {call.state_hash}, not {event.state_hash}"
        if call.changed != bool(event.diff):
            yield f"event {call.at}: {event.tool} {'changes' if call.changed else 'does not change'} the state"
        elif call.changed and canonical(call.diff) != canonical(event.diff):
            yield f"event {call.at}: {event.tool} changes something else"
    made = {call.at for call in anew.calls}
    for at, event in enumerate(trajectory.events):
        # Without the tool, a call of it is one more call of a tool that is not there.
        is_report = isinstance(event, Did) and event.tool == REPORT
        if (
            isinstance(event, Did)
            and at not in made
            and not (is_report and (trajectory.answers == "tool" or "error" in event.result))
        ):
            yield f"event {at}: {event.tool} is no call that can be made"
    if trajectory.end_hash != anew.end_hash:
        yield f"it ends at {anew.end_hash}, not at {trajectory.end_hash}"


def _same(one: Mapping[str, Json], other: Mapping[str, Json]) -> bool:
    # Results are nearly always the same bytes; only other orders or forms of numbers need the canonical form.
    return content(one) == content(other) or canonical(one) == canonical(other)


def _user(context: TaskContext, trajectory: Trajectory, anew: Outcome) -> Iterator[str]:
    script, gates, tools = context.task.script, context.catalogue.gates, context.catalogue.tools
    # of an amount, less than what is refused may be given
    granted = {consent.gate for consent in script.consents if consent.granted or consent.up_to_cents is not None}
    # a payment is approved by the wish, not by a consent
    remedies = {
        remedy.tool
        for one in gates.values()
        if (remedy := one.gate.remedy) is not None and tools[remedy.tool].approval is None
    }
    open_to = {remedy.tool for gate in granted if (remedy := gates[gate].gate.remedy) is not None}
    known = {slot.name for slot in context.told}
    back = {remedy.tool: remedy.takes_back for one in gates.values() if (remedy := one.gate.remedy) is not None}
    closed_at = {told.at: told.closed for told in anew.messages}
    standing = {name for name, one in gates.items() if one.gate.standing}
    # of what the assistant was allowed already when it asked, the user may say so
    free: set[str] = set()
    asked, opened = False, ""
    for at, event in enumerate(trajectory.events):
        if isinstance(event, Said):
            asked = event.by == "assistant"
            free = standing - closed_at[at] if at in closed_at else free
        elif isinstance(event, Did) and event.side == "user" and not asked:
            yield f"event {at}: the user calls {event.tool} without having been spoken to"
        if isinstance(event, Said) and event.by == "user":
            for slot in event.told.keys() - known:
                yield f"event {at}: the user tells {slot!r}, which the script does not know"
            if opened and not any(event.answered.values()):
                yield f"event {at}: the user does not say that it consents, after {opened}"
            opened = ""
            for gate in (gate for gate, given in event.answered.items() if given and gate not in granted | free):
                yield f"event {at}: the user consents to {gate}, which the script does not grant"
        elif isinstance(event, Did) and event.side == "user":
            if event.tool not in tools or tools[event.tool].side != "user":
                yield f"event {at}: {event.tool} is no tool of the user's"
            elif event.tool in remedies - open_to and "error" not in event.result:
                yield f"event {at}: the user calls {event.tool}, and grants nothing that it is for"
            elif event.tool in remedies and "error" not in event.result:
                taken = bool(back[event.tool]) and back[event.tool].items() <= (event.arguments or {}).items()
                opened = "" if taken else event.tool


def _end(trajectory: Trajectory, anew: Outcome) -> Iterator[str]:
    end, budget, events = trajectory.end, trajectory.budget, trajectory.events
    if end in ("done", "user_stopped") and any(isinstance(e, Did) and e.side == "assistant" for e in events[-1:]):
        yield f"it ended as {end} while the assistant had the word"
    if end == "done" and not anew.end.passed:
        yield "it ended as done, but what was asked for is not so"
    if end in ("budget", "agent_error", "user_fault", "infrastructure_error") and not trajectory.end_detail:
        yield f"it ended as {end} without saying why"
    turns = len(anew.messages) + sum(isinstance(event, Said) and event.by == "platform" for event in events)
    counted = (budget.tokens, budget.seconds, budget.cost) == (None, None, None)
    if end == "budget" and counted and turns < budget.turns and _calls(events) < budget.calls:
        yield "it ended as budget, and no budget is used up"
    if len(anew.made) > budget.calls:
        yield f"{len(anew.made)} calls were made with a budget of {budget.calls}"
    if len(anew.messages) > budget.turns:
        yield f"{len(anew.messages)} messages were written with a budget of {budget.turns}"


def _calls(events: Sequence[Event]) -> int:
    return sum(isinstance(event, Did) and event.side == "assistant" for event in events)
