"""Where each value of a plan comes from: a graph of typed nodes over one closed table of pure functions.

Nodes are listed in order of creation and refer only to earlier ones by index. A validator re-evaluates every derived
node on
the recorded results and requires exactly the recorded value.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.base import Model, Scalar
from schemas.goal import Column, Expr, Measure, Order, Pred
from schemas.shared import Shared


class Instruction(Model):
    """A slot that the user told up front."""

    kind: Literal["instruction"] = "instruction"
    slot: str


class UserReply(Model):
    """The user's reply to the question put at plan step `step`; `slot` names the fact told, if one was."""

    kind: Literal["user_reply"] = "user_reply"
    step: int
    slot: str = ""


class Result(Model):
    """The value at `path` in the result of plan step `step`."""

    kind: Literal["result"] = "result"
    step: int
    path: list[str | int] = []


class Clock(Model):
    """The frozen clock, which every assistant is told."""

    kind: Literal["clock"] = "clock"
    part: Literal["date", "time"] = "date"


class Policy(Model):
    """A constant that policy or the form of the request fixes, such as the reason of a decline."""

    kind: Literal["policy"] = "policy"
    name: str
    value: Scalar


class Derived(Model):
    """The value of an expression whose slots are the named arguments."""

    kind: Literal["derived"] = "derived"
    value: Annotated[Expr, Shared]
    args: dict[str, int]


class Decided(Model):
    """The truth of a predicate whose slots are the named arguments: a branch of the plan."""

    kind: Literal["decided"] = "decided"
    test: Annotated[Pred, Shared]
    args: dict[str, int]


class Joined(Model):
    """The lists `inputs` one after the other: the pages of one listing."""

    kind: Literal["joined"] = "joined"
    inputs: list[int]


class Called(Model):
    """One call per row of the list `over`: row i extended by the object `inputs[i]`, the result of its call."""

    kind: Literal["called"] = "called"
    over: int
    inputs: list[int]


class Unnested(Model):
    """Each element of the list in `column` of each row of `over`, extended by the other fields of its row."""

    kind: Literal["unnested"] = "unnested"
    over: int
    column: str


class Plucked(Model):
    """The values of `column` in the rows of `over`, in order."""

    kind: Literal["plucked"] = "plucked"
    over: int
    column: str


class Mapped(Model):
    """Each row of the list `over` with computed columns added."""

    kind: Literal["mapped"] = "mapped"
    over: int
    columns: Annotated[list[Column], Shared]
    args: dict[str, int] = {}


class Filtered(Model):
    """The rows of the list `over` that satisfy `where`, sorted by `order`."""

    kind: Literal["filtered"] = "filtered"
    over: int
    where: Annotated[Pred | None, Shared] = None
    order: Annotated[list[Order], Shared] = []
    args: dict[str, int] = {}


class Summed(Model):
    """An aggregate over the rows of the list `over`."""

    kind: Literal["summed"] = "summed"
    over: int
    fn: Literal["count", "sum", "min", "max"]
    value: Annotated[Expr | None, Shared] = None
    args: dict[str, int] = {}


class Grouped(Model):
    """One row per distinct combination of the columns `keys` of the rows of `over`, with measures.

    Groups come in order of their first row.
    """

    kind: Literal["grouped"] = "grouped"
    over: int
    keys: list[str]
    measures: list[Measure]


class Words(Model):
    """The values of a column of state or world, as a vocabulary."""

    table: str
    column: str


class ReadOut(Model):
    """Each row of the list `over` with what the text in `column` states, read by `language.constraints`."""

    kind: Literal["read_out"] = "read_out"
    over: int
    column: str
    words: dict[str, Words]
    """Field that a text may state -> the words that it may use."""


class Element(Model):
    """The value at `path` in another node's value."""

    kind: Literal["element"] = "element"
    of: int
    path: list[str | int]


Origin = Annotated[
    Instruction
    | UserReply
    | Result
    | Clock
    | Policy
    | Derived
    | Decided
    | Joined
    | Called
    | Unnested
    | Plucked
    | Mapped
    | Filtered
    | Summed
    | Grouped
    | ReadOut
    | Element,
    Field(discriminator="kind"),
]
