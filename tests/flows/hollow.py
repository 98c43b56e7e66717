"""Runs whose shards are real but hold few or no rows: what the store does depends on files, not on what is in them."""

from __future__ import annotations

from pathlib import Path

from flows.config import resolve
from flows.extents import Extent
from flows.funnel import Funnel, tally
from flows.rows import Row, to_row
from flows.shards import write_shard
from flows.store import WORLD_FILE, RunFolder, companions, footer_of, open_run
from generators.profiles import make_profile
from schemas.config import RunConfig


def config_of(users: int = 8, tasks: int = 20, *assignments: str) -> RunConfig:
    return resolve("quickstart", None, {"users": users, "tasks_per_user": tasks}, assignments)


def profile_rows(extent: Extent) -> list[Row]:
    return [to_row("users", make_profile(1, user).model_dump(mode="json"), verdicts=[]) for user in extent.users]


def write_world(run: RunFolder) -> None:
    funnel = Funnel(stages=[tally("worlds", 1, [])])
    run.add([(write_shard(run.root, WORLD_FILE, [], footer_of(run.config, "worlds", None, funnel)), funnel)])


def write_extent(run: RunFolder, extent: Extent, files: int = 4) -> None:
    """Write the first `files` shards of an extent, as a process does that is killed after them."""
    funnel = Funnel(stages=[tally("tasks", 2, ["task.x"])])
    made = []
    for path in companions(extent)[:files]:
        stage = path.partition("/")[0]
        rows = profile_rows(extent) if stage == "users" else []
        counts = funnel if stage == "tasks" else None
        made.append((write_shard(run.root, path, rows, footer_of(run.config, stage, extent, counts)), counts))
    if files >= len(companions(extent)):
        run.add(made, extent)


def make_run(root: Path, config: RunConfig) -> None:
    """Make everything that is missing of a run."""
    with open_run(root, config) as run:
        write_world(run)
        for block in run.missing():
            for extent in block:
                write_extent(run, extent)
        run.save()


def contents(root: Path) -> dict[str, bytes]:
    return {str(file.relative_to(root)): file.read_bytes() for file in sorted(root.rglob("*")) if file.is_file()}
