"""What a solver is given and what it says: facts about the end, in a small form that compares with an expectation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from schemas.base import Json, Scalar

Row: TypeAlias = Mapping[str, Any]
"""A record as plain data."""


@dataclass(frozen=True, slots=True)
class SolverInput:
    """All that a solver may know."""

    tables: Mapping[str, Mapping[str, Row]]
    """Records at the start of the task by table and id, those of the world beside those of the state, ids in order."""
    slots: Mapping[str, Any]
    """Slots by name, each with its value as the task states it: a period is [first day, last day]."""
    now: str
    """The frozen local time, `YYYY-MM-DDTHH:MM:SS`."""
    variant: str = ""
    """Which question or rule of the intent is asked."""
    refused: frozenset[str] = frozenset()
    """Gates whose consent the user refuses when asked."""

    @property
    def today(self) -> str:
        """The frozen date."""
        return self.now[:10]

    def rows(self, table: str, **fields: object) -> list[Row]:
        """Return the records of `table` whose fields have these values."""
        wanted = fields.items()
        return [row for row in self.tables[table].values() if all(row[name] == value for name, value in wanted)]


@dataclass(frozen=True, slots=True)
class Fact:
    """One record that is created, updated or deleted, with its `id` or the values of some of its fields."""

    op: str
    table: str
    fields: Mapping[str, Json]


@dataclass(frozen=True, slots=True)
class Sum:
    """What a column of the records created in a table comes to, over those whose fields are `where`."""

    table: str
    where: Mapping[str, Scalar]
    column: str
    value: int


@dataclass(frozen=True, slots=True)
class Solution:
    """The net end: every change there is, the sums of ledgers, what is told and what is asked."""

    facts: Sequence[Fact] = ()
    sums: Sequence[Sum] = ()
    answers: Mapping[str, Json] = field(default_factory=dict[str, "Json"])
    reason: str = ""
    """Why the request is declined; empty when it is met."""
    asks: Sequence[str] = ()


Solver: TypeAlias = Callable[[SolverInput], Solution]
