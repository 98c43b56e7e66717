"""Real runs made block by block without Prefect, as `preview` makes them."""

from __future__ import annotations

import sys
from pathlib import Path

from flows.blocks import Made, make_block, make_world_shard
from flows.rows import Row
from flows.shards import read_rows, write_atomic
from flows.store import WORLD_FILE, footer_of, open_run
from schemas.config import RunConfig
from tests.flows.hollow import config_of

USERS, TASKS = 2, 13


_worlds: dict[str, tuple[bytes, Made]] = {}


def make_world(root: Path, config: RunConfig) -> Made:
    """Make the world of a run once for all runs of this process over the same one: it takes a verifier of its own."""
    key = footer_of(config, "worlds", None).key
    if key in _worlds:
        write_atomic(root / WORLD_FILE, _worlds[key][0])
    else:
        made = make_world_shard(root, config)
        _worlds[key] = (root / WORLD_FILE).read_bytes(), made
    return _worlds[key][1]


def make_run(root: Path, config: RunConfig) -> None:
    """Make everything that is missing of a run, in this process and its verifiers."""
    with open_run(root, config) as run:
        if WORLD_FILE not in run.entries:
            run.add(make_world(root, config).shards)
        for block in run.missing():
            for made in make_block(root, config, block):
                run.add(made.shards, made.extent)
        run.save()


def rows_of(root: Path, stage: str) -> list[Row]:
    return [row for file in sorted((root / stage).glob("*.parquet")) for row in read_rows(file)]


def by_id(root: Path, stage: str, name: str) -> dict[str, Row]:
    rows = rows_of(root, stage)
    found = {str(row[name]): row for row in rows}
    assert len(found) == len(rows)
    return found


if __name__ == "__main__":
    make_run(Path(sys.argv[1]), config_of(USERS, TASKS))
