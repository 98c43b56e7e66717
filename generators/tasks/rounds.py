"""A round of candidate tasks for one user: bind, plan, state what must hold, write the request."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from generators.tasks.expect import GoalError, derive_expectation, slot_values
from generators.tasks.intent import Scene
from generators.tasks.planner import PlanError, make_plan
from generators.tasks.quota import ROUND_CANDIDATES, installed_intents, places
from generators.tasks.writer import write_instruction
from schemas.base import digest
from schemas.plan import Call
from schemas.task import Consent, IntentUse, Task, UserScript
from services.runtime.algebra import evaluate_goal
from services.runtime.catalogue import installed_catalogue
from services.runtime.door import base_of, known_world
from services.runtime.environment import Environment
from services.runtime.state import State
from services.runtime.streams import Stream

if TYPE_CHECKING:
    from generators.tasks.intent import Binding, Cell, Intent
    from schemas.environment import EnvironmentRecord
    from schemas.plan import Plan
    from schemas.profile import Profile
    from schemas.world import World

MAX_BATCHES = 3
"""Batches of a round, the first included."""


@dataclass(frozen=True, slots=True)
class Unbound:
    """A place of the quota for which no candidate could be made."""

    intent: str
    form: str
    reason: str


@dataclass(slots=True)
class Round:
    """The candidates of one batch of a round, in the order in which they are to be kept."""

    candidates: list[Task] = field(default_factory=list[Task])
    unbound: list[Unbound] = field(default_factory=list[Unbound])


def make_round(
    seed: int, profile: Profile, environment: EnvironmentRecord, world: World, round_index: int, extra: int = 0
) -> Round:
    """Return the candidates of batch `extra` of a user's round; they depend on (seed, user, round, batch) only."""
    catalogue = installed_catalogue()
    base = base_of(environment, known_world(world))
    scene = Scene(profile, base, catalogue, environment.now, environment.seed)
    batch = Round()
    first = (round_index * MAX_BATCHES + extra) * ROUND_CANDIDATES
    for number, (intent, cell) in enumerate(places(seed, profile.index, round_index, extra, installed_intents())):
        stream = Stream(seed, "user", profile.index, "task", round_index, extra, number)
        made = _candidate(scene, environment, intent, cell, stream, first + number)
        if isinstance(made, Unbound):
            batch.unbound.append(made)
        else:
            batch.candidates.append(made)
    return batch


def _candidate(
    scene: Scene, environment: EnvironmentRecord, intent: Intent, cell: Cell, stream: Stream, ordinal: int
) -> Task | Unbound:
    binding = intent.bind(cell, scene, stream.child("bind"))
    if binding is None:
        return Unbound(intent.name, cell.form, "nothing in the environment fits")
    try:
        return _assemble(scene, environment, intent, binding, stream, ordinal)
    except (PlanError, GoalError) as error:
        return Unbound(intent.name, cell.form, str(error))


def _script(scene: Scene, intent: Intent, binding: Binding) -> UserScript:
    return UserScript(
        style=scene.profile.style,
        consents=[Consent(gate=gate, granted=gate not in binding.refused) for gate in sorted(intent.gates)],
        top_up="refuse" if "BALANCE" in binding.refused else "exact_shortfall",
    )


def _assemble(
    scene: Scene, environment: EnvironmentRecord, intent: Intent, binding: Binding, stream: Stream, ordinal: int
) -> Task:
    start = scene.patched(binding.setup)
    script = _script(scene, intent, binding)
    goal = intent.goal(binding)
    slots = slot_values(binding.values())
    scope = evaluate_goal(goal, State(start), slots, scene.now)
    expectation = derive_expectation(goal, scope, script, scene.catalogue)
    env = Environment(start, scene.catalogue, now=scene.now, seed=scene.seed)
    start_hash = env.state_hash()
    plan, gates = make_plan(env, script, slots, lambda graph: intent.steps(binding, graph.slot))
    features = _features(binding, plan, gates)
    use = IntentUse(intent=intent.name, form=binding.cell.form, variant=binding.variant, slots=list(binding.slots))
    return Task(
        task_id=f"{environment.user_id}-t{ordinal:05d}",
        user_id=environment.user_id,
        ordinal=ordinal,
        scenario=digest(
            [environment.environment_id, use.model_dump(mode="json"), [p.model_dump() for p in binding.setup]]
        )[:16],
        template=f"{intent.name}/{binding.cell.form}" + (f"/{binding.variant}" if binding.variant else ""),
        family=intent.family,
        level="hard" if len(features) >= HARD_FROM else "easy",
        features=features,
        intents=[use],
        instruction=write_instruction(intent, binding, scene.profile.style, stream.child("text")),
        script=script,
        setup=list(binding.setup),
        environment_hash=environment.state_hash,
        start_hash=start_hash,
        goal=goal,
        plan=plan,
        expectation=expectation,
        end_hash=env.state_hash(),
        gates=gates,
        tools=sorted({step.tool for step in plan.steps if isinstance(step, Call)}),
    )


HARD_FROM = 2
"""Features from which a task counts as hard."""
LONG_PLAN = 10
MANY_SLOTS = 4


def _features(binding: Binding, plan: Plan, gates: list[str]) -> list[str]:
    """Return what makes the task harder than reading one number, sorted."""
    found = {
        "decline": binding.cell.form != "fulfil",
        "closed_gate": bool(gates),
        "several_gates": len(gates) > 1,
        "long_plan": len(plan.steps) > LONG_PLAN,
        "many_conditions": len(binding.slots) > MANY_SLOTS,
        "limit": any(s.kind == "money_cents" for s in binding.slots),
    }
    return sorted(name for name, holds in found.items() if holds)
