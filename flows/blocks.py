"""Makes one block of a run: candidates in this process, verdicts from another one, selection, shards.

What a user gets depends on the root seed, the user's index, the content configuration and what the users before it in
its block were given, never on the extent in which it is made: candidates, the groups in which they are checked and the
order of selection are fixed per user and round.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from flows.earlier import Earlier, stored_before
from flows.errors import StoreError
from flows.extents import BLOCK, PER_TASK_STAGES, Extent
from flows.funnel import Funnel, tally
from flows.inputs import given_of, personas_of, world_of
from flows.people import People, make_people, read_people, tell_earlier
from flows.rounds import Filled, Maker, fill_rounds
from flows.rows import Row, from_row, to_row
from flows.shards import Entry, read_rows, write_shard
from flows.store import WORK, WORLD_FILE, companions, footer_of, is_complete
from flows.verifying import Verifier, fault_of, verifier
from generators.tasks import Share
from schemas.base import Json, canonical, plain
from schemas.world import World

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Sequence
    from pathlib import Path

    from schemas.config import RunConfig

_WORLD_LINES, _BLOCK_LINES = "world.jsonl", "block.jsonl"


@dataclass(frozen=True, slots=True)
class Made:
    """The shards of one extent, or of the world, after they were written."""

    extent: Extent | None
    shards: list[tuple[Entry, Funnel | None]]


def make_world_shard(root: Path, config: RunConfig) -> Made:
    """Make, verify and write the world of a run. Raise StoreError when a check on it fails: nothing can stand on it."""
    world, _ = world_of(config)
    with verifier(root / WORK, config.seed, BLOCK) as judge:
        verdicts = _tell_world(judge, world)
    check, reason = fault_of(verdicts)
    if check:
        what = config.catalogue.path if config.catalogue else f"seed {config.seed} with {config.products} products"
        raise StoreError(f"the world of {what} fails {check}: {reason}")
    funnel = Funnel(stages=[tally("worlds", 1, [])])
    row = to_row("worlds", cast("dict[str, Json]", plain(world)), verdicts=verdicts)
    return Made(None, [(write_shard(root, WORLD_FILE, [row], footer_of(config, "worlds", None, funnel)), funnel)])


@contextmanager
def judging(root: Path, config: RunConfig, label: int) -> Generator[Verifier]:
    """Yield a verifier process that knows the world of a run, for any number of its blocks.

    Starting one costs as much as judging dozens of tasks, and what it has compiled serves all blocks.
    """
    with verifier(root / WORK, config.seed, label) as judge:
        _tell_world(judge, stored_world(root))
        yield judge


def make_block(
    root: Path,
    config: RunConfig,
    extents: Sequence[Extent],
    stopped: Callable[[], bool] = lambda: False,
    judge: Verifier | None = None,
) -> Iterator[Made]:
    """Make the extents of one block in order, each yielded when its shards are written, until `stopped()` is true.

    All are judged by one verifier process: the one given, which knows the world, or one of their own. Raise
    InfrastructureError when it fails, StoreError when a file does.
    """
    if judge is None:
        with judging(root, config, extents[0].block) as own:
            yield from make_block(root, config, extents, stopped, own)
        return
    judge.ask("block", _BLOCK_LINES, [canonical({"block": extents[0].block})])
    judge.answers()
    maker = Maker(config.seed, stored_world(root), judge, share_of(config))
    earlier = stored_before(root, extents[0].block)
    for extent in extents:
        if stopped():
            return
        yield _make_extent(root, config, extent, maker, earlier)


def share_of(config: RunConfig) -> Share:
    """Return what share of a run's tasks is of which kind."""
    return Share(config.twins, config.variations, config.multi_intent_percent)


def stored_world(root: Path) -> World:
    """Return the world of a run."""
    file = root / WORLD_FILE
    return _world_at(file, file.stat().st_mtime_ns)


@lru_cache(maxsize=4)
def _world_at(file: Path, _changed: int) -> World:
    (row,) = read_rows(file)
    return World.model_validate(from_row("worlds", row)[0])


def _make_extent(root: Path, config: RunConfig, extent: Extent, maker: Maker, earlier: Earlier) -> Made:
    block = range(extent.block * BLOCK, extent.first)
    tell_earlier(maker.judge, read_people(root, extent.block, block))
    new = extent.start == 0 and not (extent.tasks and is_complete(root, extent.alone))
    if new:
        sources = personas_of(config), given_of(config)
        people = make_people(config.seed, extent.users, maker.world, maker.judge, *sources)
    else:
        people = People(kept=read_people(root, extent.block, extent.users))
        tell_earlier(maker.judge, people.kept)
    filled = fill_rounds(maker, extent, people.kept, earlier)
    return Made(extent, _write(root, config, extent, people if new else None, filled))


def _write(
    root: Path, config: RunConfig, extent: Extent, new: People | None, filled: Filled
) -> list[tuple[Entry, Funnel | None]]:
    """Write the shards of an extent, the one that makes it complete last, and those of its users if they are `new`."""
    people = new or People()
    funnel = Funnel(stages=[*(new.counts() if new else ()), *filled.counts()])
    rows: dict[str, list[Row]] = {
        "users": people.users,
        "environments": people.environments,
        "rejects": [*people.rejects, *filled.rejects],
        "tasks": filled.tasks,
    }
    written: list[tuple[Entry, Funnel | None]] = []
    for path in companions(extent) if new else companions(extent)[-len(PER_TASK_STAGES) :]:
        stage = path.partition("/")[0]
        counts = funnel if stage == "tasks" else None
        written.append((write_shard(root, path, rows[stage], footer_of(config, stage, extent, counts)), counts))
    return written


def _tell_world(judge: Verifier, world: World) -> Json:
    judge.ask("world", _WORLD_LINES, [canonical(world)])
    return judge.answers()[0]["verdicts"]
