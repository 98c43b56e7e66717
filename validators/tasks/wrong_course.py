"""Plans that take a wrong course: something twice, too early, too late, not at all, taken back, or not agreed to."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.algebra import Const
from schemas.plan import Ask, Call
from services.runtime.algebra import NO_ROW, Scope
from services.runtime.state import State
from validators.tasks.altered import Deviation, call_at, confirmation, done_for, inserted, moved, retold, without
from validators.tasks.deeds import deeds_of
from validators.tasks.minimality import opened_gate
from validators.tasks.replay import Act

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemas.base import Json
    from services.runtime.declare import Gate
    from services.runtime.streams import Stream
    from validators.tasks.context import TaskContext

# --- too much -------------------------------------------------------------------------------------------------------


def second_order(context: TaskContext, _: Stream) -> Iterator[Deviation]:
    """Do everything once more."""
    acts = [context.acts[number] for number in deeds_of(context).acts]
    acts = [act for act in acts if not isinstance(act.step, Ask)]
    if acts:
        yield Deviation([*context.acts, *(Act(act.step, act.gold) for act in acts)])


def leftover(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Do once more at the end what could be taken back, and leave it."""
    for number in stream.shuffled(_undoable(context)):
        yield Deviation([*context.acts, Act(call_at(context, number))])


