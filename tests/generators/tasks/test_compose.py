"""Tasks of several intents: what goes together, and that order changes nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest

from generators.tasks import Share, make_round
from generators.tasks import program as p
from generators.tasks.compose import FULFIL_CHANCE, Bound, join_places, plan_in_every_order
from generators.tasks.intent import Binding, Cell, Intent, SlotReader
from generators.tasks.phrases import Phrases
from generators.tasks.planner import PlanError
from generators.tasks.program import Program
from generators.tasks.quota import installed_intents
from schemas.plan import Call, Tell
from schemas.task import Task
from services.runtime.streams import Stream
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
    # What one part calls by a word of its own, another part may let the user choose: such a text is turned down.
    assert {verdict.check for verdict in failed} <= {"task.references"}
    assert len(failed) <= len(tasks) / 8


def test_no_two_intents_are_the_same_or_share_a_resource_and_consents_agree() -> None:
    for task in composed(1):
        names = [use.intent for use in task.intents]
        assert len(set(names)) == len(names)
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


def test_most_requests_for_several_things_decline_none_and_keep_their_intent() -> None:
    places = [(intent, cell) for intent in installed_intents() for cell in intent.cells]
    drawn = [
        (place, join_places(place, installed_intents(), 100, Stream(SEED, number, draw)))
        for number, place in enumerate(places)
        for draw in range(10)
    ]
    assert all(joined[0][0] is place[0] for place, joined in drawn)
    met = [joined for _, joined in drawn if all(cell.form == "fulfil" for _, cell in joined)]
    assert abs(len(met) / len(drawn) - FULFIL_CHANCE[0] / FULFIL_CHANCE[1]) < 0.05
    # Where something is declined, every form comes up, and the first place is the one that was asked for.
    others = [(place, joined) for place, joined in drawn if joined not in met]
    assert all(joined[0] == place for place, joined in others)
    wanted = {(intent.name, cell.form) for intent, cell in places}
    assert {(intent.name, cell.form) for _, joined in others for intent, cell in joined} == wanted


def test_a_place_that_is_not_joined_stays_as_it_is() -> None:
    for intent in installed_intents():
        for cell in intent.cells:
            assert join_places((intent, cell), installed_intents(), 0, Stream(SEED, "alone")) == [(intent, cell)]


def test_an_intent_that_is_only_declined_may_be_joined_too() -> None:
    (several,) = (intent for intent in installed_intents() if intent.name == "buy-several")
    (cell,) = (cell for cell in several.cells if cell.form == "out_of_stock")
    only = replace(several, cells=(cell,))
    joined = [join_places((only, cell), (only,), 100, Stream(SEED, draw)) for draw in range(20)]
    assert {place for places in joined for place in places} == {(only, cell)}


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
