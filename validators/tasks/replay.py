"""Carrying out plans: the gold one, and plans that differ from it.

A step of an altered plan does what its gold step did, on what it now finds: an argument that was read off the result
of an earlier step is read off the new result, and ids of created records follow those that their step creates now. All
else stands as recorded. Replays go on after an error, unless they are told to stop there. An altered plan that begins
as the gold one does starts from a snapshot of the gold.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, cast

from schemas.plan import Call, Confirm, Step
from schemas.provenance import Clock, Instruction, Policy, Result, UserReply
from services.runtime.environment import UNTOUCHED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schemas.base import Json
    from schemas.plan import Plan
    from schemas.provenance import Origin
    from services.runtime.environment import Environment, Footprint, Snapshot
    from services.runtime.records import Record
    from services.runtime.state import Delta, Key, State
    from validators.tasks.context import TaskContext


class Act(NamedTuple):
    """One step to carry out."""

    step: Step
    gold: int | None = None
    """The gold step that this is or stands for, whose result later steps take; None for a step beside the gold."""
    takes: tuple[str, str] | None = None
    """An argument of the call, and the field of the result before it that it takes."""


class Fault(NamedTuple):
    """A call that returned an error."""

    at: int
    """Position in the plan that was carried out."""
    code: str
    gate: str = ""
    """The gate that was closed, when that was the reason."""


class Outcome:
    """What came of carrying out a plan."""

    def __init__(self, run: _Run) -> None:
        """Keep what a run left behind."""
        self._plain = run.context.plain
        self._gold = run.gold
        self.state: State = run.env.state_
        """The state at the end."""
        self.answers: dict[str, Json] = run.answers
        """Typed answers told; of two with one name, the later."""
        self.asks: tuple[str, ...] = tuple(run.asks)
        """Gates whose consent was asked for, in order."""
        self.results: list[dict[str, Json] | None] = run.results
        """Result of each call in the order of the plan; None for steps that are no calls."""
        self.errors: list[Fault] = run.errors
        self.footprints: list[Footprint] = run.footprints
        """What each step read and wrote; nothing for steps that are no calls."""
        self.snapshots: list[Snapshot] = run.snapshots
        """For the gold, state and session before each step and at the end; else empty."""
        self.created: list[tuple[Key, ...]] = run.created
        """Records that each step created, in order."""

    @cached_property
    def delta(self) -> Delta:
        """What changed since the start; tables that changed as in the gold are the gold's, so that they look alike."""
        delta = self.state.delta(data=self._plain)
        like: Delta = {} if self._gold is None else self._gold.delta
        return {table: like[table] if like.get(table) == records else records for table, records in delta.items()}

    @cached_property
    def end_hash(self) -> str:
        """State hash at the end."""
        return self.state.hash()

    def error(self, at: int) -> str:
        """Return the error code of the call at position `at`, or nothing when it succeeded."""
        return next((fault.code for fault in self.errors if fault.at == at), "")


