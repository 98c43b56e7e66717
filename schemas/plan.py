"""The gold plan: the executed calls, questions and reports that fulfil the contract."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.base import Json, Model
from schemas.provenance import Origin


class Call(Model):
    """A tool call of the assistant or, with side `user`, of the user."""

    step: Literal["call"] = "call"
    side: Literal["assistant", "user"]
    tool: str
    arguments: dict[str, Json]
    origins: dict[str, int]
    """Provenance node of each argument leaf, by path such as `size` or `basic_info.age`."""
    part: int = 0
    """Index of the intent that the call serves."""
    gate: str = ""
    """The gate whose probe or remedy this call is; empty for a call of the intent itself."""
    result: Json = None
    """The result as executed, an object without `error`."""


class Confirm(Model):
    """The user's yes to one call with exactly these arguments."""

    step: Literal["confirm"] = "confirm"
    tool: str
    arguments: dict[str, Json]


class Ask(Model):
    """A question to the user about the consent for a gate, and the answer the script gives.

    With the first answer for the gate of `script.change`, the user also says what they want instead.
    """

    step: Literal["ask"] = "ask"
    gate: str
    granted: bool
    values: dict[str, Json] = {}
    """What the question names, such as an amount in currency units."""
    origins: dict[str, int] = {}
    """Provenance node of each value that it names."""


class Question(Model):
    """A question to the user about a fact that the request left open, and what the user answers."""

    step: Literal["question"] = "question"
    slot: str
    value: Json


class Tell(Model):
    """The assistant's report: typed answers."""

    step: Literal["tell"] = "tell"
    answers: dict[str, Json]
    origins: dict[str, int]
    """Provenance node of each answer."""


Step = Annotated[Call | Confirm | Ask | Question | Tell, Field(discriminator="step")]


class Plan(Model):
    """Steps in order, the provenance graph of their values, and the branches taken."""

    steps: list[Step]
    nodes: list[Origin]
    """Provenance graph; indices in `origins` and `decisions` point here."""
    decisions: list[int] = []
    """`Decided` nodes on which the course of the plan depends; each must be true."""
