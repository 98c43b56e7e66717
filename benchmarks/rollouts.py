"""Scripted rollouts, scoring included: conversations per second and core, by phase, and flat memory."""

from __future__ import annotations

import asyncio
import subprocess
import sys
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
"""In rounds of the same; of each conversation the least counts, for what else a machine does only adds to it."""
PHASES = ("conversing", "scoring", "writing", "loading")
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
    rounds = [_round(run, temporary() / f"rollout-{number}", CONVERSATIONS // ROUNDS) for number in range(ROUNDS)]
    passed, total = sum(one.passed for one in rounds), sum(one.total for one in rounds)
    least = {phase: sum(map(min, zip(*(one.spent[phase] for one in rounds), strict=True))) for phase in PHASES}
    each = sum(least.values()) / rounds[0].total
    mean = sum(sum(map(sum, one.spent.values())) for one in rounds) / total
    shares = ", ".join(f"{phase} {cost / rounds[0].total / each:.0%}" for phase, cost in least.items())
    limit = f"{passed} of {total} passed; {number(each * 1e3)} ms each ({number(mean * 1e3)} with all disturbance)"
    details: dict[str, float | int | str] = {
        "ms_with_disturbance": round(1e3 * mean, 2),
        **{f"{phase}_ms": round(1e3 * cost / rounds[0].total, 3) for phase, cost in least.items()},
    }
    name = "scripted conversations per second per core"
    return Result(name, "higher", FLOOR, 1 / each, "/s", f"{limit}: {shares}", details)


@dataclass(frozen=True, slots=True)
class _Round:
    """A rollout and what it cost."""

    passed: int
    total: int
    spent: dict[str, list[float]]
    """CPU seconds by phase: of each conversation, and of all that is done once for them, as loading."""


def _round(run: Path, root: Path, conversations: int) -> _Round:
    spent: dict[str, list[float]] = {phase: [] for phase in PHASES}
    with _phases(spent), spending() as whole:
        passed = play(run, root, conversations)
    spent["loading"].append(whole.own_s - sum(map(sum, spent.values())))
    return _Round(passed, sum(1 for _ in _read(root)), spent)


def _read(root: Path) -> Generator[Any]:
    from flows.rollout_store import read_rollout

    yield from read_rollout(root)


@contextmanager
def _phases(spent: dict[str, list[float]]) -> Generator[None]:
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
        spent["conversing"].append(cost.own_s)
        return found

    def timed_scored(*given: Any) -> Any:  # noqa: ANN401
        with spending() as cost:
            found = scored(*given)
        spent["scoring"].append(cost.own_s)
        return found

    def timed_add(self: ShardWriter, scored: Scored) -> None:
        with spending() as cost:
            add(self, scored)
        spent["writing"].append(cost.own_s)

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
