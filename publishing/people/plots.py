"""Pictures of a population: a histogram for each number, bars for each kind, and the course of the day."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any

from publishing.people.collect import CURVES, HOURS
from publishing.people.measures import KINDS, NUMBERS
from publishing.pictures import BLUE, RED, new_figure, save

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from publishing.people.collect import Population

_COLUMNS, _BINS, _BARS = 4, 24, 14
_CURVES = {"steps": "steps an hour", "heart_rate": "heart rate, bpm"}


def plot_numbers(population: Population, path: Path) -> Path:
    """Write a histogram for each number, over the users who have one."""
    figure, panels = _grid(len(NUMBERS), 1.9)
    for panel, number in zip(panels, NUMBERS, strict=False):
        values = population.numbers[number.words]
        if values:
            panel.hist(values, bins=_edges(values), color=BLUE)
        panel.set_title(number.words, fontsize=8)
    return save(figure, path)


def plot_kinds(population: Population, path: Path) -> Path:
    """Write bars for each kind, the most frequent first."""
    figure, panels = _grid(len(KINDS), 2.6)
    for panel, kind in zip(panels, KINDS, strict=False):
        ranked = ranked_kinds(population, kind.words)[:_BARS][::-1]
        panel.barh([name for name, _ in ranked], [count for _, count in ranked], color=BLUE)
        title = kind.words if kind.each in kind.words else f"{kind.words}, {kind.each}"
        panel.set_title(title, fontsize=8)
    return save(figure, path)


def plot_days(population: Population, path: Path) -> Path:
    """Write the mean course of the day, on weekdays and weekends."""
    figure = new_figure(10, 3)
    for panel, name in zip(figure.subplots(1, len(CURVES)), CURVES, strict=True):
        for weekend, colour, label in ((False, BLUE, "weekdays"), (True, RED, "weekends")):
            curve = population.curves[name, weekend].mean(60 if name == "steps" else 1)
            panel.plot(range(HOURS), curve, color=colour, label=label)
        panel.set_title(f"{_CURVES[name]}, mean of recorded days", fontsize=8)
        panel.set_xlabel("hour of the day", fontsize=8)
        panel.legend(fontsize=8)
    return save(figure, path)


def ranked_kinds(population: Population, words: str) -> list[tuple[str, int]]:
    """Return what there is of a kind, the most frequent first and equal ones by name."""
    return sorted(population.kinds[words].items(), key=lambda item: (-item[1], item[0]))


def _grid(count: int, height: float) -> tuple[Any, Sequence[Any]]:
    rows = -(-count // _COLUMNS)
    figure = new_figure(12, height * rows)
    panels = list(chain.from_iterable(figure.subplots(rows, _COLUMNS, squeeze=False)))
    for panel in panels[count:]:
        panel.set_visible(False)
    for panel in panels:
        panel.tick_params(labelsize=7)
    return figure, panels


def _edges(values: Sequence[float]) -> list[float]:
    low, high = min(values), max(values)
    if all(float(value).is_integer() for value in values) and high - low < 2 * _BINS:
        return [low - 0.5 + step for step in range(int(high - low) + 2)]
    width = (high - low) / _BINS or 1.0
    return [low + width * step for step in range(_BINS + 1)]
