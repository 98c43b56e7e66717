"""`pausegen rewrite`: put texts of a run in a model's words."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, cast, get_args

from schemas.config import Texts

if TYPE_CHECKING:
    import argparse

    from schemas.base import Json
    from schemas.models import Models

EXAMPLES = """\
Makes another run folder, in which the request of a task and the narrative of a user are in the model's words where
every check on the record passes again with them, and nothing was added; the others stay as they are. Keys of models are
read from the environment.

examples:
  pausegen rewrite outputs/runs/quickstart --writer openai/gpt-4o-mini --max-cost 1.50
  pausegen rewrite outputs/runs/quickstart --writer openai/gpt-4o-mini --texts narratives
  pausegen rewrite outputs/runs/quickstart --config models.yaml --out outputs/runs/quickstart-in-other-words

The same command again goes on where it was stopped, without asking a model twice for the same text. --max-cost and
--max-tokens hold over all such calls together, and over both kinds of texts.
"""
_LIMITS = ("max_cost", "max_tokens", "concurrency")


def define(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "Put the requests of a run, and the narratives of its users, in a model's words."
    parser.epilog = EXAMPLES
    parser.set_defaults(command=run)
    parser.add_argument("source", metavar="RUN", type=Path, help="folder of a run")
    parser.add_argument("--writer", metavar="MODEL", help="model that writes, as litellm names it")
    parser.add_argument(
        "--texts", choices=get_args(Texts), default="all", help="what to put in other words (default %(default)s)"
    )
    parser.add_argument("--config", metavar="FILE", type=Path, help="YAML file with a writer and limits")
    parser.add_argument("--out", metavar="DIR", type=Path, help="folder of the new run (default RUN-rewritten)")
    parser.add_argument("--api-base", metavar="URL", help="server of the model that is named by --writer")
    parser.add_argument("--max-cost", metavar="USD", help="most money for the model, such as 2.50")
    parser.add_argument("--max-tokens", metavar="N", type=int, help="most tokens for the model, of all calls together")
    parser.add_argument("--concurrency", metavar="N", type=int, help="calls of the model at once (default 16)")


def run(options: argparse.Namespace) -> int:
    """Write what is missing and show the funnel."""
    from flows.folders import expect

    expect(options.source, "run")
    models = _models(options)
    from flows.cli.funnel_table import print_result
    from flows.rewriting import rewrite
    from flows.store import manifest_of

    out = options.out or options.source.with_name(f"{options.source.resolve().name}-rewritten")
    config = rewrite(options.source, out, models, options.texts)
    print_result(out, config, manifest_of(out))
    return 0


def _models(options: argparse.Namespace) -> Models:
    from flows.model_settings import parse_models, resolve_models

    models = resolve_models(options.config, {"writer": options.writer}, options.api_base)
    limits = {name: cast("Json", getattr(options, name)) for name in _LIMITS if getattr(options, name) is not None}
    known = models.model_dump(mode="json", exclude_unset=True)
    return parse_models({**known, "limits": {**known.get("limits", {}), **limits}}, "the options")
