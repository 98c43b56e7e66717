"""`pausegen explain`: one task, or one conversation about it, as a person reads it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flows.errors import ConfigError

if TYPE_CHECKING:
    import argparse

EXAMPLES = """\
examples:
  pausegen explain outputs/runs/quickstart                                     a gallery of tasks
  pausegen explain outputs/runs/quickstart u000000-t00003
  pausegen explain outputs/rollouts/quickstart-oracle                          a conversation of each kind
  pausegen explain outputs/rollouts/quickstart-oracle u000000-t00003-k00
"""


def define(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = (
        "Of a run: what was asked, why each step, what must hold at the end, and what was proven. Of a rollout: who "
        "said and did what, what changed, and the score. As Markdown."
    )
    parser.epilog = EXAMPLES
    parser.set_defaults(command=run)
    parser.add_argument("run", metavar="DIR", type=Path, help="folder of a run or of a rollout")
    parser.add_argument("name", metavar="ID", nargs="?", help="of a task or trajectory; left out: a choice of them")
    parser.add_argument("--tasks", metavar="N", type=int, default=20, help="tasks of the gallery (default 20)")


def run(options: argparse.Namespace) -> int:
    """Print the task or the conversation."""
    from flows.folders import expect
    from flows.rollout_shards import STAGE

    expect(options.run, "run", "rollout")
    print(_conversation(options) if (options.run / STAGE).is_dir() else _task(options))
    return 0


def _task(options: argparse.Namespace) -> str:
    from publishing.explain import explain
    from publishing.gallery import find_task, gallery

    if options.name is None:
        return gallery(options.run, options.tasks)
    return explain(*find_task(options.run, options.name))


def _conversation(options: argparse.Namespace) -> str:
    from flows.rollout_store import read_rollout, rollout_at
    from publishing.conversation import conversation
    from publishing.conversations import conversations

    if options.name is None:
        return conversations(read_rollout(options.run))
    found = next((one for one in read_rollout(options.run) if one.trajectory_id == options.name), None)
    if found is None:
        raise ConfigError(
            f"{options.run} has no trajectory {options.name!r} among its {rollout_at(options.run).counts.trajectories};"
            f" they are named like u000000-t00003-k00, and `pausegen explain {options.run}` shows some"
        )
    return conversation(found)
