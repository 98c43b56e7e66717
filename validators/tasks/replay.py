"""Carrying out plans: the gold one, and plans that differ from it.

A step of an altered plan does what its gold step did, on what it now finds: an argument that was read off the result
of an earlier step is read off the new result, and ids of created records follow those that their step creates now. All
else stands as recorded. Replays go on after an error, unless they are told to stop there. An altered plan that begins
as the gold one does starts from a snapshot of the gold.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple, cast

from schemas.plan import Call, Confirm, Step
from schemas.provenance import Clock, Instruction, Policy, Result
from services.runtime.environment import Footprint, Snapshot
from services.runtime.state import State

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schemas.base import Json
    from schemas.provenance import Origin
    from services.runtime.environment import Environment
    from services.runtime.state import Base, Delta, Key
    from validators.tasks.context import TaskContext

NOTHING = Footprint(frozenset(), frozenset())


class Act(NamedTuple):
    """One step to carry out."""

    step: Step
    gold: int | None = None
    """The gold step that this is or stands for, whose result later steps take; None for a step beside the gold."""


class Fault(NamedTuple):
    """A call that returned an error."""

    at: int
    """Position in the plan that was carried out."""
    code: str


class Outcome:
    """What came of carrying out a plan."""

    def __init__(self, run: _Run) -> None:
        """Keep what a run left behind."""
        self.base: Base = run.env.state_.base
        self.end: Snapshot = run.env.snapshot()
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
    def state(self) -> State:
        """The state at the end."""
        return state_at(self.base, self.end)

    @cached_property
    def delta(self) -> Delta:
        """What changed since the start."""
        return self.state.delta()

    @cached_property
    def end_hash(self) -> str:
        """State hash at the end."""
        return self.state.hash()

    def error(self, at: int) -> str:
        """Return the error code of the call at position `at`, or nothing when it succeeded."""
        return next((fault.code for fault in self.errors if fault.at == at), "")


def state_at(base: Base, snapshot: Snapshot) -> State:
    """Return the state that a snapshot over `base` holds."""
    state = State(base)
    state.restore((snapshot.overlay, snapshot.touched))
    return state


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

    def do(self, act: Act) -> bool:
        """Carry out one step; return whether it went well."""
        step = act.step
        result: dict[str, Json] | None = None
        footprint, created = NOTHING, ()
        if isinstance(step, Call):
            before = self.env.state_.overlay
            result = self._call(step)
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
            self.errors.append(Fault(len(self.results) - 1, str(error["code"])))
            return False
        return True

    def _call(self, step: Call) -> dict[str, Json]:
        self.context.calls += 1
        arguments = step.arguments if self.gold is None else self._bound(step)
        return self.env.call(step.tool, arguments, step.side)

    def _created(self, before: Mapping[Key, object]) -> tuple[Key, ...]:
        tables = self.env.state_.base.tables
        return tuple(key for key in self.env.state_.overlay if key not in before and key[1] not in tables[key[0]])

    def _follow(self, old: Sequence[Key], new: Sequence[Key]) -> None:
        """Rename what the gold step created, in order per table, to what was created in its place."""
        if old == new and not self._renamed:
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
        if isinstance(origin, Instruction | Policy | Clock):
            return recorded
        if isinstance(origin, Result) and origin.step in self._fresh:
            try:
                return dig(self._fresh[origin.step], origin.path)
            except (KeyError, IndexError, TypeError):
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
    """Return the value at `path`. Raise KeyError, IndexError or TypeError when there is none."""
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


def replay(
    context: TaskContext,
    acts: Sequence[Act],
    env: Environment | None = None,
    *,
    gold: bool = False,
    stop_at_error: bool = False,
) -> Outcome:
    """Carry out `acts` from the start of the task, or on `env`, and return what came of it.

    With `gold`, the acts are the gold plan itself: nothing is bound anew, and snapshots are kept. With `stop_at_error`,
    the steps after a call that fails are not carried out.
    """
    if gold:
        run = _Run(context, env or context.open(), gold=None)
        run.snapshots.append(run.env.snapshot())
        for act in acts:
            run.do(act)
            run.snapshots.append(run.env.snapshot())
        return Outcome(run)
    known = context.gold
    run = _Run(context, env or context.open(), gold=known)
    shared = 0
    if env is None:
        while shared < min(len(acts), len(context.acts)) and acts[shared] is context.acts[shared]:
            shared += 1
        run.skip(acts[:shared], known)
    for act in acts[shared:]:
        if not run.do(act) and stop_at_error:
            break
    return Outcome(run)
