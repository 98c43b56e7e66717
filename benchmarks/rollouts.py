"""Scripted rollouts, scoring included: conversations per second and core, by phase, and flat memory."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections import defaultdict
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from benchmarks.block import block_run, temporary
from benchmarks.budget import Result, number
from benchmarks.memory import MOST_GROWTH
from benchmarks.timing import spending
from flows.garbage import relax_collector

if TYPE_CHECKING:
    from collections.abc import Generator
    from pathlib import Path

    from flows.rollout_shards import Scored, ShardWriter

PRESET = "shopping-1k"
CONVERSATIONS, ROUNDS = 1_000, 5
"""In so many rounds; the fastest counts, for whatever else a shared machine does only makes one slower."""
FLOOR = 100
"""Conversations per second and core."""
FEW, MANY = 200, 1_000
_PROGRAM = """
import resource, sys
from pathlib import Path
from benchmarks.rollouts import play
from flows.garbage import relax_collector

relax_collector()
play(Path(sys.argv[1]), Path(sys.argv[2]), int(sys.argv[3]))
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


def measure() -> list[Result]:
    """Return the figures of scripted rollouts."""
    run = block_run(PRESET).folder
    return [_rate(run), _memory(run)]


def play(run: Path, root: Path, conversations: int) -> int:
    """Play a block of a run as often as makes so many conversations, and return how many passed."""
    from flows.rollout_config import resolve
    from flows.rollout_engine import Underway, make_parts
    from flows.rollout_players import playing
    from flows.rollout_store import open_rollout
    from flows.rollout_tasks import blocks_of, open_tasks

    config = resolve(run)
    tasks = sum(blocks_of(open_tasks(run, config.subset), config.subset).values())
    config = resolve(run, options={"k": -(-conversations // tasks)})
    blocks = blocks_of(open_tasks(run, config.subset), config.subset)

    async def held() -> None:
        underway = Underway()
        async with playing(root, config, {part: blocks[part.block] for part in parts}, underway.ledger) as player:
            await make_parts(root, config, player, parts, underway)

    with open_rollout(root, config, blocks) as rollout:
        parts = rollout.missing()
        asyncio.run(held())
        rollout.collect(parts)
        return rollout.save().counts.passed


def _rate(run: Path) -> Result:
    # The first rollout loads code and data from disk; what is counted are those after it.
    relax_collector()
    play(run, temporary() / "rollout-first", 1)
    rounds = [_round(run, temporary() / f"rollout-{number}") for number in range(ROUNDS)]
    best = min(rounds, key=lambda one: one.each_s)
    passed, total = (sum(counts) for counts in zip(*((one.passed, one.total) for one in rounds), strict=True))
    mean = sum(one.each_s * one.total for one in rounds) / total
    shares = ", ".join(f"{name} {cost / best.total / best.each_s:.0%}" for name, cost in best.spent.items())
    limit = f"{passed} of {total} passed; {number(best.each_s * 1e3)} ms each in the fastest of {ROUNDS} rounds"
    details: dict[str, float | int | str] = {
        "ms_mean_of_rounds": round(1e3 * mean, 2),
        **{f"{name}_ms": round(1e3 * cost / best.total, 3) for name, cost in best.spent.items()},
    }
    return Result(
        "scripted conversations per second per core",
        "higher",
        FLOOR,
        1 / best.each_s,
        "/s",
        f"{limit} ({number(mean * 1e3)} in all): {shares}",
        details,
    )


@dataclass(frozen=True, slots=True)
class _Round:
    """A rollout and what it cost."""

    passed: int
    total: int
    each_s: float
    """CPU seconds of a conversation."""
    spent: dict[str, float]
    """CPU seconds by phase."""


def _round(run: Path, root: Path) -> _Round:
    spent: dict[str, float] = defaultdict(float)
    with _phases(spent), spending() as whole:
        passed = play(run, root, CONVERSATIONS // ROUNDS)
    spent["loading"] = whole.own_s - sum(spent.values())
    total = sum(1 for _ in _read(root))
    return _Round(passed, total, whole.own_s / total, spent)


def _read(root: Path) -> Generator[Any]:
    from flows.rollout_store import read_rollout

    yield from read_rollout(root)


@contextmanager
def _phases(spent: dict[str, float]) -> Generator[None]:
    """Add what conversing, scoring and writing take to `spent` while this context lasts."""
    import flows.rollout_engine
    import flows.rollout_players
    import flows.rollout_shards

    converse, scored, add = (
        flows.rollout_players.converse,
        flows.rollout_players.scored,
        flows.rollout_shards.ShardWriter.add,
    )

    async def timed_converse(*given: Any, **named: Any) -> Any:  # noqa: ANN401  # whatever it takes and gives
        with spending() as cost:
            found = await converse(*given, **named)
        spent["conversing"] += cost.own_s
        return found

    def timed_scored(*given: Any) -> Any:  # noqa: ANN401
        with spending() as cost:
            found = scored(*given)
        spent["scoring"] += cost.own_s
        return found

    def timed_add(self: ShardWriter, scored: Scored) -> None:
        with spending() as cost:
            add(self, scored)
        spent["writing"] += cost.own_s

    flows.rollout_players.converse = timed_converse
    flows.rollout_players.scored = timed_scored
    flows.rollout_shards.ShardWriter.add = timed_add
    try:
        yield
    finally:
        flows.rollout_players.converse = converse
        flows.rollout_players.scored = scored
        flows.rollout_shards.ShardWriter.add = add


def _memory(run: Path) -> Result:
    few, many = (_peak_mib(run, amount) for amount in (FEW, MANY))
    limit = f"{few:.0f} MiB at {FEW} conversations, {many:.0f} MiB at {MANY}: one block of tasks, its world, imports"
    return Result(f"memory at {MANY} conversations / at {FEW}", "lower", MOST_GROWTH, many / few, "", limit)


def _peak_mib(run: Path, conversations: int) -> float:
    root = temporary() / f"rollout-{conversations}"
    command = [sys.executable, "-P", "-c", _PROGRAM, str(run), str(root), str(conversations)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return int(done.stdout.split()[-1]) / 1024
