"""Twins and variations in the rounds of real users: what makes them kin, and how many there are."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from generators.tasks import Share, make_round
from generators.tasks.quota import ROUND_CANDIDATES
from schemas.base import canonical
from tests.generators.tasks.scenes import SEED, user, world
from tests.nonempty import nonempty
from validators.tasks import check_task
from validators.tasks.context import TaskContext, UserContext
from validators.tasks.kinship import check_kin
from validators.tasks.replay import run_foreign

if TYPE_CHECKING:
    from schemas.base import Json
    from schemas.task import Task

SHARE = Share(twins=2, variations=2, multi_intent_percent=30)
USERS = 6


@cache
def candidates(index: int) -> tuple[Task, ...]:
    profile, environment = user(index)
    return tuple(make_round(SEED, profile, environment, world(), 0, 0, SHARE).candidates)


@cache
def user_context(index: int) -> UserContext:
    return UserContext(user(index)[1], world())


def pairs(kind: str) -> list[tuple[int, Task, Task]]:
    """The users, the twins or variations of some rounds, and the tasks that these came from."""
    found: list[tuple[int, Task, Task]] = []
    for index in range(USERS):
        by_id = {task.task_id: task for task in candidates(index)}
        found += [(index, t, by_id[t.kin.of]) for t in candidates(index) if t.kin is not None and t.kin.kind == kind]
    return nonempty(found)


def told(task: Task) -> Json:
    return [[use.intent, use.prefix, s.name, s.value, s.told] for use in task.intents for s in use.slots]


def start(index: int, task: Task) -> dict[tuple[str, str], object]:
    """The records at the start of a task."""
    tables = TaskContext(user_context(index), task).start.tables
    return {(name, key): record for name, records in tables.items() for key, record in records.items()}


def test_twins_say_the_same() -> None:
    for _, twin, first in pairs("twin"):
        assert twin.instruction == first.instruction
        assert told(twin) == told(first)
        assert twin.script.change == first.script.change


def test_twins_differ_in_one_record_or_in_one_consent() -> None:
    kinds = {"record": 0, "consent": 0}
    for index, twin, first in pairs("twin"):
        one, other = start(index, twin), start(index, first)
        records = [key for key in one.keys() | other.keys() if one.get(key) != other.get(key)]
        answers = [{c.gate: c for c in task.script.consents} for task in (twin, first)]
        consents = [gate for gate in answers[0] if answers[0][gate] != answers[1].get(gate)]
        assert answers[0].keys() == answers[1].keys()
        assert len(records) + len(consents) == 1
        kinds["record" if records else "consent"] += 1
    assert min(kinds.values()) > 0


def test_twins_want_something_else_and_nearly_always_fail_each_other() -> None:
    """What passes its twin all the same is found by the check, and not kept."""
    failed = 0
    for index, twin, first in pairs("twin"):
        assert canonical(twin.expectation) != canonical(first.expectation)
        passes = [
            context.passes(run_foreign(context, other.plan))
            for context, other in (
                (TaskContext(user_context(index), twin), first),
                (TaskContext(user_context(index), first), twin),
            )
        ]
        verdict = check_kin(TaskContext(user_context(index), twin, [first]))
        assert verdict.passed is not any(passes)
        failed += verdict.passed
    assert failed >= 0.8 * len(pairs("twin"))


def test_some_twins_take_another_form() -> None:
    forms = {(first.template, twin.template) for _, twin, first in pairs("twin")}
    assert any(one != other for one, other in forms)
    assert any(one == other for one, other in forms)


def test_a_variation_is_the_same_scenario_in_other_words() -> None:
    kept_back = 0
    for index, varied, first in pairs("variation"):
        assert varied.instruction != first.instruction
        assert canonical(varied.expectation) == canonical(first.expectation)
        assert canonical(varied.goals) == canonical(first.goals)
        assert varied.start_hash == first.start_hash
        assert start(index, varied) == start(index, first)
        assert varied.script.change is None
        assert varied.script.consents == first.script.consents
        ways = [{s.name: s.told for use in task.intents for s in use.slots} for task in (varied, first)]
        kept_back += ways[0] != ways[1]
        assert check_kin(TaskContext(user_context(index), varied, [first])).passed
    assert kept_back > 0


def test_kin_come_after_the_first_task_of_their_scenario() -> None:
    for kind in ("twin", "variation"):
        for _, task, first in pairs(kind):
            assert first.ordinal < task.ordinal
            assert first.kin is None
            assert first.scenario == task.scenario
            assert first.user_id == task.user_id


def test_a_round_brings_the_kin_that_it_is_to_keep_and_a_twin_to_spare() -> None:
    twins = 0
    for index in range(USERS):
        kinds = [task.kin.kind for task in candidates(index) if task.kin is not None]
        assert kinds.count("variation") <= SHARE.variations
        assert kinds.count("twin") <= SHARE.twins + 1
        twins += kinds.count("twin")
        assert [task.ordinal for task in candidates(index)] == list(range(len(candidates(index))))
        assert len(candidates(index)) <= ROUND_CANDIDATES + 1
    assert twins > USERS


def test_a_further_batch_brings_no_kin() -> None:
    profile, environment = user(0)
    batch = make_round(SEED, profile, environment, world(), 0, 1, SHARE)
    assert all(task.kin is None for task in nonempty(batch.candidates))


def test_first_tasks_are_the_same_however_many_kin_are_wanted() -> None:
    """What a place of the cycle is filled with does not depend on the kin that stand between."""
    profile, environment = user(0)
    plain = make_round(SEED, profile, environment, world(), 0, 0, Share(multi_intent_percent=30)).candidates
    alone = [task.model_copy(update={"task_id": "", "ordinal": 0}) for task in candidates(0) if task.kin is None]
    first = [task.model_copy(update={"task_id": "", "ordinal": 0}) for task in plain]
    # A place may stay empty, so that what follows the planned ones differs.
    planned = SHARE.planned - 2
    assert len(alone) > planned
    assert alone[:planned] == first[:planned]


def test_nearly_all_kin_pass_every_check() -> None:
    passed = of = 0
    for kind in ("twin", "variation"):
        for index, task, first in pairs(kind):
            certificate = check_task(TaskContext(user_context(index), task, [first]))
            of += 1
            passed += all(verdict.passed for verdict in certificate.verdicts)
    assert passed >= 0.8 * of
