"""The published arrays of one environment, laid out by day and minute."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, TypeAlias, cast
from weakref import WeakKeyDictionary

import numpy as np

from validators.environments.records import raw_values

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import numpy.typing as npt

    from schemas.base import Json
    from schemas.environment import EnvironmentRecord
    from validators.environments.context import Case

    Grid: TypeAlias = "npt.NDArray[np.int64]"

SERIES = ("steps", "mets", "intensity", "heart_rate", "calories")
HOURS, PER_HOUR = 24, 60
MINUTES = HOURS * PER_HOUR
_TYPES = {"u8": "<u1", "u16": "<u2"}
Row: TypeAlias = "Mapping[str, Json]"


@dataclass(frozen=True, slots=True)
class Window:
    """All series, one row per day; what is not there yet is 0."""

    first: dt.date
    minutes: int
    """Minutes that are there, from the start of the first day."""
    series: Mapping[str, Grid]
    derived: Mapping[str, bool]
    """Whether a series is said to follow from the METs."""

    @property
    def days(self) -> list[str]:
        """Return the dates."""
        count = -(-self.minutes // MINUTES)
        return [(self.first + dt.timedelta(days=number)).isoformat() for number in range(count)]

    def flat(self, name: str) -> Grid:
        """Return the minutes of a series that are there, in a row."""
        return self.series[name].reshape(-1)[: self.minutes]

    def at(self, time: str) -> int:
        """Return the number of the minute that begins at a time."""
        return (ordinal(time[:10]) - self.first.toordinal()) * MINUTES + minute_of(time)


_windows: WeakKeyDictionary[Case, Window | None] = WeakKeyDictionary()


def window_of(case: Case) -> Window | None:
    """Return the arrays of an environment; None when it describes none. Raise ValueError when they do not fit."""
    if case not in _windows:
        _windows[case] = _decoded(case.record)
    return _windows[case]


def _decoded(record: EnvironmentRecord) -> Window | None:
    described: dict[str, Row] = {str(row["id"]): row for row in record.tables["signals"]}
    if not described:
        return None
    missing = [name for name in SERIES if name not in described]
    if missing:
        msg = f"there is no series {missing[0]!r}"
        raise ValueError(msg)
    raw = {
        name: np.frombuffer(raw_values(record.blobs[name]), _TYPES[str(described[name]["encoding"])]) for name in SERIES
    }
    starts, lengths = {str(described[name]["first_day"]) for name in SERIES}, {len(values) for values in raw.values()}
    if len(starts) != 1 or len(lengths) != 1:
        msg = f"the series begin on {sorted(starts)} and have {sorted(lengths)} minutes"
        raise ValueError(msg)
    minutes = lengths.pop()
    return Window(
        first=dt.date.fromisoformat(starts.pop()),
        minutes=minutes,
        series={name: _grid(values, minutes) for name, values in raw.items()},
        derived={name: described[name]["derived"] is True for name in SERIES},
    )


def _grid(values: npt.NDArray[np.integer], minutes: int) -> Grid:
    grid = np.zeros(-(-minutes // MINUTES) * MINUTES, np.int64)
    grid[:minutes] = values
    return grid.reshape(-1, MINUTES)


@lru_cache(maxsize=4096)
def ordinal(date: str) -> int:
    """Return the ordinal of a day."""
    return dt.date.fromisoformat(date).toordinal()


def minute_of(time: str) -> int:
    """Return the minute of the day of a time `YYYY-MM-DDTHH:MM:SS`."""
    return 60 * int(time[11:13]) + int(time[14:16])


def minutes_since_0001(time: str) -> int:
    """Return the minutes from the start of day 1 to a time."""
    return ordinal(time[:10]) * MINUTES + minute_of(time)


def by_hour(grid: Grid) -> list[list[int]]:
    """Return the hourly sums of each day."""
    return cast("list[list[int]]", grid.reshape(len(grid), HOURS, PER_HOUR).sum(axis=2).tolist())


def rows_by_id(record: EnvironmentRecord, table: str) -> dict[str, Row]:
    """Return the records of a table by id."""
    return {str(row["id"]): row for row in cast("Sequence[Row]", record.tables[table])}