def needless_grant(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Have the user open a gate that nothing in the task needs."""
    scope = Scope(State(context.start), context.now, {})
    named = {gate for goal in context.task.goals for gate in goal.gates}
    met = {act.step.gate for act in context.acts if isinstance(act.step, Call | Ask)}
    for name, compiled in stream.shuffled(sorted(context.catalogue.gates.items())):
        gate = compiled.gate
        # A consent that the request may need is none too many; what is open, or only adds up, is not needed unless met.
        free = gate.standing and name not in named and compiled.closed(NO_ROW, scope)
        if name not in met and (free or gate.accumulates):
            yield from (Deviation([*context.acts, Act(step)]) for step in _opening(context, gate))


def granted_anyway(context: TaskContext, _: Stream) -> Iterator[Deviation]:
    """Have a gate opened that the user refused to open."""
    for number, act in enumerate(context.acts):
        if isinstance(act.step, Ask) and not act.step.granted:
            for step in _opening(context, context.catalogue.gates[act.step.gate].gate):
                yield Deviation(inserted(context, number + 1, Act(step)))


def _opening(context: TaskContext, gate: Gate) -> Iterator[Call]:
    """Yield the user's call that opens a gate; what its arguments depend on is taken from the example of its tool."""
    if gate.remedy is not None:
        tool, given = context.catalogue.tools[gate.remedy.tool], gate.remedy.arguments
        fixed: dict[str, Json] = {name: value.value for name, value in given.items() if isinstance(value, Const)}
        yield Call(side=tool.side, tool=tool.name, arguments={**tool.example, **fixed}, origins={}, gate=gate.name)


# --- taken back -----------------------------------------------------------------------------------------------------


def undo_write(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Take back at the end what was done."""
    end = context.gold.state
    for number in stream.shuffled(_undoable(context)):
        undo = context.catalogue.tools[call_at(context, number).tool].undo
        result = context.gold.results[number]
        stays = any(end.get(table, key) is not None for table, key in context.gold.created[number])
        if undo is not None and result is not None and stays:
            arguments = {undo.argument: result[undo.field]}
            side = context.catalogue.tools[undo.tool].side
            yield Deviation([*context.acts, Act(Call(side=side, tool=undo.tool, arguments=arguments, origins={}))])


def undo_too_early(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Take back what was done, and go on as if it were there."""
    for number in stream.shuffled(_undoable(context)):
        undo = context.catalogue.tools[call_at(context, number).tool].undo
        if undo is not None:
            side = context.catalogue.tools[undo.tool].side
            back = Act(Call(side=side, tool=undo.tool, arguments={}, origins={}), takes=(undo.argument, undo.field))
            yield Deviation(inserted(context, number + 1, back))


def _undoable(context: TaskContext) -> list[int]:
    tools = context.catalogue.tools
    return [number for number in deeds_of(context).lasting if tools[call_at(context, number).tool].undo is not None]


# --- at the wrong time ----------------------------------------------------------------------------------------------


def too_late(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Do something only after the act that takes up what it wrote."""
    footprints, needs = context.gold.footprints, context.graph.needs
    own = [number for number in deeds_of(context).lasting if not call_at(context, number).gate]
    for number in stream.shuffled(own):
        part, writes = call_at(context, number).part, footprints[number].writes
        # Parts of a task may come in any order: what both write, such as a balance, only adds up.
        others = (n for n in own if n > number and call_at(context, n).part == part)
        later = next((n for n in others if footprints[n].writes & writes), None)
        if later is not None and number not in needs[later]:
            yield Deviation(moved(context, number, later + 1))


def before_consent(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Try an act before the user has agreed to it, and never again."""
    needs = context.graph.needs
    found: list[tuple[int, int]] = []
    for gate, opened in _opened(context):
        first = min(
            n for n, act in enumerate(context.acts) if isinstance(act.step, Call | Ask) and act.step.gate == gate
        )
        tools = context.catalogue.tools
        guarded = [n for n in deeds_of(context).calls if n > opened and gate in tools[call_at(context, n).tool].gates]
        found += [(n, first) for n in guarded[:1] if not any(need >= first for need in needs[n])]
    found += [(n, said) for n in deeds_of(context).calls if (said := confirmation(context, n)) is not None]
    for number, before in stream.shuffled(found):
        yield Deviation(moved(context, number, before), goes_on=True)


def _opened(context: TaskContext) -> list[tuple[str, int]]:
    """Return the gates that the user opens in the plan, and the steps that do it; taking a consent back does not."""
    calls = [(number, call_at(context, number)) for number in deeds_of(context).calls]
    return [(step.gate, number) for number, step in calls if step.gate and opened_gate(context, step)]


# --- not agreed to --------------------------------------------------------------------------------------------------


def without_remedy(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Ask the user to open a gate, and go on although they have not done it."""
    for _, number in stream.shuffled(_opened(context)):
        yield Deviation(without(context, {number}), goes_on=True)


def unasked(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Have a permission given without having asked for it."""
    for gate, _ in stream.shuffled(_opened(context)):
        # What only adds to an amount takes no decision from the user that could be asked for.
        if not context.catalogue.gates[gate].gate.accumulates:
            asked = {n for n, act in enumerate(context.acts) if isinstance(act.step, Ask) and act.step.gate == gate}
            yield Deviation([act for number, act in enumerate(context.acts) if number not in asked])


# --- too little -----------------------------------------------------------------------------------------------------


def half_done(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Stop before the last act of the assistant, or of the user, and report as if all were done."""
    done = deeds_of(context).calls
    for side in stream.shuffled(("assistant", "user")):
        last = max((number for number in done if call_at(context, number).side == side), default=None)
        if last is not None:
            yield Deviation(without(context, {number for number in deeds_of(context).acts if number >= last}))


def told_only(context: TaskContext, _: Stream) -> Iterator[Deviation]:
    """Look at everything and report, and do nothing."""
    if deeds_of(context).calls and context.gold.answers:
        yield Deviation(without(context, set(deeds_of(context).acts)), goes_on=True)


def skipped_part(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Leave out all that one of several requests asks for, to do and to tell."""
    for part in stream.shuffled(context.parts if len(context.parts) > 1 else ()):
        told = [name for name in context.gold.answers if name.startswith(part.use.prefix)]
        left_out = done_for(context, part.number)
        if told or left_out:
            yield Deviation(retold(context, dict.fromkeys(told), left_out), goes_on=True)