class _Run:
    """One execution in progress."""

    def __init__(self, context: TaskContext, env: Environment, *, gold: Outcome | None) -> None:
        self.context = context
        self.env = env
        self.gold = gold
        """The gold's outcome, when the run may differ from the gold's."""
        self.answers: dict[str, Json] = {}
        self.asks: list[str] = []
        self.results: list[dict[str, Json] | None] = []
        self.errors: list[Fault] = []
        self.footprints: list[Footprint] = []
        self.snapshots: list[Snapshot] = []
        self.created: list[tuple[Key, ...]] = []
        self._fresh: dict[int, dict[str, Json]] = {}
        """New results by gold step."""
        self._renamed: dict[str, str] = {}
        """Id of a record the gold created -> id of the one created in its place."""

    def skip(self, acts: Sequence[Act], gold: Outcome) -> None:
        """Take over what the gold did in its first steps, `acts`, and stand where it stood then."""
        count = len(acts)
        self.env.restore(gold.snapshots[count])
        self.results = gold.results[:count]
        self.footprints = gold.footprints[:count]
        self.created = gold.created[:count]
        self.errors = [fault for fault in gold.errors if fault.at < count]
        for act in acts:
            self._note(act.step)

    def _note(self, step: Step) -> None:
        if step.step == "ask":
            self.asks.append(step.gate)
        elif step.step == "tell":
            self.answers.update(step.answers)

    def has_converged(self, position: int) -> bool:
        """Return whether the gold stood before step `position` where this run stands, having seen the same."""
        gold = cast("Outcome", self.gold)
        there, session = gold.snapshots[position], self.env.session
        return (
            self.env.state_.overlay == there.overlay
            and session.ordinals == there.session.ordinals
            and session.writes == there.session.writes
            and session.confirmed == there.session.confirmed
            and session.unlocked == there.session.unlocked
            and not self._renamed
            and all(gold.results[step] == result for step, result in self._fresh.items() if step < position)
        )

    def finish(self, acts: Sequence[Act]) -> Outcome:
        """Take over what the gold did in its last steps, `acts`."""
        gold = cast("Outcome", self.gold)
        position = len(gold.results) - len(acts)
        self.env.restore(gold.snapshots[-1])
        moved = len(self.results) - position
        self.results += gold.results[position:]
        self.footprints += gold.footprints[position:]
        self.created += gold.created[position:]
        self.errors += [fault._replace(at=fault.at + moved) for fault in gold.errors if fault.at >= position]
        for act in acts:
            self._note(act.step)
        outcome = Outcome(self)
        outcome.delta = gold.delta
        return outcome

    def do(self, act: Act) -> bool:
        """Carry out one step; return whether it went well."""
        step = act.step
        result: dict[str, Json] | None = None
        footprint, created = UNTOUCHED, ()
        if isinstance(step, Call):
            before = self.env.state_.overlay
            result = self._call(act, step)
            footprint = self.env.footprint
            created = self._created(before) if footprint.writes else ()
        elif isinstance(step, Confirm):
            self.env.confirm(step.tool, cast("dict[str, Json]", self._rename(step.arguments)))
        else:
            self._note(step)
        if act.gold is not None and result is not None and self.gold is not None:
            self._fresh[act.gold] = result
            self._follow(self.gold.created[act.gold], created)
        self.results.append(result)
        self.footprints.append(footprint)
        self.created.append(created)
        error = None if result is None else result.get("error")
        if isinstance(error, dict):
            self.errors.append(Fault(len(self.results) - 1, str(error["code"]), str(error.get("gate", ""))))
            return False
        return True

    def _call(self, act: Act, step: Call) -> dict[str, Json]:
        self.context.calls += 1
        arguments = step.arguments if self.gold is None else self._bound(step)
        if act.takes is not None:
            argument, field = act.takes
            arguments = {**arguments, argument: (self.results[-1] or {}).get(field)}
        return self.env.call(step.tool, arguments, step.side)

    def _created(self, before: Mapping[Key, object]) -> tuple[Key, ...]:
        tables = self.env.state_.base.tables
        return tuple(key for key in self.env.state_.overlay if key not in before and key[1] not in tables[key[0]])

    def _follow(self, old: Sequence[Key], new: Sequence[Key]) -> None:
        """Rename what the gold step created, in order per table, to what was created in its place."""
        if not old or (old == new and not self._renamed):
            return
        for table in {table for table, _ in old}:
            olds = [key for name, key in old if name == table]
            news = [key for name, key in new if name == table]
            self._renamed.update(zip(olds, news, strict=False))

    def _bound(self, step: Call) -> dict[str, Json]:
        """Return the arguments of a step, on the results of this run."""
        if not self._fresh:
            return step.arguments
        nodes = self.context.task.plan.nodes
        changes: dict[str, Json] = {}
        for path, node in step.origins.items():
            old = dig(step.arguments, path.split("."))
            new = self._value(nodes[node], old)
            if new is not old and new != old:
                changes[path] = new
        return _with_leaves(step.arguments, changes) if changes else step.arguments

    def _value(self, origin: Origin, recorded: Json) -> Json:
        if isinstance(origin, Instruction | UserReply | Policy | Clock):
            return recorded
        if isinstance(origin, Result) and origin.step in self._fresh:
            try:
                return dig(self._fresh[origin.step], origin.path)
            except (KeyError, IndexError, TypeError, ValueError):
                return recorded
        return self._rename(recorded)

    def _rename(self, value: Json) -> Json:
        if isinstance(value, str):
            return self._renamed.get(value, value)
        if isinstance(value, list):
            return [self._rename(item) for item in value]
        if isinstance(value, dict):
            return {key: self._rename(item) for key, item in value.items()}
        return value


