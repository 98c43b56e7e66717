"""Are the trajectories of a release true? Each is carried out again from the published files and scored anew."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, cast

from flows.comparing import Fault
from generators.dialogue.arguments import InvalidArguments, read_arguments
from generators.dialogue.offers import offered
from generators.dialogue.prompts import system_prompt
from generators.dialogue.report import NAME as REPORT
from generators.dialogue.report import reported
from publishing.trajectories import row_of, trajectory_of
from schemas.base import canonical, canonical_text
from schemas.trajectory import UNSCORED, Did
from validators.scoring.score import score
from validators.tasks import TaskContext, UserContext
from validators.trajectories.checks import check_trajectory

if TYPE_CHECKING:
    from collections.abc import Iterator

    from publishing.parquet import RawRow
    from publishing.reader import Release, UserRecords
    from schemas.base import Json
    from schemas.score import Score
    from schemas.world import World


def trajectory_faults(release: Release, world: World) -> Iterator[tuple[str, list[Fault]]]:
    """Yield the id of each trajectory and what is wrong with it; at last, without id, what their number is not."""
    rows = release.trajectories()
    row = next(rows, None)
    counts: Counter[tuple[str, str]] = Counter()
    users = release.by_user() if row is not None else iter(())
    for user in users:
        mine: list[RawRow] = []
        while row is not None and row["user_id"] == user.profile.user_id:
            mine.append(row)
            row = next(rows, None)
        for each in mine:
            counts[str(each["rollout"]), str(each["end"])] += 1
            counts[str(each["rollout"]), "passed"] += each["passed"] is True
        yield from _of_user(user, world, mine)
    if row is not None:
        name = str(row["trajectory_id"])
        yield name, [Fault(name, "trajectory.user", "its user is not there, or it is out of order")]
    for origin in release.manifest.rollouts:
        found = {end: counts[origin.rollout, end] for end in origin.ends}
        known = sum(counts[key] for key in counts if key[0] == origin.rollout and key[1] != "passed")
        if (found, known, counts[origin.rollout, "passed"]) != (origin.ends, origin.trajectories, origin.passed):
            yield "", [Fault(origin.rollout, "trajectory.counts", "the manifest states other numbers")]


def _of_user(user: UserRecords, world: World, rows: list[RawRow]) -> Iterator[tuple[str, list[Fault]]]:
    if not rows:
        return
    context = UserContext(user.environment, world)
    tasks = {task.task_id: task for task in user.tasks}
    for row in rows:
        name, task = str(row["trajectory_id"]), tasks.get(str(row["task_id"]))
        if task is None:
            yield name, [Fault(name, "trajectory.task", f"there is no task {row['task_id']} of this user")]
        else:
            yield name, [Fault(name, check, reason) for check, reason in _problems(row, TaskContext(context, task))]


def _problems(row: RawRow, context: TaskContext) -> Iterator[tuple[str, str]]:
    try:
        trajectory = trajectory_of(row)
    except ValueError as error:
        yield "trajectory.form", f"it is no trajectory: {error}"
        return
    if canonical(row_of(str(row["rollout"]), trajectory)) != canonical(row):
        yield "trajectory.columns", "its columns do not say what its events say"
    if trajectory.tools_json != offered(context.open(), trajectory.answers).text:
        yield "trajectory.platform", "its tools are not those that the assistant is offered"
    if trajectory.assistant.prompt != system_prompt(context.now, trajectory.answers, context.catalogue):
        yield "trajectory.platform", "its prompt is not the one that the assistant is given"
    for at, event in enumerate(trajectory.events):
        if isinstance(event, Did) and not _is_answered_right(event, reports=trajectory.answers == "tool"):
            yield "trajectory.platform", f"event {at}: the platform does not answer {event.tool} in this way"
    # A user who broke the script is no fault of the record that says so.
    left_out = {"trajectory.user"} if trajectory.end in UNSCORED else set[str]()
    failed = [v for v in check_trajectory(context, trajectory) if not v.passed and v.check not in left_out]
    yield from ((verdict.check, verdict.reason) for verdict in failed)
    fresh = None if failed else score(context, trajectory)
    if not failed and canonical(fresh) != canonical(trajectory.score):
        yield "trajectory.score", _difference(fresh, trajectory.score)


def _is_answered_right(event: Did, *, reports: bool) -> bool:
    """Return whether a call that the platform answers by itself has that answer; any other has."""
    try:
        arguments = read_arguments(event.arguments_text)
    except InvalidArguments as error:
        wanted: dict[str, Json] = {"error": {"code": "INVALID_ARGUMENTS", "message": str(error)}}
        return event.arguments is None and canonical(event.result) == canonical(wanted)
    if reports and event.side == "assistant" and event.tool == REPORT:
        return canonical(event.result) == canonical(reported(arguments))
    return event.arguments is not None


def _difference(fresh: Score | None, stored: Score | None) -> str:
    if fresh is None or stored is None:
        return "it has a score, and should have none" if fresh is None else "it has no score, and should have one"
    was, now = cast("dict[str, object]", stored.__dict__), cast("dict[str, object]", fresh.__dict__)
    name = next(name for name in now if canonical(was[name]) != canonical(now[name]))
    return f"{name} is {canonical_text(now[name])[:100]}, not {canonical_text(was[name])[:100]}"
