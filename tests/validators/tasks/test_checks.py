"""All checks together: what is run, in which order, and that nothing passes by accident."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
import weakref
from pathlib import Path

from schemas.base import digest
from schemas.certificate import Verdict
from tests.validators.tasks_support import SEED, altered, context_of, context_where, find, made, user_context, world
from validators.tasks import TASK_CHECKS, check_task, check_tasks
from validators.tasks.context import TaskContext
from validators.tasks.execution import check_contract, check_replay

NAMES = (
    "task.schema",
    "task.replay",
    "task.contract",
    "task.second_engine",
    "task.solver",
    "task.trivial_agents",
    "task.other_gold",
    "task.drop_one",
    "task.permissions",
    "task.mutants",
    "task.equivalents",
    "task.optimum",
    "task.provenance",
    "task.leaks",
    "task.references",
    "task.policy",
    "task.user_stops",
    "task.tools_offered",
    "task.kin",
    "task.slots_matter",
    "task.discriminates",
)


def test_the_checks_and_their_order() -> None:
    assert tuple(name for name, _ in TASK_CHECKS) == NAMES


LUCK = {"task.slots_matter", "task.discriminates"}
"""Whether a request says nothing idle, and tells a careful assistant from a careless one, depends on the store:
candidates that do not are rejected for it, and for nothing else."""


def test_a_checked_task_is_let_go_without_the_collector() -> None:
    gc.disable()
    try:
        gone: list[weakref.ref[TaskContext]] = []
        for task in made().tasks[:2]:
            context = TaskContext(user_context(), task)
            check_task(context)
            gone.append(weakref.ref(context))
        # The database still holds the state of the last one.
        assert gone[0]() is None
    finally:
        gc.enable()


def test_real_tasks_pass_every_check() -> None:
    kept = made_in_all = 0
    for user in range(3):
        environment, products, tasks = made(user)
        for task, certificate in zip(tasks, check_tasks(tasks, environment, products), strict=True):
            assert certificate.task_id == task.task_id
            assert [verdict.check for verdict in certificate.verdicts] == list(NAMES)
            failed = {verdict.check: verdict.reason for verdict in certificate.verdicts if not verdict.passed}
            assert failed.keys() <= LUCK, failed
            assert certificate.tool_calls > 0
            kept += not failed
            made_in_all += 1
    assert kept > made_in_all // 2


def test_calls_stay_within_the_budget() -> None:
    """At most 60 times the length of the plan; measured are about four times."""
    environment, products, tasks = made(0)
    for task, certificate in zip(tasks, check_tasks(tasks, environment, products), strict=True):
        assert certificate.tool_calls <= 15 * len(task.plan.steps)


def test_the_certificate_does_not_depend_on_which_other_tasks_there_are() -> None:
    """But for the verdict on their golds: what is rejected is not published, and what comes later not yet there."""
    user, task = find("buy-best/fulfil", ("PURCHASE",))
    environment, products, tasks = made(user, 2)
    (alone,) = check_tasks([task], environment, products)
    among = check_tasks(tasks, environment, products)[tasks.index(task)]
    assert alone.tool_calls == among.tool_calls
    for one, other in zip(alone.verdicts, among.verdicts, strict=True):
        assert one == other or one.check == "task.other_gold"


def test_an_exception_is_a_failed_verdict() -> None:
    def broken(_: TaskContext) -> Verdict:
        raise LookupError("no such thing")

    context = context_of("spending-question")
    certificate = check_task(context, [("task.broken", broken), ("task.contract", check_contract)])
    first, second = certificate.verdicts
    assert first == Verdict(check="task.broken", passed=False, reason="LookupError: no such thing")
    assert second.passed


def test_a_check_answers_under_its_own_name() -> None:
    (verdict,) = check_task(context_of("spending-question"), [("task.other", check_contract)]).verdicts
    assert verdict == Verdict(check="task.other", passed=False, reason="the check calls itself 'task.contract'")


def test_nothing_is_run_on_a_gold_that_does_not_replay() -> None:
    broken = altered(context_of("buy-best/fulfil"), end_hash="0" * 32)
    certificate = check_task(broken)
    before, after = certificate.verdicts[0], certificate.verdicts[1]
    assert before.passed
    assert "end_hash" in after.reason
    for verdict in certificate.verdicts[2:]:
        assert verdict == Verdict(check=verdict.check, passed=False, reason="not run: gold does not replay")


def test_a_failed_check_does_not_keep_the_others_from_running() -> None:
    broken = altered(context_of("spending-question/fulfil"), features=["b", "a"])
    schema, *others = check_task(broken).verdicts
    assert not schema.passed
    assert all(verdict.passed for verdict in others)


def test_an_environment_that_cannot_be_opened_fails_every_task() -> None:
    environment, products, tasks = made(0)
    elsewhere = environment.model_copy(update={"world_id": "w_000000000000"})
    for task, certificate in zip(tasks, check_tasks(tasks, elsewhere, products), strict=True):
        assert certificate.task_id == task.task_id
        assert len(certificate.verdicts) == len(TASK_CHECKS)
        for verdict in certificate.verdicts:
            assert not verdict.passed
            assert "the environment cannot be opened: ValueError" in verdict.reason


def test_a_task_of_another_environment_fails() -> None:
    task = made(1).tasks[0]
    environment, products, _ = made(0)
    (certificate,) = check_tasks([task], environment, products)
    assert not certificate.verdicts[0].passed
    assert not certificate.verdicts[1].passed


def test_a_start_that_cannot_be_set_up_fails() -> None:
    context = context_where("", lambda context: bool(context.task.setup))
    patch = context.task.setup[0].model_copy(update={"table": "nowhere"})
    (verdict,) = check_task(altered(context, setup=[patch]), [("task.replay", check_replay)]).verdicts
    assert not verdict.passed
    assert verdict.reason.startswith("KeyError")


_PROGRAM = f"""
from generators.environments import build_environment
from generators.profiles import make_profile
from generators.tasks import make_round
from generators.worlds import make_world
from schemas.base import digest
from validators.tasks import check_tasks
world = make_world({SEED})
profile = make_profile({SEED}, 0)
environment = build_environment({SEED}, profile, world)
tasks = make_round({SEED}, profile, environment, world, 0).candidates
print(digest([c.model_dump() for c in check_tasks(tasks, environment, world)]))
"""


def test_certificates_are_the_same_in_every_process() -> None:
    environment, products, tasks = made(0)
    assert products is world()
    here = digest([certificate.model_dump() for certificate in check_tasks(tasks, environment, products)])
    for seed in ("0", "77"):
        run = subprocess.run(
            [sys.executable, "-c", _PROGRAM],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(Path.cwd()), "TZ": "Asia/Tokyo"},
            capture_output=True,
            text=True,
            check=True,
        )
        assert run.stdout.strip() == here
