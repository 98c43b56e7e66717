"""`pausegen rollout`: let an assistant play the tasks of a run, and score what it did."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    import argparse

    from schemas.base import Json
    from schemas.rollout import RolloutConfig

EXAMPLES = """\
examples:
  pausegen rollout outputs/runs/quickstart --assistant oracle
  pausegen rollout outputs/runs/quickstart --assistant oracle:detour --workers 2
  pausegen rollout outputs/runs/quickstart --assistant scripted:skip-consent -k 2 --family shopping
  pausegen rollout outputs/runs/quickstart --assistant openai/gpt-4o-mini -k 4 --tasks 50 --max-cost 2.50
  pausegen rollout outputs/runs/quickstart --config models.yaml --set budget.turns=20

An assistant is `oracle`, `oracle:<variant>`, `scripted:<name>` or any model of litellm; `--assistants` lists the first
three. Keys of models are read from the environment. The same command again resumes a rollout that was stopped, without
asking a model twice for the same reply; more -k adds attempts. Any other change needs another --out, or --fresh.
"""
_DOTTED = {
    "assistant": "assistant",
    "user": "user",
    "k": "k",
    "seed": "seed",
    "answers": "answers",
    "workers": "workers",
    "out": "out",
    "tasks": "subset.tasks",
    "family": "subset.families",
    "level": "subset.levels",
    "task_id": "subset.task_ids",
    "max_cost": "models.limits.max_cost",
    "max_tokens": "models.limits.max_tokens",
    "concurrency": "models.limits.concurrency",
    "actions": "actions",
}
"""Option -> setting."""


def define(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "Play the tasks of a run or release with an assistant and a simulated user, and score them."
    parser.epilog = EXAMPLES
    parser.set_defaults(command=run)
    parser.add_argument("source", metavar="RUN", type=Path, nargs="?", help="folder of a run or of a release")
    parser.add_argument("--assistant", metavar="WHO", help="oracle, scripted:NAME, or a model (default oracle)")
    parser.add_argument("--user", metavar="WHO", help="scripted, or a model (default scripted)")
    parser.add_argument("-k", metavar="N", type=int, help="attempts at each task (default 1)")
    parser.add_argument("--config", metavar="FILE", type=Path, help="YAML file with settings, models among them")
    parser.add_argument("--out", metavar="DIR", help="folder of the rollout (default outputs/rollouts/RUN-ASSISTANT)")
    parser.add_argument("--seed", metavar="N", type=int, help="seed of what scripted players draw (default 0)")
    parser.add_argument("--answers", choices=("text", "tool"), help="where answers are read (default text)")
    parser.add_argument("--tasks", metavar="N", type=int, help="the first N tasks only")
    parser.add_argument("--family", metavar="NAME", nargs="+", help="tasks of these families only")
    parser.add_argument("--level", nargs="+", choices=("easy", "hard"), help="tasks of these levels only")
    parser.add_argument("--task-id", metavar="ID", nargs="+", help="these tasks only")
    parser.add_argument("--max-cost", metavar="USD", help="most money for models, such as 2.50")
    parser.add_argument("--max-tokens", metavar="N", type=int, help="most tokens for models, of all calls together")
    parser.add_argument("--concurrency", metavar="N", type=int, help="calls of a model at once (default 16)")
    parser.add_argument("--api-base", metavar="URL", help="server of the models that are named by options")
    parser.add_argument("--actions", choices=("native", "json"), help="how the assistant calls tools (default native)")
    parser.add_argument("--workers", metavar="N", type=int, help="processes side by side, without models (default 1)")
    parser.add_argument("--set", metavar="KEY=VALUE", nargs="+", action="extend", default=[], help="any other setting")
    parser.add_argument("--fresh", action="store_true", help="delete the trajectories of this rollout and start anew")
    parser.add_argument("--assistants", action="store_true", help="list the assistants that need no model, and end")


def run(options: argparse.Namespace) -> int:
    """Play what is missing and show the figures."""
    from flows.errors import ConfigError

    if options.assistants:
        return _list_assistants()
    if options.source is None:
        raise ConfigError("name the folder of a run: pausegen rollout outputs/runs/quickstart --assistant oracle")
    from flows.rollout_config import folder_name, resolve
    from schemas.rollout import needs_model

    given = {key: getattr(options, name) for name, key in _DOTTED.items()}
    wanted = {key: cast("Json", value) for key, value in given.items() if value is not None}
    if options.api_base:
        named = [role for role in ("assistant", "user") if role in wanted and needs_model(str(wanted[role]))]
        wanted |= {f"models.{role}.api_base": options.api_base for role in named}
    config = resolve(options.source, options.config, wanted, options.set)
    logging.getLogger("flows").setLevel(config.logging.level.upper())
    root = Path(config.out) if config.out else Path("outputs") / "rollouts" / folder_name(config, options.source)
    _play(root, config, fresh=options.fresh)
    from flows.rollout_report import print_result

    print_result(root)
    return 0


def _play(root: Path, config: RolloutConfig, *, fresh: bool) -> None:
    """Play what is missing; Prefect is loaded only when something is."""
    from flows.rollout_store import known_at, open_rollout
    from flows.rollout_tasks import blocks_of, open_tasks

    blocks = blocks_of(open_tasks(Path(config.source.path), config.subset), config.subset)
    if fresh:
        known_at(root)  # what is no place for it is refused before anything starts
    else:
        with open_rollout(root, config, blocks) as rollout:
            if not rollout.missing():
                return
    from flows.prefect_settings import prepare

    prepare(config.logging.level)
    from flows.rollout import run_flow

    run_flow(root, config, fresh=fresh)


def _list_assistants() -> int:
    from generators.agents.registry import assistants

    for name, text in assistants():
        print(f"{name:<32} {text}")
    return 0
