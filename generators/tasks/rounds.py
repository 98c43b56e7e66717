"""A round of candidate tasks for one user: bind, plan, state what must hold, write the request."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from generators.tasks.compose import bind_parts, join_places, plan_in_every_order
from generators.tasks.expect import GoalError, derive_expectation
from generators.tasks.intent import Scene
from generators.tasks.planner import PlanError
from generators.tasks.quota import ROUND_CANDIDATES, installed_intents, places
from generators.tasks.writer import write_instruction
from schemas.base import digest
from schemas.plan import Call
from schemas.task import Consent, Task, UserScript
from services.functions import PartsConflict, merge_expectations
from services.runtime.algebra import evaluate_goal
from services.runtime.catalogue import installed_catalogue
from services.runtime.door import base_of, known_world
from services.runtime.environment import Environment
from services.runtime.state import State
from services.runtime.streams import Stream

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generators.tasks.compose import Bound
    from generators.tasks.quota import Place
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
    seed: int,
    profile: Profile,
    environment: EnvironmentRecord,
    world: World,
    round_index: int,
    extra: int = 0,
    multi_intent_percent: int = 0,
) -> Round:
    """Return the candidates of batch `extra` of a user's round; they depend on (seed, user, round, batch) only.

    `multi_intent_percent` of the candidates, on average, ask for two to four things at once.
    """
    catalogue = installed_catalogue()
    base = base_of(environment, known_world(world))
    scene = Scene(profile, base, catalogue, environment.now, environment.seed)
    batch = Round()
    first = (round_index * MAX_BATCHES + extra) * ROUND_CANDIDATES
    for number, place in enumerate(places(seed, profile.index, round_index, extra, installed_intents())):
        stream = Stream(seed, "user", profile.index, "task", round_index, extra, number)
        together = join_places(place, installed_intents(), multi_intent_percent, stream.child("join"))
        made = _candidate(scene, environment, together, stream, first + number)
        if isinstance(made, Unbound):
            batch.unbound.append(made)
        else:
            batch.candidates.append(made)
    return batch


def _candidate(
    scene: Scene, environment: EnvironmentRecord, places: Sequence[Place], stream: Stream, ordinal: int
) -> Task | Unbound:
    intent, cell = places[0]
    parts = bind_parts(scene, places, stream.child("bind"))
    if not parts:
        return Unbound(intent.name, cell.form, "nothing in the environment fits")
    try:
        return _assemble(scene, environment, parts, stream, ordinal)
    except (PlanError, GoalError, PartsConflict) as error:
        return Unbound(intent.name, cell.form, str(error))


def _script(scene: Scene, parts: Sequence[Bound]) -> UserScript:
    refused = {gate for part in parts for gate in part.binding.refused}
    return UserScript(
        style=scene.profile.style,
        consents=[
            Consent(gate=gate, granted=gate not in refused)
            for gate in sorted({gate for part in parts for gate in part.intent.gates})
        ],
        top_up="refuse" if "BALANCE" in refused else "exact_shortfall",
        permits=sorted({permit for part in parts for permit in part.intent.permits}),
    )


def _assemble(
    scene: Scene, environment: EnvironmentRecord, parts: Sequence[Bound], stream: Stream, ordinal: int
) -> Task:
    # Each part is bound to what the setups before it leave, so the last patch of a record is the one that holds.
    setup = list({(patch.table, patch.id): patch for part in parts for patch in part.binding.setup}.values())
    start = scene.patched(setup)
    script = _script(scene, parts)
    goals = [part.intent.goal(part.binding) for part in parts]
    expected = [
        derive_expectation(goal, evaluate_goal(goal, State(start), part.slots, scene.now), script, scene.catalogue)
        for goal, part in zip(goals, parts, strict=True)
    ]
    expectation = merge_expectations([(part.prefix, e) for part, e in zip(parts, expected, strict=True)])
    env = Environment(start, scene.catalogue, now=scene.now, seed=scene.seed)
    start_hash = env.state_hash()
    plan, gates = plan_in_every_order(env, script, parts)
    uses = [part.use for part in parts]
    features = _features(parts, plan, gates)
    return Task(
        task_id=f"{environment.user_id}-t{ordinal:05d}",
        user_id=environment.user_id,
        ordinal=ordinal,
        scenario=digest([environment.environment_id, uses, setup])[:16],
        template=" + ".join(part.template for part in parts),
        family=parts[0].intent.family,
        level="hard" if len(features) >= HARD_FROM else "easy",
        features=features,
        intents=uses,
        instruction=write_instruction(parts, scene.profile.style, stream.child("text"), scene.today),
        script=script,
        setup=setup,
        environment_hash=environment.state_hash,
        start_hash=start_hash,
        goals=goals,
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


def _features(parts: Sequence[Bound], plan: Plan, gates: list[str]) -> list[str]:
    """Return what makes the task harder than reading one number, sorted."""
    slots = [slot for part in parts for slot in part.binding.slots]
    found = {
        "decline": any(part.binding.cell.form != "fulfil" for part in parts),
        "closed_gate": bool(gates),
        "several_gates": len(gates) > 1,
        "several_intents": len(parts) > 1,
        "long_plan": len(plan.steps) > LONG_PLAN,
        "many_conditions": len(slots) > MANY_SLOTS,
        "limit": any(slot.kind == "money_cents" for slot in slots),
    }
    return sorted(name for name, holds in found.items() if holds)