def dig(value: Json, path: Sequence[str | int]) -> Json:
    """Return the value at `path`. Raise KeyError, IndexError, TypeError or ValueError when there is none."""
    for key in path:
        value = value[int(key)] if isinstance(value, list) else cast("dict[str, Json]", value)[cast("str", key)]
    return value


def _with_leaves(arguments: Mapping[str, Json], changes: Mapping[str, Json]) -> dict[str, Json]:
    """Return `arguments` with the values at dotted paths replaced."""
    changed: dict[str, Json] = dict(arguments)
    for path, value in changes.items():
        first, _, rest = path.partition(".")
        if not rest:
            changed[first] = value
            continue
        inner = changed[first]
        if isinstance(inner, list):
            deeper = _with_leaves({str(i): item for i, item in enumerate(inner)}, {rest: value})
            changed[first] = list(deeper.values())
        else:
            changed[first] = _with_leaves(cast("dict[str, Json]", inner), {rest: value})
    return changed


def run_gold(context: TaskContext) -> Outcome:
    """Carry out the gold plan as recorded, on a fresh environment, and keep a snapshot before each step."""
    run = _Run(context, context.reopen(), gold=None)
    run.snapshots.append(run.env.snapshot())
    for act in context.acts:
        run.do(act)
        run.snapshots.append(run.env.snapshot())
    return Outcome(run)


def run_writes(context: TaskContext, plan: Plan) -> Outcome:
    """Carry out a gold plan as recorded, from the start of the task, for what it leaves behind.

    Reads change nothing that is judged, so they are left out where they can unlock nothing either.
    """
    run = _Run(context, context.reopen(), gold=None)
    tools = context.catalogue.tools
    hidden = any(isinstance(step, Call) and tools[step.tool].behind for step in plan.steps)
    for step in plan.steps:
        if not isinstance(step, Call) or hidden or step.side == "user" or tools[step.tool].write:
            run.do(Act(step))
    return Outcome(run)


def run_foreign(context: TaskContext, plan: Plan) -> Outcome:
    """Carry out another task's gold plan as recorded, from the start of this task, as `run_writes` does."""
    calls = context.calls
    outcome = run_writes(context, plan)
    # Which other tasks there are is no property of this one, and its certificate must not depend on them.
    context.calls, context.foreign_calls = calls, context.foreign_calls + context.calls - calls
    return outcome


def replay(
    context: TaskContext,
    acts: Sequence[Act],
    *,
    patch: Mapping[Key, Record | None] | None = None,
    stop_at_error: bool = False,
) -> Outcome:
    """Carry out `acts` from the start of the task and return what came of it.

    `patch` replaces records of the start; it is part of the outcome's delta. With `stop_at_error`, the steps after a
    call that fails are not carried out.
    """
    gold = context.gold
    run = _Run(context, context.reopen(), gold=gold)
    known = context.acts
    shared = 0
    for act, own in zip(acts, known, strict=False):
        if act is not own or (patch and touches(gold.footprints[shared], patch)):
            break
        shared += 1
    run.skip(acts[:shared], gold)
    for (table, key), record in (patch or {}).items():
        run.env.state_.set(table, key, record)
    rest = list(acts[shared:])
    tail = 0 if patch else _common_tail(rest, known)
    for number, act in enumerate(rest):
        left = len(rest) - number
        if left <= tail and run.has_converged(len(known) - left):
            return run.finish(known[len(known) - left :])
        if not run.do(act) and stop_at_error:
            break
    return Outcome(run)


def touches(footprint: Footprint, records: Collection[Key]) -> bool:
    """Return whether a call read or wrote one of `records`, a scan counting as a read of every record of its table."""
    return any(key in footprint.reads or key in footprint.writes or (key[0], "*") in footprint.reads for key in records)


def _common_tail(acts: Sequence[Act], known: Sequence[Act]) -> int:
    """Return how many acts at the end are those of the gold."""
    count = 0
    for act, own in zip(reversed(acts), reversed(known), strict=False):
        if act is not own:
            break
        count += 1
    return count
