"""`python -m benchmarks`: one table of budgets and what was measured; exit code 1 when one is missed."""

from __future__ import annotations

import argparse
import json
import sys
import traceback
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.budget import Result, render
from benchmarks.machine import machine

if TYPE_CHECKING:
    from collections.abc import Sequence

PARTS = ("runtime", "wearables", "environments", "pipeline", "memory", "orchestration", "models", "rollouts")
"""Modules of this package that measure something, in the order of the table."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print the table and return the exit code: 1 when a budget is missed or a part cannot be measured."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", choices=PARTS, action="append", help="measure this part only; may be repeated")
    parser.add_argument("--json", metavar="FILE", type=Path, help="write all figures to FILE as JSON")
    options = parser.parse_args(arguments)
    results: list[Result] = []
    failed: list[str] = []
    for part in options.only or PARTS:
        print(f"measuring: {part}", file=sys.stderr, flush=True)
        try:
            results.extend(import_module(f"benchmarks.{part}").measure())
        except Exception:
            # What the other parts measured in minutes is shown all the same.
            traceback.print_exc()
            failed.append(part)
    print(render(results))
    print(f"machine: {machine()}")
    if options.json:
        options.json.write_text(json.dumps([result.as_json() for result in results], indent=2) + "\n", "utf-8")
    if failed:
        print(f"could not measure: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed or any(result.missed for result in results) else 0


if __name__ == "__main__":
    sys.exit(main())
