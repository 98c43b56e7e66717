"""The contract: what must hold at the end of a task, as values.

An end-state is judged by its difference to the start: the required changes happened, nothing else did except what is
allowed,
totals and named relations hold. A task stores a set of contracts, one per acceptable end-state, and one of them must
hold.
Tables with a declared view are compared by the rows of the view; ledgers are not compared but held by totals and
relations.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.base import Json, Model, Scalar


class Equal(Model):
    """The field has exactly this value."""

    rule: Literal["equal"] = "equal"
    value: Json


class OneOf(Model):
    """The field has one of these values."""

    rule: Literal["one_of"] = "one_of"
    values: list[Json]


class Range(Model):
    """The field lies in [low, high]; texts compare by code point."""

    rule: Literal["range"] = "range"
    low: Scalar
    high: Scalar


class Left(Model):
    """What is left of `start` after `amounts` are taken: max(0, start - sum). Parts of a task add their amounts."""

    rule: Literal["left"] = "left"
    start: int
    amounts: list[int]


class Text(Model):
    """The text states each of these values and no other value of their kinds; wording is free."""

    rule: Literal["text"] = "text"
    slots: dict[str, list[Json]]
    """Values per kind of the language package."""


class Ref(Model):
    """The field holds the id of the record that was created as `var`."""

    rule: Literal["ref"] = "ref"
    var: str


class AnyValue(Model):
    """The field may have any value."""

    rule: Literal["any"] = "any"


Rule = Annotated[Equal | OneOf | Range | Left | Text | Ref | AnyValue, Field(discriminator="rule")]


class Change(Model):
    """One record created, updated or deleted."""

    op: Literal["create", "update", "delete"]
    table: str
    id: str = ""
    """Id of the updated or deleted record; empty for a create, whose id is free."""
    var: str = ""
    """Variable bound to the id of the created record, unique in the contract."""
    fields: dict[str, Rule] = {}
    """For create: every field but the id. For update: fields with their new values; all others must be as before."""


class Total(Model):
    """A sum or count over the records created in a table that match `where`."""

    table: str
    where: dict[str, Scalar] = {}
    column: str = ""
    """Summed column; empty for a count."""
    fn: Literal["eq", "le", "ge"] = "eq"
    value: int
    beyond: int | None = None
    """Only what exceeds this counts: the total is max(0, value - beyond). Parts of a task add their values first."""


class Allowed(Model):
    """A change that may happen, at most `at_most` times."""

    change: Change
    at_most: int = 1


class Contract(Model):
    """One acceptable end. Every change that is neither required nor allowed breaks it."""

    changes: list[Change] = []
    totals: list[Total] = []
    allowed: list[Allowed] = []
    relations: list[str] = []


class Answer(Model):
    """A typed value that must be told."""

    name: str
    kind: str
    """An answer kind of the goal: `money_cents`, `count`, `decimal`, `percent`, `date`, `name`, `names`, `term`,
    `reason`."""
    value: Json
    cue: str = ""


class RequiredAsk(Model):
    """A question that must have been put to the user: the consent for a gate."""

    gate: str


class Expectation(Model):
    """All that decides whether an outcome passes: one of the contracts, all answers, all asks."""

    any_of: list[Contract]
    answers: list[Answer] = []
    asks: list[RequiredAsk] = []
