"""The goal algebra: expressions, predicates and relations over the state, as data.

Two engines read it: `generators` evaluate it directly, `validators` compile it to SQL. Neither calls code of a service;
what a service knows (a unit price, whether a membership is valid) it declares as expressions of this algebra.

Relations are lists of flat rows. `Table` names its columns `prefix.column`; everything else keeps the names it is
given. A comparison with null is false, except `eq` and `ne`, which treat null as a value. All arithmetic is on
integers.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.base import Model, Scalar

# --- scalars -----------------------------------------------------------------------------------------------------


class Slot(Model):
    """A value the user gives: a slot of the task, or a named argument of a derivation."""

    op: Literal["slot"] = "slot"
    name: str


class Const(Model):
    """A constant of the intent or of policy."""

    op: Literal["const"] = "const"
    value: Scalar


class Now(Model):
    """The frozen clock of the environment."""

    op: Literal["now"] = "now"
    part: Literal["date", "time"] = "date"
    """`date` is `YYYY-MM-DD`, `time` is `YYYY-MM-DDTHH:MM:SS`."""


class Col(Model):
    """A column of the current row; over tool results, a path into the row such as `options.0.price`.

    A path goes into objects by name and into lists by position from 0; a path through null is null.
    """

    op: Literal["col"] = "col"
    name: str


class Node(Model):
    """The value of an earlier node: a scalar, or `field` of the first row of a relation (null when it has no row)."""

    op: Literal["node"] = "node"
    name: str
    field: str = ""
    """Column of the relation's first row; empty for a scalar node."""


class Arith(Model):
    """Integer arithmetic. `div_half_up(a, b)` is floor((2a + b) / 2b) for b > 0, the only rounding there is."""

    op: Literal["arith"] = "arith"
    fn: Literal["add", "sub", "mul", "mod", "min", "max", "div_half_up", "to_int", "to_decimal"]
    """`to_int(x, k)` is the integer x·k of a decimal x of a tool result with at most log10(k) decimals; `to_decimal(i,
    k)` is i/k; `mod` has the sign of its divisor. With a null among its arguments, each is null."""
    args: list[Expr]


class When(Model):
    """One branch of a `Case`."""

    test: Pred
    then: Expr


class Case(Model):
    """The value of the first branch whose test holds, else `otherwise`."""

    op: Literal["case"] = "case"
    branches: list[When]
    otherwise: Expr


class DateOf(Model):
    """Calendar arithmetic on ISO texts: the day of a time, a day moved by whole days, the first day of its month."""

    op: Literal["date"] = "date"
    fn: Literal["day", "add_days", "month_start"]
    args: list[Expr]


class Named(Model):
    """A named expression of a service, expanded; `naive` is what a careless reader would compute instead."""

    op: Literal["named"] = "named"
    name: str
    body: Expr
    naive: Expr | None = None


class Lookup(Model):
    """`field` of the first row of `source` that satisfies `where`; null when there is none."""

    op: Literal["lookup"] = "lookup"
    source: Rel
    where: Pred | None = None
    field: str


class Aggregate(Model):
    """One number over all rows of `source`. `count` and `sum` over no rows are 0, `mean`, `min` and `max` null."""

    op: Literal["aggregate"] = "aggregate"
    fn: Literal["count", "sum", "mean", "min", "max"]
    """`mean` is div_half_up(sum, count)."""
    source: Rel
    of: Expr | None = None
    """What is aggregated per row; null values are skipped; not given for `count`."""


# --- predicates --------------------------------------------------------------------------------------------------


class All(Model):
    """Every one of `of` holds; true when `of` is empty."""

    op: Literal["all"] = "all"
    of: list[Pred]


class Any(Model):
    """At least one of `of` holds; false when `of` is empty."""

    op: Literal["any"] = "any"
    of: list[Pred]


class Not(Model):
    """`of` does not hold."""

    op: Literal["not"] = "not"
    of: Pred


class Test(Model):
    """A comparison. Texts compare by code point, which orders ISO dates by time."""

    op: Literal["test"] = "test"
    fn: Literal["eq", "ne", "lt", "le", "gt", "ge"]
    left: Expr
    right: Expr


class Has(Model):
    """The list in column `column` holds the value."""

    op: Literal["has"] = "has"
    column: str
    value: Expr


# --- relations ---------------------------------------------------------------------------------------------------


class Table(Model):
    """All records of a table of the state or the world; columns are `prefix.column`."""

    op: Literal["table"] = "table"
    table: str
    prefix: str


class NodeRows(Model):
    """All rows of an earlier relation node."""

    op: Literal["rows"] = "rows"
    name: str


class Order(Model):
    """One sort key."""

    key: Expr
    descending: bool = False


class Column(Model):
    """One computed column."""

    name: str
    value: Expr


class Select(Model):
    """Rows of `source` with computed columns added, filtered by `where`, sorted by `order`, cut to `limit`.

    Later columns may use earlier ones. Nulls sort first. Rows that tie keep an unspecified order: a goal must not
    depend on it.
    """

    op: Literal["select"] = "select"
    source: Rel
    columns: list[Column] = []
    where: Pred | None = None
    order: list[Order] = []
    limit: int | None = None


class Join(Model):
    """Pairs of rows of `left` and `right` for which `on` holds; with `keep_left`, unmatched left rows get nulls."""

    op: Literal["join"] = "join"
    left: Rel
    right: Rel
    on: Pred
    keep_left: bool = False


class Unnest(Model):
    """One row per element of the list in `column`; the element becomes the column `name`."""

    op: Literal["unnest"] = "unnest"
    source: Rel
    column: str
    name: str


class Measure(Model):
    """One aggregate of a group."""

    name: str
    fn: Literal["count", "sum", "mean", "min", "max"]
    of: Expr | None = None


class Group(Model):
    """One row per distinct combination of the columns `keys`, with measures."""

    op: Literal["group"] = "group"
    source: Rel
    keys: list[str]
    measures: list[Measure]


Expr = Annotated[
    Slot | Const | Now | Col | Node | Arith | Case | DateOf | Named | Lookup | Aggregate, Field(discriminator="op")
]
Pred = Annotated[All | Any | Not | Test | Has, Field(discriminator="op")]
Rel = Annotated[Table | NodeRows | Select | Join | Unnest | Group, Field(discriminator="op")]

for _model in (
    Arith,
    When,
    Case,
    DateOf,
    Named,
    Lookup,
    Aggregate,
    All,
    Any,
    Not,
    Test,
    Has,
    Order,
    Column,
    Select,
    Join,
    Unnest,
    Measure,
    Group,
):
    _model.model_rebuild()
