"""Runs every check on the tasks of one user. Whatever goes wrong inside a check is a failed verdict."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from schemas.certificate import Certificate, Verdict
from validators.tasks.conduct import check_policy, check_tools_offered, check_user_stops
from validators.tasks.context import TaskContext, UserContext
from validators.tasks.controls import check_other_gold, check_trivial_agents
from validators.tasks.discriminates import check_discriminates
from validators.tasks.equivalents import check_equivalents
from validators.tasks.execution import check_contract, check_replay
from validators.tasks.kinship import check_kin
from validators.tasks.leaks import check_leaks
from validators.tasks.minimality import check_drop_one
from validators.tasks.mutation import check_mutants
from validators.tasks.optimum import check_optimum
from validators.tasks.permissions import check_permissions
from validators.tasks.provenance import check_provenance
from validators.tasks.references import check_references
from validators.tasks.schema import check_schema
from validators.tasks.second_engine import check_second_engine
from validators.tasks.slots_matter import check_slots_matter
from validators.tasks.solver import check_solver

if TYPE_CHECKING:
    from schemas.environment import EnvironmentRecord
    from schemas.task import Task
    from schemas.world import World

Check: TypeAlias = Callable[[TaskContext], Verdict]

REPLAY = "task.replay"
TASK_CHECKS: tuple[tuple[str, Check], ...] = (
    ("task.schema", check_schema),
    (REPLAY, check_replay),
    ("task.contract", check_contract),
    ("task.second_engine", check_second_engine),
    ("task.solver", check_solver),
    ("task.trivial_agents", check_trivial_agents),
    ("task.other_gold", check_other_gold),
    ("task.drop_one", check_drop_one),
    ("task.permissions", check_permissions),
    ("task.mutants", check_mutants),
    ("task.equivalents", check_equivalents),
    ("task.optimum", check_optimum),
    ("task.provenance", check_provenance),
    ("task.leaks", check_leaks),
    ("task.references", check_references),
    ("task.policy", check_policy),
    ("task.user_stops", check_user_stops),
    ("task.tools_offered", check_tools_offered),
    ("task.kin", check_kin),
    ("task.slots_matter", check_slots_matter),
    ("task.discriminates", check_discriminates),
)
"""Name of each check and the function that makes it, in order; a task is kept only if all of them pass."""


def check_tasks(
    tasks: Sequence[Task],
    environment: EnvironmentRecord,
    world: World,
    checks: Sequence[tuple[str, Check]] = TASK_CHECKS,
) -> list[Certificate]:
    """Return the certificate of each task of one user, in order; the tasks are each other's negative controls.

    All checks run on every task, except that none runs after the gold plan failed to replay.
    """
    try:
        user = UserContext(environment, world)
    except Exception as error:
        reason = f"the environment cannot be opened: {type(error).__name__}: {error}"
        return [_refused(task, reason, checks) for task in tasks]
    return [check_task(TaskContext(user, task, [peer for peer in tasks if peer is not task]), checks) for task in tasks]


def check_task(context: TaskContext, checks: Sequence[tuple[str, Check]] = TASK_CHECKS) -> Certificate:
    """Return the certificate of one task."""
    verdicts: list[Verdict] = []
    replays = True
    for name, check in checks:
        verdict = _run(name, check, context) if replays else _failed(name, "not run: gold does not replay")
        verdicts.append(verdict)
        replays = replays and (name != REPLAY or verdict.passed)
    return Certificate(task_id=context.task.task_id, verdicts=verdicts, tool_calls=context.calls)


def _run(name: str, check: Check, context: TaskContext) -> Verdict:
    try:
        verdict = check(context)
    except Exception as error:
        return _failed(name, f"{type(error).__name__}: {error}")
    return verdict if verdict.check == name else _failed(name, f"the check calls itself {verdict.check!r}")


def _failed(name: str, reason: str) -> Verdict:
    return Verdict(check=name, passed=False, reason=reason)


def _refused(task: Task, reason: str, checks: Sequence[tuple[str, Check]]) -> Certificate:
    return Certificate(task_id=task.task_id, verdicts=[_failed(name, reason) for name, _ in checks], tool_calls=0)
