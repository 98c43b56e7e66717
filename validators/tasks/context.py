"""What every check of a task looks at: the user's environment, built once, and the task's start, built on demand."""

from __future__ import annotations

from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import orjson

from schemas.base import canonical
from services.runtime.algebra import NO_ROW, Scope, compile_pred
from services.runtime.catalogue import installed_catalogue
from services.runtime.door import base_of, load_world
from services.runtime.environment import Environment
from services.runtime.identity import by_identity
from services.runtime.records import from_data, to_data
from services.runtime.state import State
from validators.contract.accepted import NotConstructible, accepted_delta
from validators.contract.judge import Judgement, compile_expectation
from validators.contract.normal import same_end
from validators.tasks.database import database_at, next_key
from validators.tasks.graph import PlanGraph
from validators.tasks.replay import Act, run_gold

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from schemas.base import Json
    from schemas.environment import EnvironmentRecord
    from schemas.goal import Goal
    from schemas.task import IntentUse, Patch, Slot, Task
    from schemas.world import World
    from services.runtime.algebra import PredFn
    from services.runtime.records import Record
    from services.runtime.state import Base
    from validators.contract.changes import Delta
    from validators.contract.judge import Judge
    from validators.engine.database import Database
    from validators.tasks.replay import Outcome

Rows = dict[str, dict[str, "Json"]]
"""Records of one table by id, as plain data."""


_pred = by_identity(compile_pred)
"""Compiled once for all users."""


class _World:
    """A world's records, typed and plain."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.key = next_key()
        self.records = load_world(world, installed_catalogue())

    @cached_property
    def tables(self) -> dict[str, Rows]:
        return {name: _plain(records) for name, records in self.records.items()}


_last: list[_World] = []
"""The world that was loaded last: users of one run share it."""


def _load(world: World) -> _World:
    if not _last or _last[0].world is not world:
        _last[:] = [_World(world)]
    return _last[0]


class UserContext:
    """One user's environment before any setup, shared by all tasks of the user."""

    def __init__(self, environment: EnvironmentRecord, world: World) -> None:
        """Load the records. Raise ValueError when they do not fit their declarations or name another world."""
        if environment.world_id != world.world_id:
            msg = f"{environment.environment_id} needs world {environment.world_id!r}, not {world.world_id!r}"
            raise ValueError(msg)
        self.record = environment
        self.world = world
        self.catalogue = installed_catalogue()
        self.now = environment.now
        self.key = next_key()
        """Names this environment for the database."""
        self._world = _load(world)
        self.world_key = self._world.key
        self.base: Base = base_of(environment, self._world.records, self.catalogue)
        self.parse: Callable[[bytes], dict[str, Json]] = lru_cache(maxsize=1024)(orjson.loads)
        """Reads results that tasks of the user share."""
        self._expectations: dict[int, tuple[Task, bytes]] = {}

    @cached_property
    def tables(self) -> dict[str, Rows]:
        """The state before setup: table -> id -> record."""
        return {name: _plain(records) for name, records in self.base.tables.items()}

    @property
    def world_tables(self) -> dict[str, Rows]:
        """The world: table -> id -> row."""
        return self._world.tables

    def relation(self, name: str) -> PredFn:
        """Return the named invariant, ready to run. Raise KeyError when no service declares it."""
        return _pred(self.catalogue.invariants[name].holds)

    def expectation_key(self, task: Task) -> bytes:
        """Return the canonical form of what a task expects, computed once per record."""
        found = self._expectations.get(id(task))
        if found is None:
            # The task is kept with its form, so that its identity is not given to another one.
            found = self._expectations[id(task)] = (task, canonical(task.expectation))
        return found[1]


class Part(NamedTuple):
    """One intent of a task."""

    number: int
    use: IntentUse
    goal: Goal
    slots: Mapping[str, Json]
    """Its slots as its goal names them."""


