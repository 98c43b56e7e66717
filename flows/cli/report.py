"""`pausegen report`: how what the users of a run are and do is distributed, with plots."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flows.errors import ConfigError

if TYPE_CHECKING:
    import argparse

EXAMPLES = """\
Computed from the published tables and arrays alone, and written as Markdown with PNG pictures beside it.

examples:
  pausegen report outputs/runs/environments-200
  pausegen report outputs/runs/environments-200 --compare exports     beside the daily files of real wearers
"""


def define(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "Distributions over the users of a run, with plots."
    parser.epilog = EXAMPLES
    parser.set_defaults(command=run)
    parser.add_argument("run", metavar="RUN", type=Path, help="folder of a run")
    parser.add_argument("--compare", metavar="DIR", type=Path, help="folder with daily files of real wearers")
    parser.add_argument("--out", metavar="DIR", type=Path, help="folder of the report (default RUN/report)")


def run(options: argparse.Namespace) -> int:
    """Write the report and say where it is."""
    from flows.folders import expect
    from flows.inputs import in_settings
    from publishing.people import write_report

    expect(options.run, "run")
    if options.compare is not None and not options.compare.is_dir():
        raise ConfigError(f"there is no folder {options.compare}; --compare wants one with daily files of wearers")
    with in_settings():
        path = write_report(options.run, options.out or options.run / "report", options.compare)
    print(path)
    return 0
