"""Requests stated by hand over the small store with known prices: what is expected, what the plan does, who agrees."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from typing import Any

from generators.tasks import rounds
from generators.tasks.expect import derive_expectation, slot_values
from generators.tasks.intent import Binding, Cell, Intent, Scene
from generators.tasks.planner import PartSteps, make_plan
from generators.tasks.telling import Telling
from schemas.contract import Expectation
from schemas.goal import Goal
from schemas.plan import Plan, Tell
from schemas.task import Consent, Slot, SlotKind, Task, UserScript
from services import open_environment
from services.functions import merge_expectations
from services.runtime.algebra import evaluate_goal
from services.runtime.catalogue import installed_catalogue
from services.runtime.door import base_of, known_world, load_world
from services.runtime.environment import Environment
from services.runtime.records import to_data
from services.runtime.state import State
from services.runtime.streams import Stream
from tests.generators.tasks.scenes import SEED, user, world
from tests.services.sample import NOW, WORLD, Row, record
from validators.solvers.solution import SolverInput
from validators.tasks.solver import disagreements

KINDS: Mapping[type, SlotKind] = {int: "count", str: "name", list: "period"}
"""Type of a value given by hand -> the kind of slot that holds it."""


def intent_of(name: str) -> Intent:
    """Return an intent by its package, whatever else is installed."""
    return import_module(f"generators.tasks.intents.{name}").INTENT


@dataclass(frozen=True)
class Request:
    """One request over hand-made tables."""

    name: str
    tables: Mapping[str, Sequence[Row]]
    slots: Mapping[str, str | int | list[str]]
    form: str = "fulfil"
    variant: str = ""
    refused: tuple[str, ...] = ()

    @property
    def binding(self) -> Binding:
        """The request as an intent takes it."""
        slots = [
            Slot(name=name, kind=KINDS[type(value)], value=list(value) if isinstance(value, list) else value)
            for name, value in self.slots.items()
        ]
        return Binding(Cell(self.form), tuple(slots), variant=self.variant, refused=self.refused)

    @property
    def script(self) -> UserScript:
        """What the user grants."""
        gates = intent_of(self.name).gates
        consents = [Consent(gate=gate, granted=gate not in self.refused) for gate in gates]
        return UserScript(style="terse", consents=consents, top_up="exact_shortfall")

    def expectation(self, change: Callable[[Goal], Goal] = lambda goal: goal) -> Expectation:
        """Return what the goal, or a changed one, leads to."""
        goal = change(intent_of(self.name).goal(self.binding))
        slots = slot_values(self.binding.values())
        scope = evaluate_goal(goal, State(base_of(record(NOW, **self.tables), load_world(WORLD))), slots, NOW)
        return merge_expectations([("", derive_expectation(goal, scope, self.script, installed_catalogue()))])

    def carried_out(self) -> tuple[Environment, Plan]:
        """Return the environment at the end of the gold plan, and the plan."""
        env = open_environment(record(NOW, **self.tables), WORLD)
        steps = intent_of(self.name).steps
        slots = slot_values(self.binding.values())
        plan, _ = make_plan(env, self.script, Telling(slots), [PartSteps(0, "", lambda x: steps(self.binding, x))])
        return env, plan

    def told(self) -> dict[str, Any]:
        """Return what the gold plan tells."""
        _, plan = self.carried_out()
        return {name: value for step in plan.steps if isinstance(step, Tell) for name, value in step.answers.items()}

    def objections(self, change: Callable[[Goal], Goal] = lambda goal: goal) -> list[str]:
        """Return what the solver says against the expectation of the goal, or of a changed one."""
        solve = import_module(f"validators.solvers.{self.name}").SOLVER
        base = base_of(record(NOW, **self.tables), load_world(WORLD))
        tables = {
            name: {key: to_data(row) for key, row in rows.items()}
            for part in (base.world, base.tables)
            for name, rows in part.items()
        }
        given = SolverInput(tables, self.slots, NOW, self.variant, frozenset(self.refused))
        return list(disagreements(self.expectation(change), solve(given)))


def created(env: Environment, table: str) -> list[dict[str, Any]]:
    """Return the records that were made, without their ids."""
    made = [after for before, after in env.delta().get(table, {}).values() if before is None and after is not None]
    return [{name: value for name, value in row.items() if name != "id"} for row in made]


def now_in(env: Environment, table: str, key: str) -> dict[str, Any]:
    """Return a record as it stands."""
    found = env.state_.get(table, key)
    assert found is not None
    return to_data(found)


def _scene(index: int) -> Scene:
    profile, environment = user(index)
    base = base_of(environment, known_world(world()))
    return Scene(profile, base, installed_catalogue(), environment.now, environment.seed)


def joined(first: str, second: str, index: int) -> list[Task]:
    """Return tasks of a user that ask for two things, one per pair of cells that can be bound."""
    one, other = intent_of(first), intent_of(second)
    _, environment = user(index)
    scene = _scene(index)
    made: list[Task] = []
    for number, cell in enumerate(one.cells):
        places = [(one, cell), *((other, cell_) for cell_ in other.cells)]
        stream = Stream(SEED, "two", first, second, index, number)
        found = rounds._candidate(rounds.Ground(scene, environment), places, stream, number)
        if isinstance(found, rounds.Candidate) and len(found.task.intents) > 1:
            made.append(found.task)
    return made


@cache
def candidates(name: str, users: int = 6) -> tuple[list[Task], int]:
    """Return a candidate per cell of an intent for each of some users, and for how many there was none."""
    intent = intent_of(name)
    made: list[Task] = []
    missing = 0
    for index in range(users):
        _, environment = user(index)
        scene = _scene(index)
        for number, cell in enumerate(intent.cells):
            stream = Stream(SEED, "one", name, index, number)
            found = rounds._candidate(rounds.Ground(scene, environment), [(intent, cell)], stream, number)
            if isinstance(found, rounds.Candidate):
                made.append(found.task)
            else:
                missing += 1
    return made, missing
