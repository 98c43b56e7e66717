"""All checks on records as data: what the verifier process runs on candidates, and `verify` on what was kept."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

from pydantic import ValidationError

from generators.environments import build_environment
from schemas.base import Json, Model
from schemas.certificate import Certificate, Verdict
from schemas.environment import EnvironmentRecord
from schemas.profile import Profile
from schemas.task import Task
from schemas.world import World
from validators.environments import check_environment, environment_context
from validators.profiles import ProfileContext, check_profile
from validators.tasks import check_tasks

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

M = TypeVar("M", bound=Model)
Record = dict[str, Json]


class Ground:
    """What users and tasks stand on: the root seed and the world, prepared once."""

    def __init__(self, seed: int, world: World) -> None:
        """Prepare `world`. Raise ValueError when a record of it does not fit its declaration."""
        self.seed = seed
        self.world = world
        self.environments = environment_context(world)

    def rebuilt(self, profile: Profile) -> EnvironmentRecord:
        """Return the environment that the seed gives this profile."""
        return build_environment(self.seed, profile, self.world)


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
    person = Profile.model_validate(profile)
    context = ground.environments.rebuilding(lambda: ground.rebuilt(person))
    return on_profile, check_environment(environment, context)


def check_group(
    ground: Ground, tasks: Sequence[Mapping[str, Json]], environment: EnvironmentRecord
) -> list[Certificate]:
    """Return the certificates on tasks of one user that were made together; the others are its negative controls."""
    parsed = [parse(Task, task, "task.schema") for task in tasks]
    sound = [task for task in parsed if isinstance(task, Task)]
    certificates = iter(check_tasks(sound, environment, ground.world))
    return [
        Certificate(task_id=str(task.get("task_id")), verdicts=[found], tool_calls=0)
        if isinstance(found, Verdict)
        else next(certificates)
        for task, found in zip(tasks, parsed, strict=True)
    ]


def parse(model: type[M], record: Mapping[str, Json], check: str) -> M | Verdict:
    """Return a record as its model, or the failed verdict of `check` when it is none."""
    try:
        return model.model_validate(dict(record))
    except ValidationError as error:
        return Verdict(check=check, passed=False, reason=" ".join(str(error).split())[:500])
