"""Made-up trajectories: what the store of rollouts does depends on files, not on what is in them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from flows.rollout_shards import Part, Scored
from schemas.rollout import RolloutConfig, Subset, TaskSource
from schemas.score import Overlap, Score
from schemas.trajectory import Budget, Did, EndReason, Said, Trajectory
from schemas.trajectory import Part as Player

DIGEST = "0" * 64
OVERLAP = Overlap(shared=1, gold=1, made=1, precision=1, recall=1, f1=1)


def config_of(**settings: object) -> RolloutConfig:
    given = {"source": TaskSource(path="run", digest=DIGEST), "subset": Subset(), **settings}
    return RolloutConfig.model_validate(given)


def trajectory_of(task: str = "u000000-t00000", attempt: int = 0, end: EndReason = "done") -> Trajectory:
    score = (
        None
        if end in ("user_fault", "infrastructure_error")
        else Score(
            passed=end == "done",
            contract=True,
            answers=True,
            consent=True,
            overlap=OVERLAP,
            assistant_turns=1,
            user_turns=1,
            calls=1,
            errors=0,
            targets=2,
            reached=2 if end == "done" else 1,
            error_class=None if end == "done" else "data",
        )
    )
    did = Did(
        turn=1,
        side="assistant",
        call_id="call_1",
        tool="look",
        arguments_text="{}",
        arguments={},
        result={"cost": 25.0, "name": "crème"},
        state_hash="1" * 32,
    )
    return Trajectory(
        trajectory_id=f"{task}-k{attempt:02d}",
        task_id=task,
        user_id=task[:7],
        attempt=attempt,
        family="shopping",
        level="easy",
        template="buy-best/fulfil",
        scenario=f"s{task}",
        now="2026-01-05T09:00:00",
        answers="text",
        assistant=Player(name="oracle"),
        user=Player(name="scripted"),
        tools_json="[]",
        budget=Budget(),
        events=[Said(turn=0, by="user", text="Hello"), did, Said(turn=1, by="assistant", text="Done.")],
        end=end,
        end_detail="no answer" if end == "infrastructure_error" else "",
        start_hash="1" * 32,
        end_hash="1" * 32,
        score=score,
    )


class Job(NamedTuple):
    part: Part
    number: int


class FakePlayer:
    """Plays made-up conversations; `ends` says how, by task and attempt."""

    def __init__(self, size: int, ends: Callable[[Job], EndReason] = lambda _: "done", width: int = 1) -> None:
        self._size = size
        self._ends = ends
        self.width = width
        self.played = list[Job]()

    def jobs(self, parts: Sequence[Part], stopped: Callable[[], bool]) -> Iterator[Job]:
        for part in parts:
            for number in range(self._size):
                if stopped():
                    return
                yield Job(part, number)

    def size(self, part: Part) -> int:
        del part
        return self._size

    async def play(self, job: Job) -> Scored:
        self.played.append(job)
        task = f"u{job.part.block * 10:06d}-t{job.number:05d}"
        return Scored(trajectory_of(task, job.part.attempt, self._ends(job)), {"pause.f1": 0.5}, [])


def shard_bytes(root: Path) -> dict[str, bytes]:
    return {file.name: file.read_bytes() for file in sorted((root / "trajectories").glob("*"))}
