"""All checks on records as data: what the verifier process runs on candidates, and `verify` on what was kept."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from pydantic import ValidationError

from generators.environments import build_environment, folder_inputs, given_to
from schemas.base import Json, Model
from schemas.certificate import Certificate, Verdict
from schemas.environment import EnvironmentRecord
from schemas.profile import Profile
from schemas.task import Task
from schemas.world import World
from validators.environments import check_environment, environment_checks, environment_context
from validators.profiles import ProfileContext, check_profile
from validators.tasks import TASK_CHECKS, TaskContext, UserContext, check_task

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

CONTROLS = [pair for pair in TASK_CHECKS if pair[0] in ("task.other_gold", "task.kin")]
"""The checks that look at other tasks of the user, and so at a task in its place among them."""
FAST_CHECKS = [pair for pair in TASK_CHECKS if pair[0] in ("task.replay", "task.contract")]
"""What `verify --fast` runs: the gold plan is executed and its end compared."""
M = TypeVar("M", bound=Model)
Record: TypeAlias = "dict[str, Json]"
TaskCheck = tuple[str, Callable[[TaskContext], Verdict]]


class Ground:
    """What users and tasks stand on: the root seed and the world, prepared once."""

    def __init__(self, seed: int, world: World) -> None:
        """Prepare `world`. Raise ValueError when a record of it does not fit its declaration."""
        self.seed = seed
        self.world = world
        self.environments = environment_context(world)
        # Loaded with the world, so that the first user costs no more than the others.
        folder_inputs()
        environment_checks()

    def rebuilt(self, profile: Profile, record: Record) -> EnvironmentRecord:
        """Return the environment that the seed gives this profile, with what `record` was given from elsewhere."""
        return build_environment(self.seed, profile, self.world, given_to(record))


def passed(verdicts: Sequence[Verdict]) -> bool:
    """Return whether there are verdicts and all of them are good."""
    return bool(verdicts) and all(verdict.passed for verdict in verdicts)


def check_user(
    ground: Ground, profile: Record, environment: Record, earlier: Sequence[Profile]
) -> tuple[list[Verdict], list[Verdict]]:
    """Return the verdicts on a profile and on its environment; none on the environment when the profile failed.

    `earlier` are the kept profiles before it in its block.
    """
    on_profile = check_profile(profile, ProfileContext(tuple(earlier)))
    if not passed(on_profile):
        return on_profile, []
    person = Profile.of_parsed(profile)
    context = ground.environments.rebuilding(lambda: ground.rebuilt(person, environment))
    record = parse(EnvironmentRecord, environment, "environment.schema")
    # A malformed one is given as it is: every check that needs a record fails on it.
    return on_profile, check_environment(environment if isinstance(record, Verdict) else record, context)


def check_candidate(user: UserContext, task: Mapping[str, Json]) -> tuple[TaskContext | None, Certificate]:
    """Return a candidate's context and its certificate, in which no other task serves as a control yet.

    A malformed one has no context.
    """
    found = parse(Task, task, "task.schema")
    if isinstance(found, Verdict):
        return None, Certificate(task_id=str(task.get("task_id")), verdicts=[found], tool_calls=0)
    context = TaskContext(user, found, data=dict(task), placed=False)
    return context, check_task(context)


def check_kept(context: TaskContext, task: Task, before: Sequence[Task]) -> list[Verdict]:
    """Return the verdicts on a candidate, now in its place as `task`, beside those `before` it in its round.

    Only those can be controls: what comes after may not be there yet, and what was rejected is not published.
    """
    context.task = task
    context.peers = before
    context.placed = True
    return check_task(context, CONTROLS).verdicts


def check_again(
    user: UserContext, tasks: Sequence[Task], records: Sequence[Record], checks: Sequence[TaskCheck]
) -> list[Certificate]:
    """Return the certificates on the kept tasks of one round, in their order, by the named checks.

    `records` are the same tasks as data.
    """
    pairs = zip(tasks, records, strict=True)
    contexts = [TaskContext(user, task, tasks[:place], record) for place, (task, record) in enumerate(pairs)]
    return [check_task(context, checks) for context in contexts]


def parse(model: type[M], record: Mapping[str, Json], check: str) -> M | Verdict:
    """Return a record, read from JSON, as its model, or the failed verdict of `check` when it is none."""
    try:
        return model.of_parsed(record)
    except ValidationError as error:
        return Verdict(check=check, passed=False, reason=" ".join(str(error).split())[:500])
