"""A preset or its first block, made once and measured by others: candidates, verifier process, shards."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.timing import Spent, spending
from flows.blocks import judging, make_block, make_world_shard, stored_world
from flows.config import resolve
from flows.extents import BLOCK
from flows.garbage import relax_collector
from flows.places import UNBOUND
from flows.store import WORK, open_run
from flows.verifying import verifier
from generators.environments import folder_inputs
from generators.tasks.quota import installed_intents
from schemas.base import canonical

if TYPE_CHECKING:
    from schemas.config import RunConfig


@dataclass(frozen=True, slots=True)
class BlockRun:
    """A finished run of one block, or of all blocks of a preset, and what it cost."""

    folder: Path
    config: RunConfig
    kept: int
    candidates: int
    """Tasks that were made and validated."""
    passed: int
    """Of `candidates`: those that passed every check, whether selection then kept them or left them as surplus."""
    spent: Spent
    """For all blocks, without the world."""
    start: Spent
    """Of `spent`: the start of a verifier process until it knows the world."""


@cache
def temporary() -> Path:
    """Return a folder for this process, removed when it ends."""
    folder = Path(tempfile.mkdtemp(prefix="pausegen-bench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def block_run(preset: str = "quickstart") -> BlockRun:
    """Make the first block of a preset without Prefect, once."""
    config = resolve(preset)
    return _run(preset, min(config.users, BLOCK), 0)


def whole_run(preset: str, number: int) -> BlockRun:
    """Make all of a preset without Prefect, in one process and its verifier; `number` tells repetitions apart."""
    return _run(preset, resolve(preset).users, number)


@cache
def _run(preset: str, users: int, number: int) -> BlockRun:
    # As `generate` does before it starts.
    relax_collector()
    config = resolve(preset).model_copy(update={"users": users})
    folder = temporary() / f"{preset}-{users}-{number}"
    with open_run(folder, config) as run:
        run.add(make_world_shard(folder, config).shards)
        # Plugins are read beforehand: a process does that once for all its blocks.
        folder_inputs()
        installed_intents()
        # The first start reads the packages from disk; what is counted is the second one.
        start = _start(folder, config)
        with spending() as spent, judging(folder, config, 0) as judge:
            for block in run.missing():
                for made in make_block(folder, config, block, judge=judge):
                    run.add(made.shards, made.extent)
        run.save()
        funnel, kept = run.funnel(), run.kept_tasks()
    made = funnel.of("tasks")
    return BlockRun(folder, config, kept, made.made - made.reasons.get(UNBOUND, 0), made.kept, spent, start)


def users_of(config: RunConfig) -> range:
    """Return the users of the one block. Raise ValueError when there are more."""
    if config.users > BLOCK:
        msg = f"{config.users} users are more than one block of {BLOCK}"
        raise ValueError(msg)
    return range(config.users)


def _start(folder: Path, config: RunConfig) -> Spent:
    line = canonical(stored_world(folder))
    with spending() as spent, verifier(folder / WORK, config.seed, 0) as judge:
        judge.ask("world", "world.jsonl", [line])
        judge.answers()
    return spent
