"""Holds conversations side by side and writes their shards: in task order, few in memory, one event loop."""

from __future__ import annotations

import asyncio
from collections import deque
from contextlib import aclosing
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, Protocol, TypeVar

from flows.errors import BudgetError, UnreachableError
from flows.rollout_shards import Part, writing
from flows.rollout_store import footer_of
from llm.errors import BudgetReached
from llm.ledger import Ledger

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from typing import Self

    from flows.rollout_shards import Scored
    from schemas.models import Role, Tally
    from schemas.rollout import RolloutConfig
    from schemas.trajectory import Trajectory

T = TypeVar("T")
AHEAD = 4
"""Conversations begun or waiting to be written, over those in flight: a long one does not hold up the others."""
PATIENCE = 5
"""Conversations in a row that no model could be reached for, after which none is begun any more."""


class Job(Protocol):
    """One conversation to be held."""

    @property
    def part(self) -> Part:
        """The shard it belongs to."""
        ...


J = TypeVar("J")
P = TypeVar("P", bound=Job)


class Player(Protocol[P]):
    """Holds the conversations of a rollout."""

    width: int
    """Conversations at once."""

    def jobs(self, parts: Sequence[Part], stopped: Callable[[], bool]) -> Iterator[P]:
        """Yield the conversations of some shards in order, until `stopped()` is true."""
        ...

    def size(self, part: Part) -> int:
        """Return how many conversations a shard holds."""
        ...

    async def play(self, job: P) -> Scored:
        """Hold one conversation and score it."""
        ...


@dataclass(slots=True)
class Underway:
    """What a rollout in this process has done since it was opened."""

    ledger: Ledger = field(default_factory=Ledger)
    finished: int = 0
    """Conversations that ended, whether or not they are written by now."""

    @classmethod
    def after(cls, usage: Mapping[Role, Tally]) -> Self:
        """Return a new one, whose ledger counts on from what models did before."""
        return cls(Ledger(usage))


async def make_parts(
    root: Path,
    config: RolloutConfig,
    player: Player[P],
    parts: Sequence[Part],
    underway: Underway,
    stopped: Callable[[], bool] = lambda: False,
) -> int:
    """Write the shards `parts` and return how many were written before it was stopped.

    Raise BudgetError when models have used up what they may, UnreachableError when they cannot be reached.
    """
    streak = _Streak()

    async def play(job: P) -> Scored:
        found = await player.play(job)
        underway.finished += 1
        streak.see(found.trajectory)
        return found

    done = 0
    try:
        async with aclosing(in_order(player.jobs(parts, stopped), play, player.width)) as stream:
            for part in parts:
                if not await _write(root, config, player.size(part), part, stream):
                    break
                done += 1
    except BudgetReached as error:
        raise BudgetError(str(error)) from error
    streak.end()
    return done


async def _write(
    root: Path, config: RolloutConfig, size: int, part: Part, stream: AsyncGenerator[tuple[P, Scored]]
) -> bool:
    """Write one shard; return whether the stream held all of it."""
    try:
        with writing(root, part, footer_of(config, part)) as writer:
            for _ in range(size):
                job, scored = await anext(stream)
                if job.part != part:
                    raise RuntimeError(f"a conversation of {job.part} came where one of {part} belongs")
                writer.add(scored)
    except StopAsyncIteration:
        return False
    return True


async def in_order(jobs: Iterable[J], play: Callable[[J], Awaitable[T]], width: int) -> AsyncGenerator[tuple[J, T]]:
    """Yield each job with what playing it gave, in order, while up to `width` are played at once."""
    if width == 1:
        for job in jobs:
            yield job, await play(job)
        return
    gate = asyncio.Semaphore(width)

    async def gated(job: J) -> T:
        async with gate:
            return await play(job)

    waiting: deque[_Begun[J, T]] = deque()
    try:
        for job in jobs:
            waiting.append(_Begun(job, asyncio.create_task(gated(job))))
            if len(waiting) >= AHEAD * width:
                yield waiting[0].job, await waiting[0].task
                waiting.popleft()
        while waiting:
            yield waiting[0].job, await waiting[0].task
            waiting.popleft()
    finally:
        for begun in waiting:
            begun.task.cancel()
        await asyncio.gather(*(begun.task for begun in waiting), return_exceptions=True)


@dataclass(frozen=True, slots=True)
class _Begun(Generic[J, T]):
    job: J
    task: asyncio.Task[T]


@dataclass(slots=True)
class _Streak:
    """Conversations in a row, by their ends, for which a model could not be reached."""

    length: int = 0
    ever_reached: bool = False
    why: str = ""

    def see(self, trajectory: Trajectory) -> None:
        """Look at a conversation that ended. Raise UnreachableError when it is one too many."""
        if trajectory.end != "infrastructure_error":
            self.length, self.ever_reached = 0, True
            return
        self.length, self.why = self.length + 1, trajectory.end_detail
        if self.length >= PATIENCE:
            raise self._error()

    def end(self) -> None:
        """Raise UnreachableError when no conversation at all could be held."""
        if self.length and not self.ever_reached:
            raise self._error()

    def _error(self) -> UnreachableError:
        return UnreachableError(
            f"{self.why}\nFinished calls are kept: the same command goes on when this is put right."
        )
