"""`pausegen evaluate`: score a rollout again from its recorded calls and messages."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

EXAMPLES = """\
Carries out every recorded call again from the task's start, reads the answers again, and compares the scores with the
stored ones, which count for nothing. Prints one line per difference; exit code 1 when there are any.

examples:
  pausegen evaluate outputs/rollouts/quickstart-oracle
  pausegen evaluate outputs/rollouts/quickstart-oracle --write     put the new scores in place of the stored ones
  pausegen evaluate elsewhere/quickstart-oracle --run elsewhere/quickstart
"""


def define(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "Score a rollout again by execution, and say what differs from the stored scores."
    parser.epilog = EXAMPLES
    parser.set_defaults(command=run)
    parser.add_argument("rollout", metavar="DIR", type=Path, help="folder of a rollout")
    parser.add_argument("--run", metavar="RUN", type=Path, help="where the run lies by now, if it was moved")
    parser.add_argument("--write", action="store_true", help="put the new scores in place of the stored ones")


def run(options: argparse.Namespace) -> int:
    """Score again, print the differences and the figures, and write the summary."""
    from flows.garbage import relax_collector
    from flows.rollout_evaluate import SHOWN, evaluate
    from flows.rollout_report import print_summary
    from flows.rollout_summary import summarize, write_summary

    relax_collector()
    found = evaluate(options.rollout, options.run, write=options.write)
    for line in found.lines:
        print(line)
    if len(found.lines) == SHOWN:
        print("… and perhaps more")
    if options.write or not found.differing:
        summary = summarize(options.rollout)
        write_summary(options.rollout, summary)
        print_summary(summary)
    same = found.trajectories - found.differing
    print(f"\nevaluated {found.trajectories} trajectories: {same} scored as stored, {found.differing} differently")
    if found.differing and options.write:
        print("the new scores are written")
    return 1 if (found.differing and not options.write) or found.counts.faulty else 0
