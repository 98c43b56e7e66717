"""`pausegen inspect`: a run in figures."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse


def define(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "How many tasks of which kind, what the checks rejected and why, how strong they are."
    parser.set_defaults(command=run)
    parser.add_argument("run", metavar="RUN", type=Path, help="folder of a run")
    parser.add_argument("--json", action="store_true", help="all figures as one JSON object")


def run(options: argparse.Namespace) -> int:
    """Print the figures."""
    from flows.folders import expect
    from publishing.inspect import inspect_run, render_text

    expect(options.run, "run")
    figures = inspect_run(options.run)
    print(json.dumps(figures, indent=2) if options.json else render_text(figures))
    return 0
