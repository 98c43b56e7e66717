"""`pausegen export`: recorded conversations as files for training."""

from __future__ import annotations

import argparse
from pathlib import Path

from flows.errors import ConfigError

FORMATS = ("openai", "trl", "trl-preference")
EXAMPLES = """\
formats:
  openai           JSON lines for fine-tuning: messages and tools, arguments as JSON text
  trl              parquet for TRL's SFT: messages with arguments as objects, tools as JSON text; needs datasets >= 4.7
  trl-preference   parquet for DPO and the like: of one task, one that passed and one that failed, from where they part

Only conversations that were scored and ended by the user are exported; `openai` and `trl` take those that passed, and
leave out what calls a tool that was not offered or gives arguments that do not fit, unless the call is labelled
`mistake`: then what follows shows how to recover, and `openai` gives the call weight 0. Each row is read back from
the file and carried out again: results, acts of the user and end must be the same, or nothing is written.

examples:
  pausegen export outputs/rollouts/quickstart-oracle --format openai --out outputs/exports/quickstart
  pausegen export outputs/rollouts/quickstart-oracle --format trl --out sft.parquet
  pausegen export outputs/rollouts/good outputs/rollouts/bad --format trl-preference --out outputs/exports/pairs

A folder gets one file per split of the users, `train`, `validation` and `test`; a file gets all rows.
"""


def define(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "Write the conversations of one or more rollouts as training data."
    parser.epilog = EXAMPLES
    parser.set_defaults(command=run)
    parser.add_argument("rollouts", metavar="DIR", type=Path, nargs="+", help="folder of a rollout")
    parser.add_argument("--format", choices=FORMATS, required=True, help="see below")
    parser.add_argument("--out", metavar="PATH", type=Path, required=True, help="folder, or file with its suffix")
    parser.add_argument("--variant", metavar="NAME", help="only this variant of the oracle; `plain` for none")
    parser.add_argument("--limit", metavar="N", type=positive, help="at most N rows")
    parser.add_argument("--max-per-task", metavar="N", type=positive, help="at most N rows of one task")
    parser.add_argument("--run", metavar="DIR", type=Path, help="folder of the run or release, if it was moved")
    parser.add_argument("--no-check", action="store_true", help="do not carry out again what was written")


def positive(text: str) -> int:
    """Return a whole number of at least 1. Raise ArgumentTypeError for any other text."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number of at least 1")
    return int(text)


def run(options: argparse.Namespace) -> int:
    """Export and say what was written and what was left out."""
    from flows.folders import expect_place
    from flows.rollouts import Rollouts
    from flows.task_starts import TaskStarts
    from publishing.exports import Wanted, export
    from publishing.exports.files import SUFFIX

    wrong = options.out.suffix in set(SUFFIX.values()) - {SUFFIX[options.format]}
    if wrong:
        raise ConfigError(
            f"--out {options.out}: a file of the format {options.format} ends in {SUFFIX[options.format]}"
        )
    expect_place(options.out)
    rollouts = Rollouts(options.rollouts, options.run)
    variant = "" if options.variant == "plain" else options.variant
    wanted = Wanted(options.format, variant, options.limit, options.max_per_task)
    starts = None if options.no_check else TaskStarts(rollouts.source)
    report = export((trajectory for _, trajectory in rollouts.trajectories()), wanted, options.out, starts)
    print(
        "\n".join(
            [f"{options.out}: {line}" if not at else line for at, line in enumerate(report.lines(options.format))]
        )
    )
    return 0
