"""Users without tasks: environments made and checked per second, what one takes on disk, and how fast it opens."""

from __future__ import annotations

from functools import partial
from statistics import median
from typing import TYPE_CHECKING

from benchmarks.block import temporary
from benchmarks.budget import Result, number
from benchmarks.timing import cpu_per_call, spending
from flows.blocks import judging, make_block, make_world_shard, stored_world
from flows.config import resolve
from flows.garbage import relax_collector
from flows.store import open_run
from publishing.parquet import read_rows
from services import open_environment

if TYPE_CHECKING:
    from pathlib import Path

PRESET = "environments-200"
USERS = 30
WARM = 10
"""Users made before: what a verifier process compiles once is no cost of a user."""


def measure() -> list[Result]:
    """Return all figures of environments."""
    folder = temporary() / PRESET
    rate = _made(folder)
    return [rate, _size(folder), _loaded(folder)]


def _made(folder: Path) -> Result:
    relax_collector()
    config = resolve(PRESET, options={"users": WARM + USERS})
    with open_run(folder, config) as run:
        run.add(make_world_shard(folder, config).shards)
        with spending() as start, judging(folder, config, 0) as judge:
            warm, *others = run.missing()
            for made in make_block(folder, config, warm, judge=judge):
                run.add(made.shards, made.extent)
        with spending() as spent, judging(folder, config, 1) as judge:
            for block in (warm, *others):
                for made in make_block(folder, config, block, judge=judge):
                    run.add(made.shards, made.extent)
        run.save()
        kept = run.amount()
    if kept.kept != kept.wanted:
        msg = f"{kept.text()} passed"
        raise RuntimeError(msg)
    own, checking = (spent.own_s - start.own_s) / USERS, (spent.children_s - start.children_s) / USERS
    limit = f"{own * 1e3:.0f} ms to make and write one, {checking * 1e3:.0f} ms to make it again and check it"
    details: dict[str, float | int | str] = {"make_s": round(own, 4), "check_s": round(checking, 4)}
    return Result("environments per second per core", "higher", 10, 1 / (own + checking), "/s", limit, details)


def _size(folder: Path) -> Result:
    stages = ("users", "environments", "rejects", "tasks")
    sizes = {stage: sum(file.stat().st_size for file in (folder / stage).glob("*.parquet")) for stage in stages}
    each = {stage: size / (WARM + USERS) / 1_000 for stage, size in sizes.items()}
    limit = f"{each['environments']:.0f} kB with a month of minutes, worlds apart"
    return Result("one environment on disk", "lower", 250, sum(each.values()), "kB", limit)


def _loaded(folder: Path) -> Result:
    """Open published rows of several users."""
    world = stored_world(folder)
    rows = [row for path in sorted((folder / "environments").glob("*.parquet")) for row in read_rows(path)][:WARM]
    open_environment(rows[0], world)
    costs = [cpu_per_call(partial(open_environment, row, world)) * 1e3 for row in rows]
    limit = f"records validated and hashed, arrays opened and compared; slowest of {WARM} {number(max(costs))} ms"
    return Result("load one environment with its arrays", "lower", 20, median(costs), "ms", limit)
