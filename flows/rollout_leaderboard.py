"""Rollouts side by side: one row each, the best first, on screen, as CSV and as a plot."""

from __future__ import annotations

import csv
import io
from typing import TYPE_CHECKING, NamedTuple

from flows.rollout_summary import summarize
from validators.scoring.shopping_columns import COLUMNS as SHOPPING

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from flows.rollout_figures import Figure
    from flows.rollout_summary import Summary

FIGURES = ("TC", "TA", "P", "R", "F1")
"""With their intervals; TC is the share that passed."""
PAUSE = ("precision", "recall", "f1", "score", "pid", "qty_size", "voucher", "balance", "ok")
"""PAUSE's own columns, by its formulas."""
MEANS = ("scenario", "user_fault", "needless", "collateral", "turns", "calls", "errors")

_SHOWN = {name: name for name in FIGURES}
_BESIDE = {"user_fault": "fault", "shopping.score": "shop", "pause.score": "PAUSE"}
"""Column -> title on screen: share of conversations that the simulated user spoilt, our score of shopping, PAUSE's."""
_WIDE = 200


class Row(NamedTuple):
    """One rollout."""

    summary: Summary
    cells: dict[str, str]
    """Column -> value; all rows have the same columns, empty where a rollout has no such value."""


def rows_of(roots: Sequence[Path]) -> list[Row]:
    """Return a row per rollout, the best first. Raise ConfigError when a folder holds no rollout."""
    summaries = [summarize(root) for root in roots]
    most = max(summary.k for summary in summaries)
    ranked = sorted(summaries, key=lambda summary: (-_value(summary.figures, "TC"), summary.rollout))
    return [Row(summary, _cells(summary, most)) for summary in ranked]


def csv_text(rows: Sequence[Row]) -> str:
    """Return all columns as CSV."""
    text = io.StringIO()
    writer = csv.DictWriter(text, fieldnames=list(rows[0].cells), lineterminator="\n")
    writer.writeheader()
    writer.writerows(row.cells for row in rows)
    return text.getvalue()


def print_board(rows: Sequence[Row]) -> None:
    """Print the main columns; shares in percent."""
    from rich.console import Console
    from rich.table import Table

    table = Table(box=None, pad_edge=False, header_style="bold")
    table.add_column("rollout", overflow="fold")
    named = {**_SHOWN, **_last_of_k(rows), **_BESIDE}
    for title in ("n", "TC", "95 %", *list(named.values())[1:], "cost"):
        table.add_column(title, justify="right", no_wrap=True)
    for summary, cells in rows:
        shown = [_percent(cells[name]) for name in named]
        interval = f"{_percent(cells['TC_low'])}-{_percent(cells['TC_high'])}" if cells["TC"] else ""
        name = summary.rollout if summary.user == "scripted" else f"{summary.rollout} (user {summary.user})"
        table.add_row(name, cells["scored"], shown[0], interval, *shown[1:], cells["cost"])
    console = Console(soft_wrap=True)
    if not console.is_terminal:
        console.width = _WIDE
    console.print(table)
    if len({(summary.run, summary.tasks) for summary, _ in rows}) > 1:
        print("note: these rollouts were not all made over the same tasks")


def plot(rows: Sequence[Row], path: Path) -> None:
    """Write a plot of TC, TA and F1 with their intervals. Raise ReleaseError where matplotlib is missing."""
    from publishing.pictures import BLUE, GREEN, RED, new_figure, save

    figure = new_figure(9, 1.2 + 0.6 * len(rows))
    panel = figure.subplots()
    names = [f"{row.summary.rollout}\n{row.summary.assistant}" for row in rows]
    for offset, (name, colour) in enumerate((("TC", BLUE), ("TA", GREEN), ("F1", RED))):
        found = [(at, row.summary.figures[name]) for at, row in enumerate(rows) if name in row.summary.figures]
        values = [one.value for _, one in found]
        # a mean may lie a rounding error outside its interval
        low = [max(0.0, one.value - one.low) for _, one in found]
        high = [max(0.0, one.high - one.value) for _, one in found]
        places = [at + 0.22 * (offset - 1) for at, _ in found]
        panel.barh(places, values, 0.2, xerr=[low, high], color=colour, label=name, capsize=2)
    panel.set_yticks(range(len(rows)), names, fontsize=8)
    panel.invert_yaxis()
    panel.set_xlim(0, 1.02)
    figure.legend(fontsize=8, loc="outside upper center", ncols=3)
    save(figure, path)


def _cells(summary: Summary, most: int) -> dict[str, str]:
    figures, means = summary.figures, summary.counts.columns
    cells = {"rollout": summary.rollout, "run": summary.run, "assistant": summary.assistant, "user": summary.user}
    cells |= {"k": str(summary.k), "tasks": str(summary.tasks), "scored": str(summary.counts.scored)}
    cells["complete"] = "yes" if summary.complete else "no"
    for name in FIGURES:
        found = figures.get(name)
        cells[name] = _number(None if found is None else found.value)
        cells[f"{name}_low"] = _number(None if found is None else found.low)
        cells[f"{name}_high"] = _number(None if found is None else found.high)
    for name in [f"{kind}{n}" for kind in ("pass@", "pass^") for n in range(1, most + 1)] + list(MEANS):
        cells[name] = _number(figures[name].value if name in figures else None)
    for name in [f"shopping.{name}" for name in SHOPPING] + [f"pause.{name}" for name in PAUSE]:
        cells[name] = _number(means[name].value if name in means else None)
    used = [tally.usage for tally in summary.usage.values()]
    cells["tokens"] = str(sum(usage.tokens for usage in used))
    cells["cost"] = _cost(summary)
    return cells


def _cost(summary: Summary) -> str:
    """Return what models cost; empty where that is not known."""
    from schemas.models import Usage

    total = Usage()
    for tally in summary.usage.values():
        total = total.plus(tally.usage)
    return total.cost or ""


def _last_of_k(rows: Sequence[Row]) -> dict[str, str]:
    most = max(row.summary.k for row in rows)
    return {name: name for name in (f"pass@{most}", f"pass^{most}")} if most > 1 else {}


def _value(figures: Mapping[str, Figure], name: str) -> float:
    return figures[name].value if name in figures else -1.0


def _number(value: float | None) -> str:
    return "" if value is None else f"{value:.4f}"


def _percent(cell: str) -> str:
    return f"{100 * float(cell):.1f}" if cell else ""
