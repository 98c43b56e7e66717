"""The language in which an intent says what a perfect assistant does.

`steps` is a generator: it yields the commands below and receives traced values. A traced value knows its origin; it can
be indexed and
passed on, and nothing else: arithmetic, truth, comparison and iteration raise, so that no value escapes its provenance.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias

if TYPE_CHECKING:
    from schemas.base import Json, Scalar
    from schemas.goal import Column, Expr, Measure, Order, Pred


class Traced:
    """A value with its origin: a node of the provenance graph."""

    __slots__ = ("_data", "node")

    def __init__(self, data: Json, node: int) -> None:
        """Hold `data`, which came from graph node `node`."""
        self._data = data
        self.node = node

    def __getitem__(self, key: str | int) -> Item:
        """Return the value at `key`, still to be traced by the planner."""
        return Item(self, (key,))

    def _opaque(self, *_: object) -> NoReturn:
        msg = "a traced value cannot be computed with; yield Derive, Decide, Filter, Map or Sum instead"
        raise TypeError(msg)

    __bool__ = __iter__ = __len__ = __lt__ = __le__ = __gt__ = __ge__ = _opaque
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __int__ = __float__ = __str__ = __format__ = _opaque
    __eq__ = __ne__ = _opaque  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]
    __hash__ = None  # type: ignore[assignment]  # pyright: ignore[reportAssignmentType]


class Item(Traced):
    """A part of a traced value, by path."""

    __slots__ = ("path", "root")

    def __init__(self, root: Traced, path: tuple[str | int, ...]) -> None:
        """Point at `path` in `root`."""
        self.root = root
        self.path = path

    def __getitem__(self, key: str | int) -> Item:
        """Return a deeper part."""
        return Item(self.root, (*self.path, key))


@dataclass(frozen=True, slots=True)
class Fixed:
    """A constant that policy or the form of the request fixes."""

    name: str
    value: Scalar


Given: TypeAlias = Traced | Fixed
Args: TypeAlias = Mapping[str, Given]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of the assistant; returns its result."""

    tool: str
    arguments: Args = field(default_factory=dict[str, Given])


@dataclass(frozen=True, slots=True)
class User:
    """A call of the user; returns its result."""

    tool: str
    arguments: Args


@dataclass(frozen=True, slots=True)
class Pages:
    """All pages of a listing tool; returns the joined list under `items`."""

    tool: str
    items: str


@dataclass(frozen=True, slots=True)
class Each:
    """One call per row of `rows`, its arguments the named columns; returns the rows extended by the results."""

    rows: Traced
    tool: str
    arguments: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Filter:
    """The rows that satisfy `where`, sorted by `order`; slots in both are the names in `args`."""

    rows: Traced
    where: Pred | None = None
    order: tuple[Order, ...] = ()
    args: Args = field(default_factory=dict[str, Given])


@dataclass(frozen=True, slots=True)
class Map:
    """Each row with computed columns added."""

    rows: Traced
    columns: tuple[Column, ...]
    args: Args = field(default_factory=dict[str, Given])


@dataclass(frozen=True, slots=True)
class Unnest:
    """Each element of the list in `column` of each row, extended by the rest of its row."""

    rows: Traced
    column: str


@dataclass(frozen=True, slots=True)
class Pluck:
    """The values of one column."""

    rows: Traced
    column: str


@dataclass(frozen=True, slots=True)
class Read:
    """Each row with the constraints that the text in `column` states; null where it states none.

    `words` says of a field in which column of state or world, as (table, column), the words for it stand.
    """

    rows: Traced
    column: str
    words: Mapping[str, tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Sum:
    """An aggregate over the rows."""

    rows: Traced
    fn: str
    value: Expr | None = None
    args: Args = field(default_factory=dict[str, Given])


@dataclass(frozen=True, slots=True)
class Group:
    """One row per distinct combination of the columns `keys`, in order of the first, with measures."""

    rows: Traced
    keys: tuple[str, ...]
    measures: tuple[Measure, ...]


@dataclass(frozen=True, slots=True)
class Derive:
    """The value of an expression whose slots are the names in `args`."""

    value: Expr
    args: Args


@dataclass(frozen=True, slots=True)
class Decide:
    """The truth of a predicate, as a plain bool to branch on; the branch taken is recorded."""

    test: Pred
    args: Args


@dataclass(frozen=True, slots=True)
class Today:
    """The date that every assistant is told."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question for the consent that opens `gate`, to be refused; `names` are the values it states."""

    gate: str
    names: Args = field(default_factory=dict[str, Given])


@dataclass(frozen=True, slots=True)
class Tell:
    """The report: typed answers."""

    answers: Args


Computation: TypeAlias = Filter | Map | Unnest | Pluck | Sum | Group | Read | Derive | Decide
"""Commands that compute from traced values and touch nothing."""
Command: TypeAlias = Call | User | Pages | Each | Today | Ask | Tell | Computation
Program: TypeAlias = Generator[Command, Any, Any]
"""Yields commands, receives traced values (a bool for Decide); may be composed with `yield from`."""
