"""`pausegen preview`: a few tasks right away, shown and thrown away."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from flows.config import resolve
from flows.errors import ConfigError

if TYPE_CHECKING:
    import argparse

    from schemas.config import RunConfig

MOST = 100
EXAMPLES = """\
examples:
  pausegen preview            3 tasks of the first user
  pausegen preview -n 20      as many as a user of the quickstart preset has
"""


def define(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "Make the first user and a few tasks, show them, and write no run. Needs no Prefect."
    parser.epilog = EXAMPLES
    parser.set_defaults(command=run)
    parser.add_argument("--preset", metavar="NAME", help="settings to start from (default quickstart)")
    parser.add_argument("-n", metavar="N", type=int, default=3, help="how many tasks (default 3)")


def run(options: argparse.Namespace) -> int:
    """Make and print the tasks, what was rejected, and how long the whole run would take."""
    if not 1 <= options.n <= MOST:
        raise ConfigError(f"-n wants a number from 1 to {MOST}, got {options.n}")
    whole = resolve(options.preset)
    config = whole.model_copy(update={"users": 1, "tasks_per_user": options.n})
    with tempfile.TemporaryDirectory(prefix="pausegen-preview-") as folder:
        print(_text(Path(folder) / "run", config, whole))
    return 0


def _text(root: Path, config: RunConfig, whole: RunConfig) -> str:
    from flows.blocks import make_block, make_world_shard
    from flows.cli.preview_text import projection, user_text
    from flows.garbage import relax_collector
    from flows.store import open_run

    relax_collector()
    with open_run(root, config) as run:
        run.add(make_world_shard(root, config).shards)
        started = time.monotonic()
        for block in run.missing():
            for made in make_block(root, config, block):
                run.add(made.shards, made.extent)
        seconds = time.monotonic() - started
        return user_text(run) + "\n" + projection(whole, config, seconds)
