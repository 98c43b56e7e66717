"""The goal: what must be true at the end, stated once, as data in the algebra of `schemas.algebra`.

A goal is a list of named nodes (relations and scalars over the state), the writes that make the request true, the
answers the user must be told, and, for a request that must be declined, the reason and the fact that makes it right.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.algebra import (
    Aggregate,
    All,
    Any,
    Arith,
    Case,
    Col,
    Column,
    Const,
    DateOf,
    Expr,
    Group,
    Has,
    Join,
    Lookup,
    Measure,
    Named,
    Node,
    NodeRows,
    Not,
    Now,
    Order,
    Pred,
    Rel,
    Select,
    Slot,
    Table,
    Test,
    Unnest,
    When,
)
from schemas.base import Model, Scalar


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


class FieldLeft(Model):
    """The field has what is left of `start` after `amount` is taken, and never less than nothing.

    Where several parts of a task take from one field of one record, their amounts add.
    """

    rule: Literal["left"] = "left"
    start: Expr
    amount: Expr


class FieldRef(Model):
    """The field holds the id of the record created as `var`."""

    rule: Literal["ref"] = "ref"
    var: str


class FieldAny(Model):
    """The field may have any value."""

    rule: Literal["any"] = "any"


FieldGoal = Annotated[FieldIs | FieldIn | FieldWithin | FieldLeft | FieldRef | FieldAny, Field(discriminator="rule")]


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
    beyond: Expr | None = None
    """Only what exceeds this counts: the total is max(0, value - beyond), values of several parts added first."""


AnswerKind = Literal["money_cents", "count", "decimal", "percent", "date", "name", "names", "term", "reason"]
"""Type of an answer: cents, a whole number, a number with at most one decimal, a percentage, an ISO date, one proper
name, a set of names, a word of a vocabulary, a decline reason."""


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
    """The acceptable choices `rows`, best first: the first must beat the second strictly on the columns `keys`.

    With `within`, that holds among the rows alike in these columns, and each such group has a best choice.
    """

    rows: str
    keys: list[str]
    within: list[str] = []


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


__all__ = [
    "Aggregate",
    "All",
    "AnswerGoal",
    "AnswerKind",
    "Any",
    "Arith",
    "Case",
    "Col",
    "Column",
    "Const",
    "DateOf",
    "Decline",
    "Expr",
    "FieldAny",
    "FieldGoal",
    "FieldIn",
    "FieldIs",
    "FieldLeft",
    "FieldRef",
    "FieldWithin",
    "Goal",
    "Group",
    "Has",
    "Join",
    "Lookup",
    "Measure",
    "Named",
    "NamedNode",
    "Node",
    "NodeRows",
    "Not",
    "Now",
    "Optimum",
    "Order",
    "Pred",
    "Reason",
    "Rel",
    "Select",
    "Slot",
    "Table",
    "Test",
    "TotalGoal",
    "Unnest",
    "When",
    "Write",
]
