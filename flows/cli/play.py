"""`pausegen play`: a person plays one side of a task at the terminal."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from flows.errors import ConfigError

if TYPE_CHECKING:
    import argparse

    from flows.rollout_shards import Scored

EXAMPLES = """\
examples:
  pausegen play outputs/runs/quickstart                                be the assistant of the first task
  pausegen play outputs/runs/quickstart --task u000000-t00003 --as user
  pausegen play outputs/runs/quickstart --as user --with openai/gpt-4o-mini --save talk.json

At the prompt, /help says what can be written. Lines may also come from a file: pausegen play RUN < lines.txt
"""


def define(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "Play the assistant or the user of one task, and see the score at the end."
    parser.epilog = EXAMPLES
    parser.set_defaults(command=run)
    parser.add_argument("source", metavar="RUN", type=Path, help="folder of a run or of a release")
    parser.add_argument("--task", metavar="ID", help="which task (default the first)")
    parser.add_argument("--as", dest="side", choices=("assistant", "user"), default="assistant", help="your side")
    parser.add_argument(
        "--with", dest="other", metavar="WHO", help="who plays the other side (default oracle, scripted)"
    )
    parser.add_argument("--answers", choices=("text", "tool"), default="text", help="where answers are read")
    parser.add_argument("--save", metavar="FILE", type=Path, help="write the scored trajectory there, as JSON")


def run(options: argparse.Namespace) -> int:
    """Play, print the score and save the trajectory if that is wanted."""
    from flows.folders import expect_place
    from flows.rollout_config import resolve
    from flows.rollout_person import Terminal
    from flows.rollout_players import play_with_person

    other = options.other or ("scripted" if options.side == "assistant" else "oracle")
    role = "user" if options.side == "assistant" else "assistant"
    given = {role: other, "answers": options.answers, "subset.tasks": 1}
    config = resolve(options.source, options={**given, **({"subset.task_ids": [options.task]} if options.task else {})})
    if options.save is not None:
        expect_place(options.save, option="--save")
        if options.save.exists():
            raise ConfigError(f"{options.save} is there already; name another file with --save")
    scored = asyncio.run(play_with_person(config, options.side, Terminal(_read, _write)))
    _write("\n" + "\n".join(_said(scored)))
    if options.save is not None:
        from flows.shards import write_atomic
        from schemas.base import canonical

        write_atomic(options.save, canonical(scored.trajectory) + b"\n")
        _write(f"saved in {options.save}")
    return 0


def _read(prompt: str) -> str:
    if sys.stdin.isatty():
        return input(prompt)
    line = input()
    _write(prompt + line)
    return line


def _write(text: str) -> None:
    print(text, flush=True)


def _said(scored: Scored) -> list[str]:
    """Return the score in words."""
    from schemas.trajectory import Said

    trajectory = scored.trajectory
    end = f"ended: {trajectory.end}" + (f" ({trajectory.end_detail})" if trajectory.end_detail else "")
    score = trajectory.score
    if score is None:
        return [end, "not scored"]
    last = trajectory.events[-1]
    if isinstance(last, Said) and last.by == "user":
        end = f"user: {last.text}\n\n{end}"
    lines = [end, f"passed: {_word(score.passed)}" + (f" - {score.reason}" if score.reason else "")]
    lines += [f"  contract {_word(score.contract)}, answers {_word(score.answers)}, consent {_word(score.consent)}"]
    lines += [f"  {name}: {told}" for name, told in score.told.items()]
    lines += [f"  {found.error} ({found.error_class}): {found.detail}" for found in score.found]
    lines += [f"  beside the script: {fault.partition(': ')[2]}" for fault in scored.faults]
    return lines


def _word(value: bool) -> str:
    return "yes" if value else "no"
