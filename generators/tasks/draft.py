"""A task before it is planned: what it is bound to and how it is told; and how a task is made of it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from generators.tasks.compose import plan_in_every_order
from generators.tasks.expect import GoalError, derive_expectation
from generators.tasks.planner import PlanError
from generators.tasks.telling import first_wish, telling_of
from generators.tasks.writer import write_change, write_instruction
from schemas.base import canonical, digest
from schemas.plan import Ask, Call
from schemas.task import Change, Consent, Task, UserScript
from services.functions import merge_expectations
from services.runtime.environment import Environment

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.tasks.compose import Bound
    from generators.tasks.intent import Scene
    from generators.tasks.start import Start
    from generators.tasks.telling import ChangeOfMind
    from schemas.contract import Expectation
    from schemas.environment import EnvironmentRecord
    from schemas.plan import Plan
    from schemas.task import Kin, Patch
    from services.runtime.streams import Stream


@dataclass(frozen=True, slots=True)
class Wording:
    """What the user says: the request, and what they say on changing their mind."""

    instruction: str
    message: str = ""


@dataclass(frozen=True, slots=True)
class Draft:
    """A task before it is planned."""

    parts: tuple[Bound, ...]
    setup: tuple[Patch, ...]
    refused: frozenset[str]
    """Gates whose consent the user refuses."""
    scenario: str
    change: ChangeOfMind | None = None
    wording: Wording | None = None
    """What the user says where it is given; else it is written."""
    kin: Kin | None = None
    limits: Mapping[str, int] | None = None
    """Gate -> the most that the user agrees to, in cents; drawn where it is not given."""
    once: frozenset[str] = frozenset()
    """Gates whose consent the user takes back when the request is done."""
    wanted: Expectation | None = None
    """What must hold at the end, where that is known."""


def draft_of(environment: EnvironmentRecord, parts: Sequence[Bound]) -> Draft:
    """Return the draft of a request for `parts`, told at once."""
    # Each part is bound to what the setups before it leave, so the last patch of a record is the one that holds.
    setup = list({(patch.table, patch.id): patch for part in parts for patch in part.binding.setup}.values())
    uses = [part.use for part in parts]
    asked = [[use.intent, use.form, use.variant, [[s.name, s.value] for s in use.slots]] for use in uses]
    return Draft(
        parts=tuple(parts),
        setup=tuple(setup),
        refused=frozenset(gate for part in parts for gate in part.binding.refused),
        scenario=digest([environment.environment_id, asked, setup])[:16],
    )


def assemble(start: Start, environment: EnvironmentRecord, draft: Draft, stream: Stream, ordinal: int) -> Task:
    """Return the task of a draft at its start. Raise PlanError, GoalError or PartsConflict when there is none."""
    scene, parts = start.scene, draft.parts
    wording = draft.wording or _written(draft, scene, stream)
    script = script_of(scene, draft, wording)
    expectation = draft.wanted or expected(start, parts, script)
    if draft.change is not None and _wanted_at_first(start, draft, script) == canonical(expectation):
        msg = "the first wish leads to what the last one does"
        raise PlanError(msg)
    if draft.change is not None and draft.change.gate not in {ask.gate for ask in expectation.asks}:
        msg = f"nobody has to ask about {draft.change.gate}, with which the user would change their mind"
        raise PlanError(msg)
    env = Environment(start.base, scene.catalogue, now=scene.now, seed=scene.seed)
    start_hash = env.state_hash()
    plan, gates = plan_in_every_order(env, script, parts, draft.change)
    limits = _drawn_limits(plan, stream.child("limit")) if draft.limits is None else draft.limits
    script = _with_limits(script, plan, limits)
    features = _features(draft, script, plan, gates)
    return Task(
        task_id=f"{environment.user_id}-t{ordinal:05d}",
        user_id=environment.user_id,
        ordinal=ordinal,
        scenario=draft.scenario,
        kin=draft.kin,
        template=" + ".join(part.template for part in parts),
        family=parts[0].intent.family,
        level="hard" if len(features) >= HARD_FROM else "easy",
        features=features,
        intents=[part.use for part in parts],
        instruction=wording.instruction,
        script=script,
        setup=list(draft.setup),
        environment_hash=environment.state_hash,
        start_hash=start_hash,
        goals=[part.intent.goal_of(part.binding) for part in parts],
        plan=plan,
        expectation=expectation,
        end_hash=env.state_hash(),
        gates=gates,
        tools=sorted({step.tool for step in plan.steps if isinstance(step, Call)}),
    )


def expected(start: Start, parts: Sequence[Bound], script: UserScript) -> Expectation:
    """Return what must hold at the end. Raise GoalError or PartsConflict when the parts cannot be had."""
    wanted: list[tuple[str, Expectation]] = []
    for part in parts:
        goal = part.intent.goal_of(part.binding)
        scope = start.scope(goal, part.slots)
        wanted.append((part.prefix, derive_expectation(goal, scope, script, start.scene.catalogue)))
    return merge_expectations(wanted)


def _wanted_at_first(start: Start, draft: Draft, script: UserScript) -> bytes:
    """Return what would hold at the end of what the user wanted at first; nothing where that cannot be had."""
    try:
        return canonical(expected(start, [first_wish(part, draft.change) for part in draft.parts], script))
    except GoalError:
        return b""


def script_of(scene: Scene, draft: Draft, wording: Wording) -> UserScript:
    """Return what the user knows and does."""
    change = None
    if draft.change is not None:
        telling = telling_of(draft.parts, draft.change)
        change = Change(gate=draft.change.gate, first=telling.first, message=wording.message)
    gates = scene.catalogue.gates
    return UserScript(
        style=scene.profile.style,
        consents=[
            Consent(gate=gate, granted=gate not in draft.refused, once=gate in draft.once - draft.refused)
            for gate in sorted({gate for part in draft.parts for gate in part.intent.gates})
        ],
        top_up="refuse" if any(gates[name].gate.accumulates for name in draft.refused) else "exact_shortfall",
        permits=sorted({permit for part in draft.parts for permit in part.intent.permits}),
        change=change,
    )


LIMIT_CHANCE = (1, 2)
"""Share of the users asked for an amount who have set a limit to it."""
_ROUND_CENTS = 100


def _amounts(plan: Plan) -> list[tuple[str, int, bool]]:
    """Return the gates that ask for amounts, with the answer and the cents that a limit must reach, or stay below.

    What is granted adds up: who asks for all of it at once is to have the same answer.
    """
    granted, refused = Counter[str](), dict[str, int]()
    asks = (step for step in plan.steps if isinstance(step, Ask))
    named = ((step, round(v * 100)) for step in asks for v in step.values.values() if isinstance(v, int | float))
    for step, cents in named:
        if step.granted:
            granted[step.gate] += cents
        else:
            refused[step.gate] = min(cents, refused.get(step.gate, cents))
    return [*((g, cents, True) for g, cents in granted.items()), *((g, cents, False) for g, cents in refused.items())]


def _drawn_limits(plan: Plan, stream: Stream) -> dict[str, int]:
    """Return limits that let the user answer as they do: not below what is granted, below an amount refused."""
    limits: dict[str, int] = {}
    for gate, cents, granted in _amounts(plan):
        if not stream.chance(*LIMIT_CHANCE):
            continue
        if granted:
            limits[gate] = -(-cents // _ROUND_CENTS) * _ROUND_CENTS + _ROUND_CENTS * stream.below(30)
        elif cents > _ROUND_CENTS:
            limits[gate] = _ROUND_CENTS * stream.between(1, (cents - 1) // _ROUND_CENTS)
    return limits


def _with_limits(script: UserScript, plan: Plan, limits: Mapping[str, int]) -> UserScript:
    """Return the script with limits. Raise PlanError when the user would answer otherwise with them."""
    for gate, cents, granted in _amounts(plan):
        if gate in limits and (cents <= limits[gate]) is not granted:
            msg = f"the limit for {gate} contradicts the user's answer"
            raise PlanError(msg)
    consents = [consent.changed({"up_to_cents": limits.get(consent.gate)}) for consent in script.consents]
    return script.changed({"consents": consents})


def _written(draft: Draft, scene: Scene, stream: Stream) -> Wording:
    """Return what the user says, from the sentence forms of the intents."""
    style, change = scene.profile.style, draft.change
    said = [first_wish(part, change) for part in draft.parts]
    text = stream.child("text")
    instruction = write_instruction(said, style, text, scene.today)
    if change is None:
        return Wording(instruction)
    part = draft.parts[change.part]
    return Wording(instruction, write_change(part, change.slot, style, text, scene.today))


HARD_FROM = 2
"""Features from which a task counts as hard."""
LONG_PLAN = 10
MANY_SLOTS = 4


def _features(draft: Draft, script: UserScript, plan: Plan, gates: list[str]) -> list[str]:
    """Return what makes the task harder than reading one number, sorted."""
    slots = [slot for part in draft.parts for slot in part.binding.slots]
    found = {
        "chained_parts": any(slot.told == "by_part" for slot in slots),
        "change_of_mind": draft.change is not None,
        "decline": any(part.binding.cell.form != "fulfil" for part in draft.parts),
        "closed_gate": bool(gates),
        "several_gates": len(gates) > 1,
        "several_intents": len(draft.parts) > 1,
        "long_plan": len(plan.steps) > LONG_PLAN,
        "many_conditions": len(slots) > MANY_SLOTS,
        "limit": any(slot.kind == "money_cents" for slot in slots),
        "limited_consent": any(consent.once or consent.up_to_cents is not None for consent in script.consents),
        "told_on_request": any(slot.told == "on_request" for slot in slots),
    }
    return sorted(name for name, holds in found.items() if holds)
