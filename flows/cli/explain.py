"""`pausegen explain`: one task as a person reads it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flows.errors import ConfigError

if TYPE_CHECKING:
    import argparse


def define(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "What was asked, why each step, what must hold at the end, and what was proven, as Markdown."
    parser.set_defaults(command=run)
    parser.add_argument("run", metavar="RUN", type=Path, help="folder of a run")
    parser.add_argument("task_id", metavar="TASK_ID", nargs="?", help="such as u000000-t00003; left out: a gallery")
    parser.add_argument("--tasks", metavar="N", type=int, default=20, help="tasks of the gallery (default 20)")


def run(options: argparse.Namespace) -> int:
    """Print the task."""
    from publishing.explain import explain
    from publishing.gallery import find_task, gallery

    if not options.run.is_dir():
        raise ConfigError(f"there is no folder {options.run}; a run is made by `pausegen generate`")
    if options.task_id is None:
        print(gallery(options.run, options.tasks))
    else:
        print(explain(*find_task(options.run, options.task_id)))
    return 0
