"""What tells habit families apart, computed from published minute arrays alone, and a nearest-centroid classifier."""

from __future__ import annotations

import datetime as dt
from collections import defaultdict
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Floats: TypeAlias = npt.NDArray[np.float64]

METS_FROM = (16, 23, 30, 40, 50, 60, 75, 95)
STEPS_FROM = (3, 20, 45, 75, 100, 130, 150)
_DAY = 1_440


def features(dates: Sequence[str], series: Mapping[str, bytes]) -> Floats:
    """Features of one user: `series` holds steps, METs, intensity and heart rate of all days, one byte a minute."""
    steps, mets, hard, rate = (
        _padded(series[name], len(dates)) for name in ("steps", "mets", "intensity", "heart_rate")
    )
    hard = hard >= 2
    worn = rate > 0
    free = np.array([dt.date.fromisoformat(date).weekday() >= 5 for date in dates])
    asleep = worn & (mets == 10)
    parts = [
        _by_hour(np.log1p(steps), worn),
        *(8 * _by_hour(hard[days], worn[days]) ** 0.5 for days in (~free, free)),
        4 * _by_hour(asleep, worn),
        _kinds(mets[worn], steps[worn], int(worn.sum())),
        _bursts(mets, steps, rate, hard, worn),
    ]
    return np.concatenate(parts)


def _padded(raw: bytes, days: int) -> npt.NDArray[np.int64]:
    """The minutes as a day a row; what is not over yet is not worn."""
    found = np.zeros(days * _DAY, np.int64)
    found[: len(raw)] = np.frombuffer(raw, np.uint8)
    return found.reshape(days, _DAY)


def _by_hour(values: npt.NDArray[Any], worn: npt.NDArray[np.bool_]) -> Floats:
    hours = (values * worn).astype(float).sum(axis=0).reshape(24, 60).sum(axis=1)
    return hours / np.maximum(1, worn.sum(axis=0).reshape(24, 60).sum(axis=1))


def _kinds(mets: npt.NDArray[np.int64], steps: npt.NDArray[np.int64], worn: int) -> Floats:
    """Root of the minutes a day in each class of METs and steps: sports differ in the steps of their effort."""
    classes = np.searchsorted(METS_FROM, mets, "right") * (len(STEPS_FROM) + 1) + np.searchsorted(
        STEPS_FROM, steps, "right"
    )
    counts = np.bincount(classes, minlength=(len(METS_FROM) + 1) * (len(STEPS_FROM) + 1))
    return (counts * _DAY / max(1, worn)) ** 0.5


def _bursts(
    mets: npt.NDArray[np.int64],
    steps: npt.NDArray[np.int64],
    rate: npt.NDArray[np.int64],
    hard: npt.NDArray[np.bool_],
    worn: npt.NDArray[np.bool_],
) -> Floats:
    """How long efforts last, how much they swing, and what they cost the heart, by the steps in them."""
    resting = np.percentile(rate[worn], 5) if worn.any() else 60
    found: list[float] = []
    swing = np.abs(np.diff(mets, axis=1, prepend=mets[:, :1]))
    for low, high in ((0, 8), (8, 40), (40, 85), (85, 130), (130, 256)):
        here = hard & worn & (steps >= low) & (steps < high)
        some = here.sum() >= 20
        found += [
            float(swing[here].mean()) if some else 0.0,
            float(rate[here].mean() - resting) / 10 if some else 0.0,
            float(mets[here].mean()) / 10 if some else 0.0,
        ]
    found.append(float(hard.sum() / max(1, worn.sum())) * 100)
    return np.array(found)


class NearestCentroid:
    """Classifies by the nearest class mean, each feature measured in its spread within classes."""

    def __init__(self, rows: Sequence[Floats], labels: Sequence[str]) -> None:
        groups: dict[str, list[Floats]] = defaultdict(list)
        for row, label in zip(rows, labels, strict=True):
            groups[label].append(row)
        self.labels = sorted(groups)
        self.means = np.array([np.mean(groups[label], axis=0) for label in self.labels])
        inside = np.concatenate([np.array(groups[label]) - self.means[n] for n, label in enumerate(self.labels)])
        self.spread = np.sqrt((inside**2).mean(axis=0)) + 0.05

    def __call__(self, row: Floats) -> str:
        distances = (((self.means - row) / self.spread) ** 2).sum(axis=1)
        return self.labels[int(np.argmin(distances))]