class TaskContext:
    """One task at its start. Everything is computed when first asked for and then kept."""

    def __init__(
        self,
        user: UserContext,
        task: Task,
        peers: Sequence[Task] = (),
        data: dict[str, Json] | None = None,
        *,
        placed: bool = True,
    ) -> None:
        """Look at `task` of `user`; `peers` are other tasks of the same user, `data` the record as read from a file.

        A candidate is not `placed` yet: which tasks it will stand among is still open.
        """
        self.placed = placed
        self.user = user
        self.data = data
        self.task = task
        self.peers = peers
        self.catalogue = user.catalogue
        self.now = user.now
        self.calls = 0
        """Tool calls executed for this task so far."""
        self.foreign_calls = 0
        """Calls of other tasks' golds executed at this task's start, not counted in `calls`."""

    @cached_property
    def start(self) -> Base:
        """The records at task start. Raise KeyError or ValueError when the setup does not fit the environment."""
        return self.user.base.with_changes(self._patched(patch) for patch in self.task.setup)

    def _patched(self, patch: Patch) -> tuple[str, str, Record | None]:
        if patch.record is None:
            return patch.table, patch.id, None
        return patch.table, patch.id, from_data(self.catalogue.tables[patch.table].record, patch.record)

    def open(self, base: Base | None = None) -> Environment:
        """Return a fresh environment at task start, or at `base`."""
        return Environment(
            self.start if base is None else base, self.catalogue, now=self.now, seed=self.user.record.seed
        )

    def reopen(self) -> Environment:
        """Return a fresh environment at task start for replays, which change nothing of what reads return."""
        return Environment(self.start, self.catalogue, now=self.now, seed=self.user.record.seed, parse=self.user.parse)

    @cached_property
    def tables(self) -> dict[str, Rows]:
        """The state at task start: table -> id -> record, ids in order."""
        changed: dict[str, Rows] = {}
        for patch in self.task.setup:
            rows = changed.setdefault(patch.table, dict(self.user.tables[patch.table]))
            rows.pop(patch.id, None)
            record = self.start.tables[patch.table].get(patch.id)
            if record is not None:
                rows[patch.id] = to_data(record)
        return {**self.user.tables, **{name: dict(sorted(rows.items())) for name, rows in changed.items()}}

    @property
    def db(self) -> Database:
        """The SQL database, standing at the start of this task; ask anew after looking at another task."""
        return database_at(self)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The intents of the task, each with its goal and its own slots."""
        return tuple(
            Part(number, use, goal, slot_values({slot.name: (slot.kind, slot.value) for slot in use.slots}))
            for number, (use, goal) in enumerate(zip(self.task.intents, self.task.goals, strict=True))
        )

    @cached_property
    def told(self) -> list[Slot]:
        """The slots of all intents of the task, under the names that the plan uses."""
        return [
            slot.changed({"name": use.prefix + slot.name}) if use.prefix else slot
            for use in self.task.intents
            for slot in use.slots
        ]

    @cached_property
    def slots(self) -> dict[str, Json]:
        """Slots as the plan names them: a period stands as `<name>_first` and `<name>_last`."""
        return slot_values({slot.name: (slot.kind, slot.value) for slot in self.told})

    @cached_property
    def judge(self) -> Judge:
        """The compiled expectation. Raise InvalidContract when it demands nothing or cannot be met."""
        tables = self.catalogue.tables
        held = {name: self.tables[name].values() for name, table in tables.items() if table.view is not None}
        return compile_expectation(self.task.expectation, tables, self.now, held)

    @cached_property
    def graph(self) -> PlanGraph:
        """What each value and step of the gold plan depends on."""
        return PlanGraph(self.task.plan)

    @cached_property
    def acts(self) -> tuple[Act, ...]:
        """The steps of the gold plan, each standing for itself."""
        return tuple(Act(step, index) for index, step in enumerate(self.task.plan.steps))

    @cached_property
    def plain(self) -> Callable[[Record], dict[str, Json]]:
        """What a record that a plan leaves behind is as JSON data: the same for the same record."""
        return by_identity(to_data)

    @cached_property
    def gold(self) -> Outcome:
        """What the gold plan does, executed once."""
        return run_gold(self)

    def holds(self, state: State) -> Callable[[str], bool]:
        """Return the function that says whether a named relation is true in `state`."""
        # Of the context itself it must hold nothing: as a cycle, whole tasks would wait for the collector.
        scope, relation = Scope(state, self.now, {}), self.user.relation
        return lambda name: relation(name)(NO_ROW, scope)

    @cached_property
    def holds_at_start(self) -> Callable[[str], bool]:
        """Whether a named relation is true at the start."""
        return self.holds(State(self.start))

    def holds_after(self, delta: Delta) -> Callable[[str], bool]:
        """Return the function that says whether a named relation is true once `delta` has happened."""

        def holds(name: str) -> bool:
            state = State(self.start)
            for table, records in delta.items():
                kind = self.catalogue.tables[table].record
                for key, (_, after) in records.items():
                    state.set(table, key, None if after is None else from_data(kind, after))
            return self.holds(state)(name)

        return holds

    @cached_property
    def accepted(self) -> list[Delta]:
        """The gold end, and the ends that the contracts describe exactly."""
        ends: list[Delta] = [self.gold.delta]
        for contract in self.task.expectation.any_of:
            try:
                ends.append(accepted_delta(contract, self.tables, self.catalogue.tables))
            except NotConstructible:
                # A contract with free text or an open range describes more than one end.
                continue
        return ends

    def is_accepted(self, delta: Delta) -> bool:
        """Return whether `delta` is an accepted end, ids of created records and times of writes aside."""
        return any(same_end(delta, end, self.catalogue.tables, self.now) for end in self.accepted)

    def judgement(self, outcome: Outcome) -> Judgement:
        """Return what the judge says of an outcome that started at this task's start."""
        fault = self.judge.told_fault(outcome.answers, outcome.asks)
        if fault:
            return Judgement(False, fault, -1)
        if outcome.state.overlay == self.gold.state.overlay:
            return self._gold_end
        return self.judge.judge_end(outcome.delta, self.holds(outcome.state))

    @cached_property
    def _gold_end(self) -> Judgement:
        """What the judge says of the end-state of the gold, where many other plans end as well."""
        return self.judge.judge_end(self.gold.delta, self.holds(self.gold.state))

    def passes(self, outcome: Outcome) -> bool:
        """Return whether an outcome meets the expectation."""
        return self.judgement(outcome).passed


def slot_values(slots: Mapping[str, tuple[str, Json]]) -> dict[str, Json]:
    """Return (kind, value) by slot name as expressions name them: a period as `<name>_first` and `<name>_last`."""
    values: dict[str, Json] = {}
    for name, (kind, value) in slots.items():
        if kind == "period" and isinstance(value, list):
            values[f"{name}_first"], values[f"{name}_last"] = value
        else:
            values[name] = value
    return values


def _plain(records: Mapping[str, Record]) -> Rows:
    return {key: to_data(record) for key, record in records.items()}
