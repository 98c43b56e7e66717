"""`pausegen release`: build and verify dataset releases."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flows.cli import verify
from flows.errors import ConfigError

if TYPE_CHECKING:
    import argparse

EXAMPLES = """\
examples:
  pausegen release build outputs/runs/quickstart --version 0.1.0 --out outputs/releases/quickstart-0.1.0
  pausegen release build outputs/runs/more --version 0.2.0 --out outputs/releases/more-0.2.0 \\
      --previous outputs/releases/quickstart-0.1.0
  pausegen release build outputs/runs/quickstart --version 0.3.0 --out outputs/releases/quickstart-0.3.0 \\
      --trajectories outputs/rollouts/quickstart-oracle outputs/rollouts/quickstart-openai-gpt-4o-mini
  pausegen release verify outputs/releases/quickstart-0.1.0
"""


def define(parser: argparse.ArgumentParser) -> None:
    """Declare the sub-commands and their options."""
    parser.description = "A release is a folder that `datasets.load_dataset` reads and that anyone can verify."
    parser.epilog = EXAMPLES
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    build = actions.add_parser("build", help="build a release from a run that is complete", allow_abbrev=False)
    build.set_defaults(command=run)
    build.add_argument("run", metavar="RUN", type=Path, help="folder of the run")
    build.add_argument("--version", metavar="X.Y.Z", required=True, help="semantic version of the release")
    build.add_argument("--out", metavar="DIR", type=Path, required=True, help="folder of the release")
    build.add_argument("--previous", metavar="DIR", type=Path, help="folder of the release before, for the changelog")
    build.add_argument(
        "--trajectories", metavar="DIR", type=Path, nargs="+", help="rollouts of this run, to be published with it"
    )
    verify.define(actions.add_parser("verify", help="the same as `pausegen verify`", allow_abbrev=False))


def run(options: argparse.Namespace) -> int:
    """Build a release and say what it holds."""
    from flows.folders import expect, expect_place
    from publishing.release import build_release
    from publishing.versions import is_version

    if not is_version(options.version):
        raise ConfigError(f"--version {options.version!r} is no semantic version; write it as 0.1.0")
    expect(options.run, "run")
    expect_place(options.out, "release")
    if options.previous is not None:
        expect(options.previous, "release")
    recorded = None
    if options.trajectories:
        from flows.rollouts import recorded_of

        recorded = recorded_of(options.trajectories, options.run)
    summary = build_release(options.run, options.version, options.out, options.previous, recorded=recorded)
    print(summary.text())
    print(f"\nnext:\n  pausegen verify {options.out}\n  read {options.out / 'README.md'}, which says how to load it")
    return 0
