"""What expressions of the goal algebra read: rows, tables, the clock, slots and earlier nodes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from schemas.goal import Rel

Value: TypeAlias = object
Row: TypeAlias = Mapping[str, Value]
NO_ROW: Row = {}


class AlgebraError(ValueError):
    """An expression that cannot be evaluated: an unknown slot, column or node, or a value of the wrong type."""


class Source(Protocol):
    """Where tables come from."""

    def rows(self, table: str, prefix: str) -> Sequence[Row]:
        """Return the records of `table` as rows with columns `prefix.column`; raise KeyError for an unknown table."""
        ...

    def one(self, table: str, key: str, prefix: str) -> Row | None:
        """Return the record with id `key` as a row, or None; raise KeyError for an unknown table."""
        ...

    def columns(self, table: str) -> tuple[str, ...]:
        """Return the field names of `table`, also when it is empty; raise KeyError for an unknown table."""
        ...


class Scope:
    """What an expression may read beside its row: the tables, the clock, the slots and the nodes evaluated before."""

    __slots__ = ("nodes", "now", "relations", "slots", "source")

    def __init__(self, source: Source, now: str, slots: Mapping[str, Value]) -> None:
        """Make a scope with no nodes evaluated yet."""
        self.source = source
        self.now = now
        self.slots = slots
        self.nodes: dict[str, Value] = {}
        self.relations: dict[str, Rel] = {}
        """Relation nodes by name: an empty one still has columns."""


ExprFn: TypeAlias = Callable[[Row, Scope], Value]
PredFn: TypeAlias = Callable[[Row, Scope], bool]
RelFn: TypeAlias = Callable[[Scope], Sequence[Row]]
