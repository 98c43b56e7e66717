"""One user of a run, as the published tables and arrays tell it."""

from __future__ import annotations

import datetime as dt
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, cast

from generators.environments.wearables import family_of
from publishing.errors import ReleaseError
from publishing.parquet import read_rows
from publishing.run import open_run, parsed, shards
from schemas.profile import Profile
from services.runtime.blobs import unpack, view, width

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from publishing.parquet import RawRow
    from publishing.run import Run
    from schemas.base import Json
    from services.runtime.blobs import Encoding

Rows = list[dict[str, "Json"]]
MINUTES = 1_440
_COLUMNS = ("user_id", "now", "tables_json", "blobs_json")
_BATCH = 4


@dataclass(frozen=True)
class Person:
    """A user with an environment. Amounts are as published: METs in tenths, calories in hundredths of a kcal, cents."""

    profile: Profile
    now: str
    tables: Mapping[str, Rows]
    blobs: Mapping[str, str]
    family: str | None
    """The way of life that the signals were modelled on; None where they come from exports."""

    def rows(self, table: str) -> Rows:
        """Return the records of a table, by id; none where no service brings it."""
        return self.tables.get(table, [])

    def one(self, table: str) -> dict[str, Json]:
        """Return the only record of a table. Raise ValueError when it has another number of them."""
        (row,) = self.rows(table)
        return row

    @cached_property
    def dates(self) -> list[str]:
        """The days of the window, recorded or not."""
        return [str(row["id"]) for row in self.rows("source_days")]

    @cached_property
    def recorded(self) -> dict[str, dict[str, Json]]:
        """The records of days, by date, those that no device recorded left out."""
        return {str(row["id"]): row for row in self.rows("wearable_days")}

    @cached_property
    def whole(self) -> dict[str, dict[str, Json]]:
        """The same without today, which is not over."""
        return {date: row for date, row in self.recorded.items() if row["minutes"] == MINUTES}

    def series(self, name: str) -> Sequence[int]:
        """Return the array of a name: a value for each minute of the window that is over; empty where there is none."""
        described = {str(row["id"]): row for row in self.rows("signals")}
        if name not in described:
            return []
        encoding = cast("Encoding", described[name]["encoding"])
        raw = unpack(self.blobs[name], cast("int", described[name]["count"]) * width(encoding))
        return view(raw, encoding)

    def amounts(self, table: str, column: str) -> list[int]:
        """Return the numbers in a column, those that are null left out."""
        return [cast("int", row[column]) for row in self.rows(table) if row[column] is not None]


def people_of(folder: Path) -> Iterator[Person]:
    """Yield the users of a run, by index, one in memory at a time. Raise ReleaseError when the folder is no run."""
    run = open_run(folder)
    for users, environments in _pairs(run):
        rows = {str(row["user_id"]): row for row in read_rows(users)}
        for row in read_rows(environments, _COLUMNS, _BATCH):
            yield _person(run, rows[str(row["user_id"])], row)


def find_person(folder: Path, name: str) -> Person:
    """Return the user of an id such as `u000003`, or of an index. Raise ReleaseError when the run has none."""
    wanted = f"u{int(name):06d}" if name.isdecimal() else name
    run = open_run(folder)
    known = 0
    for users, environments in _pairs(run):
        rows = {str(row["user_id"]): row for row in read_rows(users)}
        known += len(rows)
        if wanted in rows:
            found = (row for row in read_rows(environments, _COLUMNS, _BATCH) if row["user_id"] == wanted)
            return _person(run, rows[wanted], next(found))
    msg = f"{folder} has no user {name!r} among its {known}; name one by id or index, such as u000000 or 0"
    raise ReleaseError(msg)


def world_of(folder: Path) -> Mapping[str, Rows]:
    """Return the tables of a run's world. Raise ReleaseError when the folder is no run."""
    (row,) = (row for path in shards(open_run(folder), "worlds") for row in read_rows(path, batch=1))
    return cast("Mapping[str, Rows]", parsed(row, "tables"))


def _pairs(run: Run) -> Iterator[tuple[Path, Path]]:
    """Yield each shard of users with that of their environments."""
    environments = {path.name: path for path in shards(run, "environments")}
    for path in sorted(shards(run, "users"), key=lambda path: path.name):
        yield path, environments[path.name]


def _person(run: Run, user: RawRow, environment: RawRow) -> Person:
    fields = {name: parsed(user, name) for name in Profile.model_fields}
    profile = Profile.model_validate(fields)
    return Person(
        profile=profile,
        now=str(environment["now"]),
        tables=cast("Mapping[str, Rows]", parsed(environment, "tables")),
        blobs=cast("Mapping[str, str]", parsed(environment, "blobs")),
        family=None if run.config.wearables else family_of(run.config.seed, profile),
    )


def weekday(date: str) -> int:
    """Return the weekday of a date, Monday 0."""
    return dt.date.fromisoformat(date).weekday()
