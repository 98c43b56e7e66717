"""`pausegen schemas`: the JSON Schemas of all records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flows.errors import PausegenError

if TYPE_CHECKING:
    import argparse


def define(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "Write the JSON Schema of every record below schemas/json, derived from the models."
    parser.set_defaults(command=run)
    parser.add_argument("--check", action="store_true", help="write nothing; fail when a file is not up to date")


def run(options: argparse.Namespace) -> int:
    """Write the schemas, or raise PausegenError when `--check` finds one that differs."""
    from flows.json_schemas import FOLDER, stale, write

    if not options.check:
        for file in write():
            print(file)
        return 0
    differing = stale()
    if differing:
        names = ", ".join(sorted(differing))
        raise PausegenError(f"not up to date in {FOLDER}: {names}\nRun `pausegen schemas` and commit the result.")
    return 0
