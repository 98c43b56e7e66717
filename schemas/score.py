"""The score of a trajectory: pass or fail by execution, and apart from it how the assistant got there."""

from __future__ import annotations

from typing import Literal, TypeAlias

from schemas.base import Json, Model

ErrorClass: TypeAlias = Literal["data", "tool_bypass", "navigation", "consent", "other"]
"""PAUSE's classes: wrong data or computation; told or declined without the reads that show it; did not find the way
(gave up, ran out of budget, did not do what was to be done); configuration, permission, consent or confirmation; any
other, such as more than was asked for."""
Told: TypeAlias = Literal["right", "wrong", "missing", "hedged"]
"""An answer: equal; different; not told; several values, or one that is not stood by."""


class Overlap(Model):
    """Tool calls of the assistant against those of the gold, as multisets of typed, normalised calls."""

    shared: int
    gold: int
    made: int
    precision: float
    recall: float
    f1: float


class Found(Model):
    """One error that the events show."""

    error: str
    """Name, such as `skip-consent`."""
    error_class: ErrorClass
    detail: str
    """What shows it, in one sentence."""
    decisive: bool
    """Whether it is among the reasons for which the trajectory fails."""


class Score(Model):
    """What is said of one trajectory."""

    passed: bool
    """Contract, answers and consent hold."""
    contract: bool
    answers: bool
    consent: bool
    reason: str = ""
    """Why it fails, in one sentence."""
    contract_index: int = -1
    """The contract that holds."""
    told: dict[str, Told] = {}
    """Per required answer."""
    values: dict[str, Json] = {}
    """The typed answers read, by name."""
    collateral: int = 0
    """Changes at the end that no contract requires or allows."""
    needless: list[str] = []
    """Requests to the user that were not needed, such as a consent for a gate that was open or a fact told before."""
    targets: int = 0
    """Required changes, answers and questions."""
    reached: int = 0
    """Those of them that are met."""
    overlap: Overlap
    elicited: dict[str, str] = {}
    """Slots kept back -> `active`, `passive` or `never`."""
    assistant_turns: int
    user_turns: int
    calls: int
    """Tool calls of the assistant."""
    errors: int
    """Those of them that returned an error."""
    blocked: dict[str, int] = {}
    """Gate -> attempts that it blocked; one per gate is free."""
    found: list[Found] = []
    error_class: ErrorClass | None = None
    """Of a failed trajectory, the class of its first decisive error."""
