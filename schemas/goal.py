"""The goal algebra: what must be true, as data.

A goal is a list of named nodes (relations and scalars over the state), the writes that make the request true, the
answers the user must be told, and, for a request that must be declined, the reason and the fact that makes it right.
Two engines read the same goal: `generators` evaluate it directly, `validators` compile it to SQL. Neither calls code of
a service; what a service knows (a unit price, whether a membership is valid) it declares as expressions of this
algebra.

Relations are lists of flat rows. `Table` names its columns `prefix.column`; everything else keeps the names it is
given.
A comparison with null is false, except `eq` and `ne`, which treat null as a value. All arithmetic is on integers.
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
    """A column of the current row; over tool results, a path into the row such as `nutrition.sugar_g`."""

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
    k)` is i/k."""
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

# --- the goal ----------------------------------------------------------------------------------------------------


class NamedNode(Model):
    """A node of the goal: exactly one of `rows` and `scalar` is given."""

    name: str
    rows: Rel | None = None
    scalar: Expr | None = None


class FieldIs(Model):
    """The field has this value."""

    rule: Literal["equal"] = "equal"
    value: Expr


class FieldIn(Model):
    """The field has one of these values."""

    rule: Literal["one_of"] = "one_of"
    values: list[Expr]


class FieldWithin(Model):
    """The field lies in [low, high]."""

    rule: Literal["range"] = "range"
    low: Expr
    high: Expr


class FieldRef(Model):
    """The field holds the id of the record created as `var`."""

    rule: Literal["ref"] = "ref"
    var: str


class FieldAny(Model):
    """The field may have any value."""

    rule: Literal["any"] = "any"


FieldGoal = Annotated[FieldIs | FieldIn | FieldWithin | FieldRef | FieldAny, Field(discriminator="rule")]


class Write(Model):
    """A change that must happen: one, or one per row of the relation node `rows`, where `when` holds."""

    op: Literal["create", "update", "delete"]
    table: str
    rows: str = ""
    """Relation node with one write per row, whose columns the expressions may use; empty for a single write."""
    when: Pred | None = None
    id: Expr | None = None
    """Id of the record to update or delete."""
    var: str = ""
    """Name of the created record, for `FieldRef`."""
    fields: dict[str, FieldGoal] = {}
    """For create: every field but the id. For update: the fields that change; all others must stay."""


class TotalGoal(Model):
    """A sum or count over the records *created* in a table that match `where` must compare to `value`."""

    table: str
    where: dict[str, Scalar] = {}
    column: str = ""
    """Summed column; empty for a count."""
    fn: Literal["eq", "le", "ge"] = "eq"
    value: Expr


AnswerKind = Literal["money_cents", "count", "date", "name", "names", "term", "reason"]
"""Type of an answer: cents, a number, an ISO date, one proper name, a set of names, a word of a vocabulary, a decline
reason."""


class AnswerGoal(Model):
    """A typed value the assistant must tell."""

    name: str
    kind: AnswerKind
    value: Expr | None = None
    rows: str = ""
    """For kind `names`: the relation node; `column` gives the names."""
    column: str = ""
    cue: str
    """Words that say which value this is, for a person and for the matcher of reports."""


Reason = Literal["none_satisfies", "out_of_stock", "cannot_afford", "consent_refused", "not_recorded", "policy"]
"""Why a request cannot be met: the closed list."""


class Decline(Model):
    """The request must be declined: nothing of `writes` happens, the reason and the answers are told."""

    reason: Reason
    because: Pred
    """The fact that makes declining right; both engines must find it true."""
    gate: str = ""
    """The gate whose remedy the user refuses, for `consent_refused` and `cannot_afford`."""


class Optimum(Model):
    """The acceptable choices `rows`, best first: the first must beat the second strictly on the columns `keys`."""

    rows: str
    keys: list[str]


class Goal(Model):
    """What must be true at the end, stated once."""

    nodes: list[NamedNode] = []
    """In order: a node refers only to earlier ones. Lookups, aggregates and nested relations are not correlated with an
    outer row."""
    writes: list[Write] = []
    totals: list[TotalGoal] = []
    answers: list[AnswerGoal] = []
    gates: list[str] = []
    """Gates that the writes pass, in order of their remedies; each closed one adds its declared effect to the
    contract."""
    relations: list[str] = []
    """Named invariants of services that must hold at the end."""
    decline: Decline | None = None
    optimum: Optimum | None = None


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
