"""`pausegen generate`: make, resume or grow a run."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, cast

from flows.config import preset_names, resolve
from flows.errors import ConfigError, ShortageError
from schemas.config import INPUT_FIELDS

if TYPE_CHECKING:
    import argparse

    from flows.manifest import Manifest
    from schemas.base import Json
    from schemas.config import RunConfig

EXAMPLES = """\
examples:
  pausegen generate                                     8 users of the preset quickstart
  pausegen generate --users 60 --workers 2              more users, two at a time
  pausegen generate --config my.yaml --out runs/mine    your own settings and folder
  pausegen generate --set products=500 --seed 7 --out runs/seven
  pausegen generate --catalogue shop.json --personas people.jsonl --wearables exports --out runs/ours

Typing the same command again resumes a run that was stopped. More --users or --tasks-per-user grow it: what is there
stays as it is. Any other change needs another --out, or --fresh, which deletes the files of the run first.
Set PREFECT_API_URL to see the run in a Prefect server of yours; without it a temporary one is used.
"""
_OPTIONS = ("users", "tasks_per_user", "seed", "workers", "out", "catalogue", "personas", "wearables")


def define(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "Make users, their environments and verified tasks. Works offline, without any key."
    parser.epilog = EXAMPLES
    parser.set_defaults(command=run)
    presets = ", ".join(preset_names())
    parser.add_argument("--preset", metavar="NAME", help=f"settings to start from: {presets} (default quickstart)")
    parser.add_argument("--config", metavar="FILE", type=Path, help="YAML file with settings, instead of a preset")
    parser.add_argument("--users", metavar="N", type=int, help="how many users")
    parser.add_argument("--tasks-per-user", metavar="N", type=int, help="how many tasks to keep for each user, or 0")
    parser.add_argument("--seed", metavar="N", type=int, help="root seed of everything that is drawn")
    parser.add_argument("--workers", metavar="N", type=int, help="processes side by side (default 1)")
    parser.add_argument("--out", metavar="DIR", help="folder of the run (default outputs/runs/<preset>)")
    parser.add_argument("--catalogue", metavar="FILE", help="your own product catalogue, JSON or CSV")
    parser.add_argument("--personas", metavar="FILE", help="descriptions of persons, JSON lines, one a user")
    parser.add_argument("--wearables", metavar="DIR", help="folder with exports of wearers, by the minute and day")
    parser.add_argument(
        "--set",
        metavar="KEY=VALUE",
        nargs="+",
        action="extend",
        default=[],
        help="any other setting",
    )
    parser.add_argument("--fresh", action="store_true", help="delete the files of this run and start anew")


def run(options: argparse.Namespace) -> int:
    """Make what is missing and show the funnel. Raise ShortageError when there are fewer tasks than asked for."""
    given = {name: cast("Json", getattr(options, name)) for name in _OPTIONS if getattr(options, name) is not None}
    config = resolve(options.preset, options.config, given, options.set)
    logging.getLogger("flows").setLevel(config.logging.level.upper())
    root = folder_of(config)
    if config.rewriting is not None:
        from flows.store import REWRITTEN

        raise ConfigError(f"the configuration is that of a rewritten run.\n{REWRITTEN}")
    manifest = _make(root, config, fresh=options.fresh)
    from flows.cli.funnel_table import print_result

    amount = print_result(root, config, manifest)
    if amount.kept < amount.wanted:
        fewer = "Ask for fewer tasks per user, or try" if config.tasks_per_user else "Try"
        raise ShortageError(
            f"{amount.text()} passed after all candidates; the others are in {root / 'rejects'} with reasons.\n"
            f"{fewer} another --seed."
        )
    return 0


def folder_of(config: RunConfig) -> Path:
    """Return the folder of a run."""
    return Path(config.out) if config.out else Path("outputs") / "runs" / config.preset


def _make(root: Path, config: RunConfig, *, fresh: bool) -> Manifest:
    from flows.store import known_at, manifest_of, open_run

    if any(config.input_file(name) for name in INPUT_FIELDS):
        from flows.inputs import look_through

        for found in look_through(config):
            logging.getLogger(__name__).info(found)
    if fresh:
        known_at(root)  # what is no place for it is refused before anything starts
    else:
        with open_run(root, config) as run:
            if not run.missing():
                return run.save()
    from flows.prefect_settings import prepare

    prepare(config.logging.level)
    from flows.synthesize import run_flow

    run_flow(root, config, fresh=fresh)
    return manifest_of(root)
