"""Several intents in one task: which go together, bound one after the other, any two planned in both orders."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial
from itertools import combinations, permutations
from typing import TYPE_CHECKING

from generators.tasks.expect import answers_of, slot_values
from generators.tasks.phrases import forms_for
from generators.tasks.planner import PartSteps, PlanError, attempt, make_plan
from generators.tasks.telling import first_wish, telling_of
from schemas.base import canonical
from schemas.plan import Call, Tell
from schemas.task import IntentUse
from services.runtime.algebra import evaluate_goal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from generators.tasks.intent import Binding, Cell, Intent, Scene
    from generators.tasks.quota import Place
    from generators.tasks.telling import ChangeOfMind
    from schemas.base import Json
    from schemas.plan import Plan, Step
    from schemas.task import UserScript
    from services.runtime.environment import Environment
    from services.runtime.streams import Stream

MOST = 4
"""Intents of one task at most."""
PARTNERS = 8
"""Draws of a partner before a task stays with fewer intents."""
FULFIL_CHANCE = (2, 3)
"""Share of the requests for several things in which no part is to be declined; in the others any part may be."""


@dataclass(frozen=True, slots=True)
class Bound:
    """One intent of a task, bound."""

    index: int
    prefix: str
    intent: Intent
    binding: Binding

    @property
    def slots(self) -> dict[str, Json]:
        """Its slots as its own goal names them."""
        return slot_values(self.binding.values())

    @property
    def template(self) -> str:
        """Intent, form and variant."""
        variant = f"/{self.binding.variant}" if self.binding.variant else ""
        return f"{self.intent.name}/{self.binding.cell.form}{variant}"

    @property
    def use(self) -> IntentUse:
        """What the task says of it."""
        cell, binding = self.binding.cell, self.binding
        return IntentUse(
            intent=self.intent.name,
            form=cell.form,
            prefix=self.prefix,
            variant=binding.variant,
            slots=list(binding.slots),
        )


def join_places(first: Place, intents: Sequence[Intent], percent: int, stream: Stream) -> list[Place]:
    """Return a place with the partners drawn for it, in the order in which they are tried.

    A request declines something as soon as one part of it is declined. For these not to outnumber the others by far,
    most requests for several things keep to what can be fulfilled; the first place then stands for its intent only.
    """
    if not stream.chance(percent, 100):
        return [first]
    wanted = stream.weighted([(2, 9), (3, 2), (MOST, 1)])
    lead, cycle = [first], _cycle(intents)
    if stream.chance(*FULFIL_CHANCE):
        lead = _fulfilled(lead) or _fulfilled(_cycle([first[0]])) or lead
        cycle = _fulfilled(cycle) or cycle
    given = {slot for ports in first[0].gives.values() for slot in ports}
    takers = [place for place in cycle if place[0].takes & given]
    if takers and stream.chance(*TAKER_CHANCE):
        cycle = takers
    return [stream.choice(lead), *(stream.choice(cycle) for _ in range(PARTNERS * (wanted - 1)))]


TAKER_CHANCE = (2, 3)
"""Share of the requests whose first part finds what others can take up in which all partners are such."""


def _cycle(intents: Sequence[Intent]) -> list[Place]:
    return [(intent, cell) for intent in intents for cell in intent.cells for _ in range(cell.weight)]


def _fulfilled(places: Sequence[Place]) -> list[Place]:
    return [(intent, cell) for intent, cell in places if cell.form == "fulfil"]


def bind_parts(scene: Scene, places: Sequence[Place], stream: Stream) -> list[Bound]:
    """Return the first place bound, and further ones that go with what is bound already; none when the first fails.

    Partners are different intents that share no exclusive resource, and none refuses a consent that another needs. Each
    is bound to the scene as the setups before it leave it.
    """
    bound: list[tuple[Intent, Binding]] = []
    wanted = 1 + -(-(len(places) - 1) // PARTNERS)
    for number, (intent, cell) in enumerate(places):
        if len(bound) == wanted or (number > 0 and not bound):
            break
        if number > 0 and not _together(intent, bound):
            continue
        binding = _bind_to_port(intent, cell, scene, bound, stream.child(number))
        binding = binding or intent.bind(cell, scene, stream.child(number))
        if binding is not None and _consents_agree(intent, binding, bound) and _setups_differ(binding, bound):
            bound.append((intent, binding))
            scene = scene.after(binding.setup)
    several = len(bound) > 1
    return [
        Bound(index, f"{index + 1}." if several else "", intent, binding)
        for index, (intent, binding) in enumerate(bound)
    ]


PORT_CHANCE = (4, 5)
"""Share of the partners that take up what an earlier part finds, of those that can."""


def _bind_to_port(
    intent: Intent, cell: Cell, scene: Scene, bound: Sequence[tuple[Intent, Binding]], stream: Stream
) -> Binding | None:
    """Return a partner bound to what the part before it finds out; None when nothing fits or the draw is against it."""
    if not bound or bound[-1][1].cell.form != "fulfil":
        return None
    other, known = bound[-1]
    ports = other.gives.get(known.variant, {})
    for slot in sorted(intent.takes & ports.keys()):
        found = _answer(scene, other, known, ports[slot])
        if not stream.child("port", slot).chance(*PORT_CHANCE):
            continue
        binding = intent.bind(cell, scene.giving({slot: found}), stream.child("bind", slot))
        if binding is None or not forms_for(intent.phrases.by_part, slot, binding):
            continue
        source = {"told": "by_part", "source": f"{len(bound)}.{ports[slot]}"}
        slots = tuple(s.changed(source) if s.name == slot else s for s in binding.slots)
        return replace(binding, slots=slots) if binding.values().get(slot) == found else None
    return None


def _answer(scene: Scene, intent: Intent, binding: Binding, name: str) -> Json:
    """Return what a bound intent finds under the name of one of its answers."""
    goal = intent.goal_of(binding)
    scope = evaluate_goal(goal, scene.source, slot_values(binding.values()), scene.now)
    return next(answer.value for answer in answers_of(goal, scope) if answer.name == name)


def _together(intent: Intent, bound: Sequence[tuple[Intent, Binding]]) -> bool:
    """Return whether an intent shares nothing exclusive with those bound, and is none of them: nobody asks twice."""
    return all(intent.name != other.name and intent.uses.isdisjoint(other.uses) for other, _ in bound)


def _setups_differ(binding: Binding, bound: Sequence[tuple[Intent, Binding]]) -> bool:
    """Return whether no record is set up twice: the later setup would undo what the earlier one was bound to."""
    known = {(patch.table, patch.id) for _, other in bound for patch in other.setup}
    return known.isdisjoint((patch.table, patch.id) for patch in binding.setup)


def _consents_agree(intent: Intent, binding: Binding, bound: Sequence[tuple[Intent, Binding]]) -> bool:
    """Return whether nobody refuses a gate that another intent may have to pass."""
    return all(
        set(binding.refused).isdisjoint(other.gates) and set(known.refused).isdisjoint(intent.gates)
        for other, known in bound
    )


def plan_in_every_order(
    env: Environment, script: UserScript, parts: Sequence[Bound], change: ChangeOfMind | None = None
) -> tuple[Plan, list[str]]:
    """Return the gold plan of the parts in their order, leaving `env` at its end.

    Any two parts are carried out in the other order too, where that is possible and either writes: raise PlanError when
    they cannot be, tell something else or end elsewhere.
    """
    steps = [_steps_of(part, change) for part in parts]
    told = telling_of(parts, change)
    start = env.snapshot()
    plan, gates = make_plan(env, script, told, steps)
    end, gold = env.snapshot(), _end(plan.steps, env)
    if any(isinstance(step, Call) and env.catalogue.tools[step.tool].write for step in plan.steps):
        for order in _other_orders(steps, parts):
            env.restore(start)
            if _end(attempt(env, script, told, order).steps, env) != gold:
                msg = "the order of the parts changes the result"
                raise PlanError(msg)
        env.restore(end)
    return plan, gates


def _other_orders(steps: Sequence[PartSteps], parts: Sequence[Bound]) -> Iterator[tuple[PartSteps, ...]]:
    """Yield orders in which any two parts that may come in the other order do so; mostly one is enough, the reverse.

    A part comes after one that it takes something from.
    """
    sources = {part.index: {slot.source.partition(".")[0] for slot in part.binding.slots} for part in parts}
    seen = {(one.number, other.number) for one, other in combinations(steps, 2)}
    for order in reversed(list(permutations(steps))):
        places = [f"{step.number + 1}" for step in order]
        possible = all(sources[step.number].isdisjoint(places[at:]) for at, step in enumerate(order))
        pairs = {(one.number, other.number) for one, other in combinations(order, 2)}
        if possible and not pairs <= seen:
            seen |= pairs
            yield order


def _steps_of(part: Bound, change: ChangeOfMind | None) -> PartSteps:
    first = first_wish(part, change)
    before = None if first is part else partial(part.intent.steps, first.binding)
    return PartSteps(part.index, part.prefix, partial(part.intent.steps, part.binding), before)


def _end(steps: Sequence[Step], env: Environment) -> bytes:
    """Return what was told and left, without the ids it made, the times it wrote and how money moved."""
    told = {name: value for step in steps if isinstance(step, Tell) for name, value in step.answers.items()}
    delta = env.delta()
    made = {key for records in delta.values() for key, (before, _) in records.items() if before is None}
    left: list[bytes] = []
    for name, records in delta.items():
        table = env.catalogue.tables[name]
        if table.ledger:
            continue
        for key, (_, after) in records.items():
            shown = None if after is None else {f: v for f, v in after.items() if f not in (*table.stamps, "id")}
            known = {f: "" if v in made else v for f, v in (shown or {}).items() if not isinstance(v, list)}
            left.append(canonical([name, "" if key in made else key, shown is None, known]))
    return canonical([told, sorted(line.decode() for line in left)])
