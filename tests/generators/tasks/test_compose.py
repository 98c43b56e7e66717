"""Tasks of several intents: what goes together, and that order changes nothing."""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import pytest

from generators.tasks import Share, make_round
from generators.tasks import program as p
from generators.tasks.compose import Bound, plan_in_every_order
from generators.tasks.intent import Binding, Cell, Intent, SlotReader
from generators.tasks.phrases import Phrases
from generators.tasks.planner import PlanError
from generators.tasks.program import Program
from generators.tasks.quota import installed_intents
from schemas.plan import Call, Tell
from schemas.task import Task
from tests.generators.tasks.scenes import SEED, user, world
from tests.generators.tasks.toy import script, toy_environment
from validators.tasks import check_tasks

INTENTS = {intent.name: intent for intent in installed_intents()}


def composed(index: int) -> list[Task]:
    profile, environment = user(index)
    made = [make_round(SEED, profile, environment, world(), r, share=Share(multi_intent_percent=100)) for r in range(2)]
    return [task for batch in made for task in batch.candidates]


def test_most_candidates_have_several_intents_and_pass_every_check() -> None:
    tasks = composed(0)
    sizes = Counter(len(task.intents) for task in tasks)
    assert sizes[2] > 5
    assert sum(count for size, count in sizes.items() if size > 1) > len(tasks) / 2
    certificates = check_tasks(tasks, user(0)[1], world())
    failed = [v for certificate in certificates for v in certificate.verdicts if not v.passed]
    assert failed == []


def test_no_two_intents_share_a_resource_and_consents_agree() -> None:
    for task in composed(1):
        names = [use.intent for use in task.intents]
        for one, other in combinations(names, 2):
            assert INTENTS[one].uses.isdisjoint(INTENTS[other].uses)
        refused = {consent.gate for consent in task.script.consents if not consent.granted}
        needed = [set(INTENTS[use.intent].gates) for use in task.intents if use.form == "fulfil"]
        assert all(refused.isdisjoint(gates) for gates in needed)


def test_answers_calls_and_slots_carry_the_part() -> None:
    task = next(task for task in composed(2) if len(task.intents) > 1)
    assert [use.prefix for use in task.intents] == [f"{n + 1}." for n in range(len(task.intents))]
    told = {name for step in task.plan.steps if isinstance(step, Tell) for name in step.answers}
    assert told == {answer.name for answer in task.expectation.answers}
    assert {step.part for step in task.plan.steps if isinstance(step, Call)} <= set(range(len(task.intents)))
    assert task.template.count(" + ") == len(task.intents) - 1


def test_without_a_share_every_candidate_has_one_intent() -> None:
    profile, environment = user(0)
    batch = make_round(SEED, profile, environment, world(), 0)
    assert {len(task.intents) for task in batch.candidates} == {1}


def _part(index: int, program: object) -> Bound:
    def steps(_binding: Binding, _x: SlotReader) -> Program:
        return program()  # type: ignore[operator]

    intent = Intent(
        name=f"toy-{index}",
        family="toy",
        cells=(),
        gates=(),
        uses=frozenset(),
        bind=lambda _cell, _scene, _stream: None,
        goal=lambda _binding: None,  # type: ignore[arg-type,return-value]
        steps=steps,
        phrases=Phrases(sentences={}),
    )
    return Bound(index, f"{index + 1}.", intent, Binding(Cell("fulfil"), ()))


def test_parts_whose_order_matters_are_refused() -> None:
    def reading() -> Program:
        price = yield p.Call("see_price")
        yield p.Tell({"cents": price["cents"]})

    def flipping() -> Program:
        yield p.User("flip", {"on": p.Fixed("on", False)})

    parts = [_part(0, reading), _part(1, flipping)]
    with pytest.raises(PlanError, match="order of the parts"):
        plan_in_every_order(toy_environment(on=True), script(granted=True), parts)


def test_parts_that_make_records_end_alike_in_either_order() -> None:
    def buying() -> Program:
        price = yield p.Call("see_price")
        yield p.Call("buy", {"cents": price["cents"]})

    def seeing() -> Program:
        price = yield p.Call("see_price")
        yield p.Tell({"cents": price["cents"]})

    env = toy_environment(on=True)
    plan, _ = plan_in_every_order(env, script(granted=True), [_part(0, buying), _part(1, seeing), _part(2, buying)])
    assert [step.tool for step in plan.steps if isinstance(step, Call)] == ["see_price", "buy", "buy"]
    assert len(env.delta()["sales"]) == 2
