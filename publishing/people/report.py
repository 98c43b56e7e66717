"""The report of a run on its users, as Markdown with pictures beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from publishing.card import markdown
from publishing.errors import ReleaseError
from publishing.people.collect import collect
from publishing.people.measures import KINDS, NUMBERS
from publishing.people.person import people_of
from publishing.people.plots import plot_days, plot_kinds, plot_numbers, ranked_kinds
from publishing.run import open_run
from publishing.wearers import compare, measured_files, plot, render

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from publishing.people.collect import Population
    from publishing.people.measures import Number
    from publishing.wearers import Measured

REPORT = "README.md"
NUMBERS_PICTURE, KINDS_PICTURE, DAYS_PICTURE, COMPARED_PICTURE = "numbers.png", "kinds.png", "days.png", "compared.png"
_SHARES = (0, 5, 25, 50, 75, 95, 100)
_LISTED = 20


def write_report(run: Path, out: Path, real: Path | None = None) -> Path:
    """Write the report of a run in the folder `out`, compared with the daily files in the folder `real`; return it.

    Raise ReleaseError when the run has no users, or there is nothing to compare; InputError for a bad row of a file.
    """
    opened = open_run(run)
    measured = None if real is None else _measured(real)
    population = collect(people_of(run))
    if not population.users:
        msg = f"{run} has no users yet; `pausegen generate` makes them"
        raise ReleaseError(msg)
    compared = "" if measured is None else _compared(population, measured)
    plot_numbers(population, out / NUMBERS_PICTURE)
    plot_kinds(population, out / KINDS_PICTURE)
    plot_days(population, out / DAYS_PICTURE)
    if measured is not None:
        plot(population.measured, measured, out / COMPARED_PICTURE)
    title = f"Users of {opened.config.preset}, seed {opened.config.seed}"
    path = out / REPORT
    path.write_text("\n".join([*_lines(title, population), compared]).rstrip() + "\n", "utf-8")
    return path


def _measured(real: Path) -> Measured:
    found = measured_files(real)
    if found is None:
        msg = f"{real} holds no daily heart rates and nights to compare with; docs/wearables.md names the files"
        raise ReleaseError(msg)
    return found


def _compared(population: Population, measured: Measured) -> str:
    try:
        table = render(compare(population.measured, measured))
    except ValueError as error:
        raise ReleaseError(str(error)) from error
    return f"\n## Beside real wearers\n\n![both populations]({COMPARED_PICTURE})\n\n{table}"


def _lines(title: str, population: Population) -> Iterator[str]:
    yield f"# {title}"
    yield ""
    yield f"{population.users:,} users with {population.days:,} recorded days, computed from the published tables and"
    yield "arrays. Means of a day are over whole days that a device recorded."
    yield ""
    yield f"## Numbers\n\n![histograms]({NUMBERS_PICTURE})\n"
    head = ["of a user", "users", *(_share(share) for share in _SHARES), "mean"]
    yield markdown(head, [_row(number, population.numbers[number.words]) for number in NUMBERS])
    yield f"\n## Kinds\n\n![bars]({KINDS_PICTURE})\n"
    yield markdown(["what", "of", "how many"], [_kinds(population, kind.words, kind.each) for kind in KINDS])
    yield f"\n## The course of the day\n\n![steps and heart rate by hour]({DAYS_PICTURE})"


def _share(share: int) -> str:
    return {0: "least", 100: "most"}.get(share, f"{share} %")


def _row(number: Number, values: Sequence[float]) -> list[object]:
    if not values:
        return [number.words, 0, *("" for _ in _SHARES), ""]
    ordered = sorted(values)
    shown = [f"{ordered[(len(ordered) - 1) * share // 100]:,.{number.digits}f}" for share in _SHARES]
    return [number.words, len(values), *shown, f"{sum(values) / len(values):,.{max(1, number.digits)}f}"]


def _kinds(population: Population, words: str, each: str) -> list[object]:
    ranked = ranked_kinds(population, words)
    shown = ", ".join(f"{name} {count:,}" for name, count in ranked[:_LISTED])
    more = f", {len(ranked) - _LISTED} more" if len(ranked) > _LISTED else ""
    return [words, each, shown + more if ranked else "none"]
