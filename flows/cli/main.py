"""Parses the command line, runs one command and turns its errors into a short message and an exit code."""

from __future__ import annotations

import argparse
import logging
import sys
from importlib import import_module
from typing import TYPE_CHECKING, NoReturn, cast

from flows.errors import PausegenError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

COMMANDS = {
    "generate": "make a run: users, environments, verified tasks; the same command again resumes or grows it",
    "rewrite": "put requests and narratives of a run in a model's words, where every check passes again",
    "preview": "make a few tasks right away and show them, without writing a run",
    "look": "say what would be taken from a catalogue, personas or exports of wearables of your own",
    "verify": "check a run or release from its files alone: checksums, every check, every gold plan executed again",
    "explain": "one task, or one conversation of a rollout, as a person reads it: what was asked, done, and proven",
    "inspect": "figures of a run: tasks, funnel, how strong its checks are, diversity",
    "report": "distributions over the users of a run, with plots, beside real wearers if you have files of some",
    "show": "one user as a person reads it: devices, weeks, workouts, nights, meals, notes, orders",
    "rollout": "let an assistant play the tasks of a run with a simulated user, and score what it did",
    "evaluate": "score a rollout again from its recorded calls and messages, and say what differs",
    "leaderboard": "rollouts side by side, as a table, a CSV file and a plot",
    "play": "play the assistant or the user of a task yourself, at the terminal",
    "export": "recorded conversations as training data: for OpenAI's fine-tuning, for TRL, or as preference pairs",
    "release": "build a dataset release from a run, or verify one",
    "models": "whether the models of a run answer, call tools and keep to a schema, and what they cost",
    "tools": "the tools of the environment, as documentation or as schemas",
    "schemas": "write the JSON Schemas of all records again",
}
EPILOG = """\
first steps:
  pausegen preview                                   look at a few tasks
  pausegen generate                                  make the preset `quickstart` in outputs/runs/quickstart
  pausegen verify outputs/runs/quickstart            execute every gold plan again
  pausegen explain outputs/runs/quickstart u000000-t00000
  pausegen inspect outputs/runs/quickstart           how strong the checks are
  pausegen show outputs/runs/quickstart u000000      the life of the first user
  pausegen rollout outputs/runs/quickstart --assistant oracle
  pausegen play outputs/runs/quickstart              be the assistant of the first task
  pausegen export outputs/rollouts/quickstart-oracle --format trl --out outputs/exports/quickstart
  pausegen release build outputs/runs/quickstart --version 0.1.0 --out outputs/releases/quickstart-0.1.0

exit codes: 0 done, 1 failed, 2 usage or configuration, 3 fewer tasks than asked for, 4 budget reached, 130 stopped
"""
_LINES = 3
_WITHOUT_DOCSTRINGS = 2
_OPTIMIZED = """\
Python runs with -OO (or PYTHONOPTIMIZE=2), which takes away the docstrings that tools are described by.
Run it without; -O is fine."""


class Parser(argparse.ArgumentParser):
    """A parser whose mistakes are errors of ours, so that every error reads alike."""

    def error(self, message: str) -> NoReturn:
        """Print the mistake and where help is, and end with exit code 2."""
        self.exit(2, f"pausegen: {message}\nSee {self.prog} --help\n")


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    if sys.flags.optimize >= _WITHOUT_DOCSTRINGS:
        return _say(_OPTIMIZED, 2)
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser = build_parser(arguments)
    if not arguments:
        parser.print_help()
        return 2
    options = parser.parse_args(arguments)
    logging.basicConfig(stream=sys.stderr, format="pausegen: %(message)s", level=logging.WARNING)
    logging.getLogger("flows").setLevel(logging.INFO)
    command = cast("Callable[[argparse.Namespace], int]", options.command)
    try:
        return command(options)
    except BrokenPipeError:
        sys.stderr.close()  # whoever read the output went away; nothing more can be said
        return 1
    except KeyboardInterrupt:
        return _say("stopped", 130)
    except Exception as error:
        if options.traceback:
            raise
        return _report(error)


def build_parser(arguments: Sequence[str]) -> argparse.ArgumentParser:
    """Return the parser; only the command that `arguments` name is loaded, or all of them for the general help."""
    parser = Parser(
        prog="pausegen",
        description="Verified synthetic data for personal-assistant agents.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(title="commands", metavar="COMMAND", parser_class=Parser)
    for name, text in COMMANDS.items():
        command = commands.add_parser(
            name, help=text, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
        )
        if name in arguments:
            import_module(f"flows.cli.{name}").define(command)
        command.add_argument("--traceback", action="store_true", help="show where an error comes from")
    return parser


def _report(error: Exception) -> int:
    """Print what happened in at most three lines and return the exit code."""
    if isinstance(error, PausegenError):
        return _say(str(error), error.exit_code)
    if isinstance(error, OSError) and error.filename is not None:
        return _say(f"{error.filename}: {error.strerror}.\nName another place, or make room there, and run again.", 1)
    known = _known_elsewhere(error)
    if known:
        return _say(str(error), getattr(error, "exit_code", 1))
    return _say(f"internal error: {type(error).__name__}: {error}\nRun again with --traceback to see where.", 1)


def _known_elsewhere(error: Exception) -> bool:
    """Whether the error of another package speaks to the user itself; that package is not loaded for this."""
    return type(error).__module__ in {"publishing.errors", "llm.errors"}


def _say(message: str, code: int) -> int:
    lines = [line for line in message.splitlines() if line.strip()]
    print("pausegen: " + "\n  ".join(lines[:_LINES]), file=sys.stderr)
    return code
