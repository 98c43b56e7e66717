"""`pausegen show`: one user of a run as a person reads it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flows.errors import ConfigError

if TYPE_CHECKING:
    import argparse

EXAMPLES = """\
examples:
  pausegen show outputs/runs/environments-200 u000003
  pausegen show outputs/runs/environments-200 3 --plot weeks.png
"""


def define(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "One user's life as Markdown: profile, devices, weeks, workouts, nights, meals, care, orders."
    parser.epilog = EXAMPLES
    parser.set_defaults(command=run)
    parser.add_argument("run", metavar="RUN", type=Path, help="folder of a run")
    parser.add_argument("user", metavar="USER", help="id such as u000003, or index")
    parser.add_argument("--plot", metavar="FILE", type=Path, help="write a picture of the user's weeks, as PNG")


def run(options: argparse.Namespace) -> int:
    """Print the life, and draw the weeks if asked for."""
    from flows.folders import expect
    from publishing.people import find_person, life, plot_weeks, world_of

    expect(options.run, "run")
    if options.plot is not None and options.plot.suffix.lower() != ".png":
        raise ConfigError(f"--plot {options.plot} has to end in .png")
    person = find_person(options.run, options.user)
    print(life(person, world_of(options.run)))
    if options.plot is not None:
        print(f"\n![weeks]({plot_weeks(person, options.plot)})")
    return 0
