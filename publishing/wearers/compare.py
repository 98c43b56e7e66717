"""The comparison as a table, and in words where the model differs."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from publishing.wearers.measures import MEASURES, NIGHT_LEAST, WORN_LEAST

if TYPE_CHECKING:
    from collections.abc import Sequence

    from publishing.wearers.measures import Measured

_SHARES = (5, 25, 50, 75, 95)
_WHY = {
    "sleep": "sleep by age and need over many ages, alarms on working days, shift workers and parents",
    "bed": "habits of many ways of life, night work included, against those of few wearers",
    "mean_rate": "bodies of all ages and fitness, against those of few wearers",
    "max_rate": "days without any exercise count in full",
    "below": "how much a day moves differs between habit families",
    "fat_burn": "how much a day moves differs between habit families",
    "cardio": "who trains at all differs between habit families",
    "peak": "who trains hard differs between habit families",
}


class Row(NamedTuple):
    """One measure of both populations."""

    measure: str
    model: tuple[float, ...]
    """Quantiles at 5, 25, 50, 75 and 95 %."""
    real: tuple[float, ...]
    model_count: int
    real_count: int
    inside: float
    """Percent of the real values within the middle 90 % of the model's."""

    @property
    def differs(self) -> bool:
        """Return whether the real median lies outside the middle half of the model, or the spreads differ by half."""
        middle = self.model[1] <= self.real[2] <= self.model[3]
        wide, real_wide = self.model[3] - self.model[1], self.real[3] - self.real[1]
        return not middle or not real_wide / 2 <= wide <= 2 * real_wide


def compare(model: Measured, real: Measured) -> list[Row]:
    """Return the measures of two populations, each of which has some of all. Raise ValueError where one has none."""
    rows: list[Row] = []
    for name in MEASURES:
        ours, theirs = sorted(model.values[name]), sorted(real.values[name])
        if not ours or not theirs:
            msg = f"nothing to compare: no {MEASURES[name]}"
            raise ValueError(msg)
        quantiles = _quantiles(ours)
        inside = sum(quantiles[0] <= value <= quantiles[-1] for value in theirs)
        rows.append(Row(name, quantiles, _quantiles(theirs), len(ours), len(theirs), 100 * inside / len(theirs)))
    return rows


def render(rows: Sequence[Row]) -> str:
    """Return the comparison as Markdown: a table, then where the model differs, then what is not compared."""
    head = "| measure | population | n | 5 % | 25 % | 50 % | 75 % | 95 % | real within the model's middle 90 % |"
    lines = [head, "|---|---|---:|---:|---:|---:|---:|---:|---:|"]
    for row in rows:
        for who, count, quantiles in (("model", row.model_count, row.model), ("real", row.real_count, row.real)):
            cells = " | ".join(_shown(row.measure, value) for value in quantiles)
            share = f"{row.inside:.0f} %" if who == "real" else ""
            lines.append(f"| {MEASURES[row.measure]} | {who} | {count:,} | {cells} | {share} |")
    lines += ["", "Where the model differs:", ""]
    lines += [_difference(row) for row in rows if row.differs] or ["- Nowhere by more than the rule below."]
    lines += [
        "",
        "A measure is listed where the real median lies outside the middle half of the model, or where one spread "
        "(25 % to 75 %) is more than twice the other. The real data are a few wearers of 2016, without an id, in one "
        "season; the model is a population of many ages and ways of life: it should be wider, and cover them.",
        "",
        f"Nights of less than {NIGHT_LEAST} minutes and days with less than {WORN_LEAST:,} worn minutes are left out "
        "on both sides. Not compared: sleep stages and resting rates, which the real files do not measure (94 % of "
        "their sleep is light, their resting rate is the minimum of each day); the model takes both from cited "
        "physiology.",
    ]
    return "\n".join(lines) + "\n"


def _difference(row: Row) -> str:
    name = row.measure
    model, real = (_shown(name, values[2]) for values in (row.model, row.real))
    ours, theirs = (f"{_shown(name, v[1])} to {_shown(name, v[3])}" for v in (row.model, row.real))
    return f"- {MEASURES[name]}: median {model} against {real}, middle half {ours} against {theirs}: {_WHY[name]}."


def _quantiles(ordered: Sequence[float]) -> tuple[float, ...]:
    return tuple(ordered[(len(ordered) - 1) * share // 100] for share in _SHARES)


def _shown(measure: str, value: float) -> str:
    if measure == "bed":
        at = (round(value) + 720) % 1_440
        return f"{at // 60:02d}:{at % 60:02d}"
    return f"{value:.0f}" if measure in ("sleep", "max_rate") else f"{value:.1f}"
