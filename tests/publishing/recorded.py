"""Trajectories about the tasks of a small run: golds that passed, and conversations that failed or broke off."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from flows.rollout_tasks import RunTasks
from flows.task_starts import TaskStarts
from publishing.trajectories import Recorded, RolloutOrigin
from schemas.models import Usage
from schemas.rollout import Subset
from schemas.trajectory import Trajectory
from tests.publishing.exports.talks import NASTY, called, score, talk

ROLLOUTS = {"aaaaaaaa": "oracle", "bbbbbbbb": "some/model"}


def recorded(run: Path, users: int = 8) -> Recorded:
    """Return trajectories about the first tasks of the first users of a run, under two rollouts."""
    found = list(_made(run, users))
    return Recorded(
        origins=[_origin(name, [t for rollout, t in found if rollout == name]) for name in ROLLOUTS],
        users=lambda: (trajectory.user_id for _, trajectory in found),
        trajectories=lambda: iter(found),
    )


def _made(run: Path, users: int) -> Iterator[tuple[str, Trajectory]]:
    starts = TaskStarts(run)
    for user in RunTasks(run, Subset()).block(0, 10**9):
        if int(user.environment.user_id[1:]) >= users:
            continue
        for task in user.tasks[:2]:
            yield "aaaaaaaa", talk(task, env=starts(task.task_id))
            failed = talk(
                task,
                [called(("get_system_settings", {}), ("guess", "{'no': JSON"), text=NASTY)],
                report=NASTY,
                passed=False,
                env=starts(task.task_id),
            )
            usage = Usage(calls=3, input_tokens=7, cost=None)
            part = failed.assistant.changed({"name": "some/model", "usage": usage, "parameters": {"top_p": 0.5}})
            ends = {"end": "user_fault", "score": None} if task.ordinal else {}
            yield "bbbbbbbb", failed.changed({"assistant": part, "score": score(passed=False), **ends})


def _origin(rollout: str, found: list[Trajectory]) -> RolloutOrigin:
    return RolloutOrigin(
        rollout=rollout,
        assistant=ROLLOUTS[rollout],
        user="scripted",
        attempts=1,
        seed=0,
        settings_sha256=rollout * 8,
        generator_version="1" * 64,
        trajectories=len(found),
        passed=sum(t.score is not None and t.score.passed for t in found),
        ends=dict(sorted(Counter(t.end for t in found).items())),
    )
