"""`pausegen leaderboard`: rollouts side by side."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

EXAMPLES = """\
examples:
  pausegen leaderboard outputs/rollouts/*
  pausegen leaderboard outputs/rollouts/quickstart-* --csv board.csv --plot board.png
"""


def define(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "Figures of several rollouts in one table, the best first, with 95 % confidence intervals."
    parser.epilog = EXAMPLES
    parser.set_defaults(command=run)
    parser.add_argument("rollouts", metavar="DIR", type=Path, nargs="+", help="folders of rollouts")
    parser.add_argument("--csv", metavar="FILE", type=Path, help="write all columns there")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="write a plot there (needs the extra `plots`)")


def run(options: argparse.Namespace) -> int:
    """Print the table, and write what is asked for."""
    from flows.rollout_leaderboard import csv_text, plot, print_board, rows_of

    rows = rows_of(options.rollouts)
    print_board(rows)
    if options.csv is not None:
        from flows.shards import write_atomic

        write_atomic(options.csv, csv_text(rows).encode())
        print(f"written: {options.csv}")
    if options.plot is not None:
        plot(rows, options.plot)
        print(f"written: {options.plot}")
    return 0
