"""The end of `rollout` and `evaluate`: the figures as a table, and what to do next."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from flows.errors import PausegenError
from flows.rollout_summary import summarize, write_summary

if TYPE_CHECKING:
    from pathlib import Path

    from flows.rollout_figures import Figure
    from flows.rollout_summary import Summary
    from schemas.models import Tally

_SHOWN = 6
_log = logging.getLogger(__name__)


def print_result(root: Path) -> None:
    """Print the figures of a rollout and the next commands, and write them beside the trajectories.

    Raise PausegenError when the rollout is not as it has to be.
    """
    summary = summarize(root)
    write_summary(root, summary)
    print_summary(summary)
    print(f"\n{summary.counts.trajectories} trajectories in {root}\n\nnext:")
    print(f"  pausegen evaluate {root}")
    print(f"  pausegen leaderboard {root}")
    print(f"  pausegen export {root} --help")
    faulty, lost = summary.counts.faulty, summary.counts.ends.get("infrastructure_error", 0)
    if faulty:
        raise PausegenError(
            f"{faulty} trajectories are no sound records: a defect of pausegen, please report it.\n"
            f"`pausegen evaluate {root}` says what is wrong with which."
        )
    if lost:
        raise PausegenError(
            f"{lost} conversations ended because a model could not be reached, and are not scored.\n"
            "The same command tries these again; finished calls are not repeated."
        )


def print_summary(summary: Summary) -> None:
    """Print the figures."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    for name in ("", "mean", "95 %", "of"):
        table.add_column(name, justify="left" if not name else "right")
    for name, figure in _shown(summary):
        table.add_row(name, *cells(figure))
    console = Console(soft_wrap=True)
    console.print(f"{summary.assistant} with user {summary.user}: {summary.tasks} tasks, k {summary.k}\n")
    console.print(table)
    for words, counts in (
        ("ended", summary.counts.ends),
        ("failed for", summary.error_classes),
        ("errors", summary.errors),
        ("facts kept back", summary.elicited),
    ):
        if counts:
            listed = [f"{name} {number}" for name, number in list(counts.items())[:_SHOWN]]
            console.print(f"{words}: {', '.join(listed)}" + (", …" if len(counts) > _SHOWN else ""))
    for role, tally in summary.usage.items():
        console.print(usage_text(role, tally))


def cells(figure: Figure) -> tuple[str, str, str]:
    """Return a figure in words: shares in percent, counts as they are."""
    if figure.value > 1:
        return f"{figure.value:.2f}", f"{figure.low:.2f}-{figure.high:.2f}", str(figure.number)
    return f"{figure.value:.1%}", f"{figure.low:.1%}-{figure.high:.1%}", str(figure.number)


def usage_text(role: str, tally: Tally) -> str:
    """Return in words what a model did."""
    usage = tally.usage
    cost = "cost unknown" if usage.cost is None else f"{usage.cost} USD"
    failures = f", {sum(tally.failures.values())} failed" if tally.failures else ""
    return f"{role}: {usage.calls} calls ({tally.cached} more from the cache{failures}), {usage.tokens} tokens, {cost}"


def _shown(summary: Summary) -> list[tuple[str, Figure]]:
    last = {f"pass@{summary.k}", f"pass^{summary.k}"} if summary.k > 1 else set[str]()
    counts = {"needless", "collateral", "turns", "calls", "errors"}
    found = [
        (name, figure)
        for name, figure in summary.figures.items()
        if name not in counts and (name in last or not name.startswith(("pass@", "pass^")))
    ]
    found += [(f"TC, {name}", figure) for name, figure in summary.families.items()]
    return found + [(f"TC, {name}", figure) for name, figure in sorted(summary.levels.items())]
