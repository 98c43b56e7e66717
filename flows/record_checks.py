"""Checks on the stored records of a run or release: ids, forms, every check again, every verdict compared."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, cast

from flows.checking import Ground, TaskCheck, check_again, check_user, parse
from flows.comparing import Fault, certificate_faults, verdict_faults
from flows.extents import ROUND
from schemas.certificate import Certificate, Verdict
from schemas.environment import EnvironmentRecord
from schemas.profile import Profile
from schemas.task import Task
from validators.profiles.rewording import sense_faults
from validators.profiles.words import strange_words
from validators.selection import Shelf, duplicate_keys, reading_of
from validators.tasks import UserContext
from validators.worlds import check_world

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flows.rows import Record
    from flows.stored import Subject
    from schemas.base import Json


def world_faults(world: Record, stored: Json) -> list[Fault]:
    """Return what is wrong with a world; `stored` are the verdicts that stand with it, null where there are none."""
    name, fresh = str(world.get("world_id")), check_world(world)
    return list(verdict_faults(name, _known(stored, fresh), fresh))


def block_faults(
    ground: Ground, subjects: Sequence[Subject], checks: Sequence[TaskCheck], *, whole: bool
) -> Iterator[tuple[Subject, list[Fault]]]:
    """Yield each user of a block with what is wrong; not `whole` when only the given checks of tasks are wanted."""
    earlier: list[Profile] = []
    shelf = Shelf()
    for subject in subjects:
        faults = list(_id_faults(ground, subject))
        faults.extend(_person_faults(ground, subject, earlier) if whole and not faults else [])
        profile = parse(Profile, subject.profile, "profile.schema")
        if isinstance(profile, Profile) and not faults:
            earlier.append(profile)
            faults.extend(_narrative_faults(profile) if whole else ())
        environment = parse(EnvironmentRecord, subject.environment, "environment.schema")
        if isinstance(environment, Verdict):
            name = str(subject.environment.get("environment_id"))
            faults = faults or [Fault(name, environment.check, environment.reason)]
        if faults or isinstance(environment, Verdict):
            yield subject, faults
            continue
        user = UserContext(environment, ground.world)
        yield subject, [*_duplicates(subject), *_task_faults(user, subject, checks, shelf, whole=whole)]


def _id_faults(ground: Ground, subject: Subject) -> Iterator[Fault]:
    profile, environment = subject.profile, subject.environment
    user_id = str(profile.get("user_id"))
    expected = {
        "environment_id": f"{user_id}-env",
        "user_id": user_id,
        "world_id": ground.world.world_id,
    }
    for name, value in expected.items():
        if environment.get(name) != value:
            yield Fault(f"{user_id}-env", "environment.ids", f"{name} is {environment.get(name)!r}, not {value!r}")
    for task, _ in subject.tasks:
        ordinal = cast("int", task["ordinal"])
        if task["task_id"] != f"{user_id}-t{ordinal:05d}" or task["user_id"] != user_id:
            yield Fault(
                str(task["task_id"]), "task.ids", f"id, user {task['user_id']!r} and ordinal {ordinal} do not fit"
            )
    ordinals = Counter(cast("int", task["ordinal"]) for task, _ in subject.tasks)
    yield from (
        Fault(f"{user_id}-t{n:05d}", "task.ids", "there are several") for n, times in ordinals.items() if times > 1
    )


def _person_faults(ground: Ground, subject: Subject, earlier: Sequence[Profile]) -> Iterator[Fault]:
    on_profile, on_environment = check_user(ground, subject.profile, subject.environment, earlier)
    user_id = str(subject.profile["user_id"])
    yield from verdict_faults(user_id, _known(subject.profile_verdicts, on_profile), on_profile)
    if on_environment:
        known = _known(subject.environment_verdicts, on_environment)
        yield from verdict_faults(f"{user_id}-env", known, on_environment)


def _narrative_faults(profile: Profile) -> Iterator[Fault]:
    """Yield words that no narrative has, made or given by a model, and what it says of facts that they are not."""
    found = strange_words(profile)
    if found:
        yield Fault(profile.user_id, "profile.words", f"no narrative has words such as: {', '.join(found)}")
    # whoever wrote it, no sentence makes of a fact what it is not
    yield from (Fault(profile.user_id, "profile.sense", reason) for reason in sense_faults(profile, profile.narrative))


def _duplicates(subject: Subject) -> Iterator[Fault]:
    seen: set[str] = set()
    for task, _ in subject.tasks:
        keys = set(duplicate_keys(task))
        if seen & keys:
            yield Fault(str(task["task_id"]), "selection.duplicate", "an earlier task of the user is the same")
        seen |= keys


def _near_duplicate(shelf: Shelf, task: Task, record: Record, today: str) -> Iterator[Fault]:
    reading = reading_of(record, today)
    other = shelf.near(reading, task.user_id, task.ordinal, task.ordinal)
    if other:
        yield Fault(task.task_id, "selection.near_duplicate", f"it reads nearly like {other}")
    shelf.add(task.user_id, task.ordinal, task.task_id, reading)


def _task_faults(
    user: UserContext, subject: Subject, checks: Sequence[TaskCheck], shelf: Shelf, *, whole: bool
) -> Iterator[Fault]:
    for _, group in groupby(subject.tasks, key=lambda pair: cast("int", pair[0]["ordinal"]) // ROUND):
        pairs = list(group)
        parsed = [parse(Task, task, "task.schema") for task, _ in pairs]
        yield from (
            Fault(str(pair[0]["task_id"]), found.check, found.reason)
            for pair, found in zip(pairs, parsed, strict=True)
            if isinstance(found, Verdict)
        )
        sound = [(task, *pair) for task, pair in zip(parsed, pairs, strict=True) if isinstance(task, Task)]
        fresh = check_again(user, [task for task, _, _ in sound], [record for _, record, _ in sound], checks)
        for (task, record, stored), certificate in zip(sound, fresh, strict=True):
            yield from _near_duplicate(shelf, task, record, user.now[:10])
            if whole:
                yield from certificate_faults(task.task_id, stored, certificate)
            else:
                yield from _partly(task.task_id, stored, certificate)


def _partly(task_id: str, stored: Record, fresh: Certificate) -> Iterator[Fault]:
    """Yield faults of the checks that were run, others left aside."""
    names = {verdict.check for verdict in fresh.verdicts}
    known = [verdict for verdict in cast("list[dict[str, Json]]", stored["verdicts"]) if verdict["check"] in names]
    yield from verdict_faults(task_id, cast("Json", known), fresh.verdicts)


def _known(stored: Json, fresh: Sequence[Verdict]) -> Json:
    """Return the stored verdicts, or the fresh ones where none are published: then only failures are faults."""
    return [cast("Json", verdict.model_dump(mode="json")) for verdict in fresh] if stored is None else stored
