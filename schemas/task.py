"""A task: what the user asks, what the user knows and consents to, and the gold that execution proved."""

from __future__ import annotations

from typing import Annotated, Literal

from schemas.base import Json, Model
from schemas.contract import Expectation
from schemas.goal import Goal
from schemas.plan import Plan
from schemas.shared import Shared

SlotKind = Literal["money_cents", "count", "percent", "date", "period", "term", "name", "text", "bool"]
"""Kind of a slot's value; each is written and read by the language package. A `text` is kept as it stands."""


class Reference(Model):
    """What a slot refers to: its text must match exactly one distinct value of this column of state or world."""

    table: str
    column: str


class Slot(Model):
    """One thing the user tells."""

    name: str
    kind: SlotKind
    value: Json
    """In the units of the state: cents, whole units, ISO dates, [first, last] for a period, the vocabulary's spelling
    for a term."""
    told: Literal["upfront", "on_request", "implicit", "by_part"] = "upfront"
    """At once; when asked for; in a text of the user's that can be read; or not at all, since it is what an earlier
    part of the task finds."""
    source: str = ""
    """Of a slot told by a part: the answer that it is, with its prefix, such as `1.category`."""
    refers_to: Reference | None = None
    constraint: bool = True
    """Whether the slot narrows the choice, so that leaving it out must change the result."""
    alternatives: list[Json] = []
    """Other values the user could have said; at least one must change the result."""


class IntentUse(Model):
    """One intent of the task, in the form that applies, with its slots."""

    intent: str
    form: str
    """`fulfil`, or the decline reason."""
    prefix: str = ""
    """Stands before the names of slots and answers in a task of several intents: `1.`, `2.`, …; empty for one."""
    variant: str = ""
    """Which question or rule of the intent this is, such as `orders` for a count of orders."""
    slots: list[Slot]


class Consent(Model):
    """What the user says when asked for the consent of a gate."""

    gate: str
    granted: bool
    up_to_cents: int | None = None
    """Of a gate that asks for an amount: the most that the user agrees to in all; asked for more, they refuse."""
    once: bool = False
    """The consent is for this request only: when it is done, the user takes it back."""


class Change(Model):
    """A change of mind: asked for the consent of `gate` for the first time, the user wants something else as well.

    The slots of the task hold the last wish, which alone decides; the instruction states the first one.
    """

    gate: str
    first: dict[str, Json]
    """Slot, with its prefix -> the value that the instruction states; all are told up front."""
    message: str
    """What the user says then, in first person: the new values of just these slots."""


class UserScript(Model):
    """What the simulated user knows and does. The user never plans for the assistant and never invents a fact."""

    style: Literal["terse", "chatty", "formal", "careless"]
    consents: list[Consent]
    top_up: Literal["exact_shortfall", "refuse"]
    permits: list[str] = []
    """What the request permits that policy otherwise forbids, such as `voucher` or `membership`, sorted."""
    change: Change | None = None
    stop: Literal["goal_holds_or_decline_told"] = "goal_holds_or_decline_told"
    """The user stops when the request is met, or when the assistant has declined with a reason."""


class Patch(Model):
    """One record of the environment replaced at the start of the task; `record` null deletes it."""

    table: str
    id: str
    record: dict[str, Json] | None


class Kin(Model):
    """How a task came from another one of its scenario.

    A twin is the same request where one record of the start, or one consent of the user, is different, and so is what
    is right: each one's gold fails the other. A variation is the same scenario told in another way: other words, other
    facts kept back until the assistant asks.
    """

    kind: Literal["twin", "variation"]
    of: str
    """`task_id` of the other task, an earlier one of the same user."""


class Task(Model):
    """One task with its gold. The release splits it into what an agent sees and what only a grader sees."""

    task_id: str
    """`<user_id>-t<ordinal, five digits>`."""
    user_id: str
    ordinal: int
    """Index of the task among its user's tasks, from 0."""
    scenario: str
    """First 16 digits of the digest of environment, intents, their slots and setup; variations and twins share it."""
    kin: Kin | None = None
    template: str
    """`intent/form` or `intent/form/variant` of each part, joined by ` + `, such as `buy-best/fulfil`."""
    family: str
    """Part of life that the first part's records belong to, such as `shopping`, as the services declare it."""
    level: Literal["easy", "hard"]
    """`hard` from two features on."""
    features: list[str]
    """Stated features that decide the level, sorted."""
    intents: list[IntentUse]
    instruction: str
    """The user's first message, in first person."""
    script: UserScript
    setup: list[Patch]
    environment_hash: str
    """State hash of the environment before setup."""
    start_hash: str
    """State hash at task start, after setup."""
    goals: list[Annotated[Goal, Shared]]
    """One per intent, in the same order; each names its own slots and answers without prefix."""
    plan: Plan
    expectation: Expectation
    end_hash: str
    """State hash after the plan."""
    gates: list[str]
    """Gates that are closed at the start and that the plan meets, sorted."""
    tools: list[str]
    """Tools the plan calls, sorted."""
