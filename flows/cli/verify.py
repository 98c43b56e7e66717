"""`pausegen verify`: is what stands in these files true?"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse

EXAMPLES = """\
Reads nothing but the files: compares all checksums, then runs every check again in a new process, with every gold plan
executed, and compares each verdict and count with the stored certificate. Prints `verified N of N`; exit code 1 and
one line per fault otherwise, with the record and the check.

examples:
  pausegen verify outputs/runs/quickstart
  pausegen verify outputs/releases/quickstart-0.1.0 --fast
"""


def define(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "Check a run or a release from its files alone."
    parser.epilog = EXAMPLES
    parser.set_defaults(command=run)
    parser.add_argument("path", metavar="PATH", type=Path, help="folder of a run or of a release")
    parser.add_argument("--fast", action="store_true", help="checksums and gold plans only, not the other checks")


def run(options: argparse.Namespace) -> int:
    """Verify in a new process, which imports nothing that this one has loaded or changed."""
    from flows.folders import expect

    expect(options.path, "run", "release")
    command = [
        sys.executable,
        "-P",
        "-m",
        "flows.verification",
        str(options.path.resolve()),
        *(["--fast"] * options.fast),
    ]
    sys.stdout.flush()
    return subprocess.run(command, check=False, env={**os.environ, "PYTHONHASHSEED": "77"}).returncode
