"""`pausegen models`: whether the models of a run can be reached and do what is wanted of them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from flows.errors import ConfigError
from schemas.models import ROLES

if TYPE_CHECKING:
    import argparse

    from llm.check import Findings
    from schemas.models import Models

EXAMPLES = """\
Each model gets up to three tiny calls. Keys are read from the environment and never shown.

examples:
  pausegen models check --config models.yaml
  pausegen models check --assistant openai/gpt-4o-mini --user anthropic/claude-3-5-haiku-latest
  pausegen models check --assistant openai/mine --api-base http://127.0.0.1:8080/v1
"""
_WIDE = 200


def define(parser: argparse.ArgumentParser) -> None:
    """Declare the sub-command and its options."""
    parser.description = "The models that play the roles writer, user, assistant and judge."
    parser.epilog = EXAMPLES
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    check = actions.add_parser("check", help="whether they answer, call tools, keep to a schema", allow_abbrev=False)
    check.set_defaults(command=run)
    check.add_argument(
        "--config", metavar="FILE", type=Path, help="YAML file with roles and limits, see docs/models.md"
    )
    for role in ROLES:
        check.add_argument(f"--{role}", metavar="MODEL", help=f"model of the {role}, as litellm names it")
    check.add_argument("--api-base", metavar="URL", help="server of the models that are named by options")


def run(options: argparse.Namespace) -> int:
    """Check every role and print a table, then what is wrong."""
    from flows.model_settings import resolve_models

    names = {role: getattr(options, role) for role in ROLES}
    models = resolve_models(options.config, names, options.api_base)
    if not models.chosen():
        raise ConfigError("no model is named; give --config FILE, or a role such as --assistant openai/gpt-4o-mini")
    found = _check(models)
    _print(found)
    problems = list(dict.fromkeys(f"{one.role}: {problem}" for one in found for problem in one.problems))
    for problem in problems:
        print("pausegen: " + problem.replace("\n", "\n  "), file=sys.stderr)
    return 1 if problems else 0


def _check(models: Models) -> list[Findings]:
    import asyncio

    from llm.check import check_role
    from llm.ledger import Ledger

    async def all_roles() -> list[Findings]:
        ledger = Ledger()
        asked = (check_role(role, choice, models.limits, ledger) for role, choice in models.chosen().items())
        return [one for found in await asyncio.gather(*asked) for one in found]

    return asyncio.run(all_roles())


def _print(found: list[Findings]) -> None:
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("role", "model", "answers", "key in", "set", "tools", "schema", "price"):
        table.add_column(name, overflow="fold", no_wrap=name != "model")
    for one in found:
        price = one.prices.source if one.prices.known else "unknown"
        answers = (one.key, _word(one.key_set), _word(one.tools), _word(one.schema), price)
        table.add_row(one.role, one.endpoint.model, _word(one.reachable), *answers)
    console = Console(soft_wrap=True)
    if not console.is_terminal:
        console.width = _WIDE  # what reads a file or a pipe wants one line a row
    console.print(table)


def _word(answer: bool | None) -> str:
    return "-" if answer is None else "yes" if answer else "no"
