"""Rounds of candidates: what they hold, and that they depend on nothing else."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from functools import cache

import pytest

from generators.tasks.quota import RESERVES, ROUND_CANDIDATES, ROUND_TASKS, installed_intents, places
from generators.tasks.rounds import MAX_BATCHES
from schemas.base import canonical, digest
from schemas.plan import Ask, Call, Tell
from schemas.task import Task
from tests.generators.tasks.scenes import SEED, round_of, user, world
from tests.nonempty import nonempty


@cache
def candidates() -> list[Task]:
    """The candidates of twelve users."""
    return [task for index in range(12) for r in range(2) for task in round_of(index, r).candidates]


def test_every_cell_of_every_intent_comes_up_among_eight_users() -> None:
    wanted = {(intent.name, cell) for intent in installed_intents() for cell in intent.cells}
    for block in (0, 3):
        users = range(10 * block, 10 * block + 8)
        planned = [p for u in users for r in range(2) for p in places(SEED, u, r, 0, installed_intents())[:ROUND_TASKS]]
        assert {(intent.name, cell) for intent, cell in planned} == wanted


def test_intents_can_be_told_apart_as_keys() -> None:
    assert len(set(installed_intents())) == len(installed_intents())


def test_a_round_has_ten_planned_places_and_three_reserves_and_a_later_batch_as_many() -> None:
    first = places(SEED, 3, 0, 0, installed_intents())
    assert len(first) == ROUND_TASKS + RESERVES == ROUND_CANDIDATES
    assert places(SEED, 3, 0, 1, installed_intents()) != first
    assert len(places(SEED, 3, 0, 1, installed_intents())) == ROUND_CANDIDATES


def test_candidates_are_numbered_without_collision_over_rounds_and_batches() -> None:
    batches = [round_of(1, r, extra) for r in range(2) for extra in range(MAX_BATCHES)]
    numbers = [task.ordinal for batch in batches for task in batch.candidates]
    assert len(numbers) == len(set(numbers))


def test_all_forms_are_made_with_their_gates_and_evidence() -> None:
    forms = Counter((task.intents[0].intent, task.intents[0].form) for task in candidates())
    wanted = {(intent.name, cell.form) for intent in installed_intents() for cell in intent.cells}
    unbound = {(u.intent, u.form) for index in range(12) for r in range(2) for u in round_of(index, r).unbound}
    # A form that no environment here offers is reported as such, and that is rare.
    assert wanted - set(forms) <= unbound
    assert len(wanted - set(forms)) <= 1
    for task in candidates():
        form = task.intents[0].form
        told = [step for step in task.plan.steps if isinstance(step, Tell)]
        asked = [(step.gate, step.granted) for step in task.plan.steps if isinstance(step, Ask)]
        if form != "fulfil":
            assert [step.answers["reason"] for step in told] == [form]
            assert task.expectation.answers[0].value == form
        if form in {"consent_refused", "cannot_afford"}:
            assert [gate for gate, granted in asked if not granted] == [
                goal.decline.gate for goal in task.goals if goal.decline
            ]


def test_gold_calls_have_no_error_and_the_cheapest_way_is_short() -> None:
    for task in nonempty(candidates()):
        for step in task.plan.steps:
            if isinstance(step, Call):
                assert isinstance(step.result, dict)
                assert "error" not in step.result
        inspected = [step for step in task.plan.steps if isinstance(step, Call) and step.tool == "inspect_item"]
        if task.intents[0].intent == "buy-best":
            assert len(inspected) <= 8


def test_a_task_survives_its_json_form() -> None:
    for task in nonempty(candidates()[:20]):
        again = Task.model_validate_json(canonical(task))
        assert canonical(again) == canonical(task)


@pytest.mark.parametrize("hash_seed", ["0", "77"])
def test_the_same_round_in_another_process(hash_seed: str) -> None:
    code = (
        "from tests.generators.tasks.scenes import round_of\n"
        "from schemas.base import digest\n"
        "print(digest([t.model_dump(mode='json') for t in round_of(2, 1).candidates]))"
    )
    run = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, env={"PYTHONHASHSEED": hash_seed}
    )
    assert run.stdout.strip() == digest([task.model_dump(mode="json") for task in round_of(2, 1).candidates])


def test_another_user_changes_nothing() -> None:
    profile, environment = user(0)
    assert profile.index == 0
    assert environment.world_id == world().world_id
    before = [task.task_id for task in round_of(0).candidates]
    round_of(1)
    assert [task.task_id for task in round_of(0).candidates] == before
