"""A trajectory: one recorded conversation of an assistant and a user in an environment, event by event.

The events are the record: chat messages, exports and scores are made from them, and the calls among them can be carried
out again, with the same results and the same state hashes.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, Literal, TypeAlias

from pydantic import Field, field_validator
from pydantic_core import PydanticCustomError

from schemas.base import Json, Model
from schemas.models import Money, Usage
from schemas.score import Score

Side: TypeAlias = Literal["assistant", "user"]
EndReason: TypeAlias = Literal["done", "user_stopped", "budget", "agent_error", "user_fault", "infrastructure_error"]
"""`done`: the user ended it and what was asked for is so, or was declined with a reason; `user_stopped`: the user ended
it and it is not; `budget`: turns, calls, tokens, time or money ran out; `agent_error`: the assistant could not go on;
`user_fault`: the simulated user broke its script; `infrastructure_error`: a model could not be reached. The last two
say nothing about the assistant and are never scored."""
UNSCORED: frozenset[EndReason] = frozenset({"user_fault", "infrastructure_error"})
Elicited: TypeAlias = Literal["active", "passive", "change"]
"""How a fact came out: asked for; told after a question that named nothing; told with a change of mind."""


class Said(Model):
    """A message: of one side to the other, or of the platform to the assistant."""

    event: Literal["said"] = "said"
    turn: int
    """Number of the turn, from 0; what one side does before the other's turn shares it."""
    by: Literal["assistant", "user", "platform"]
    text: str
    """Beside calls in the same turn of the assistant, it is not delivered to the user."""
    told: dict[str, Elicited] = {}
    """Slots that the message tells, with how they came out; of the user alone."""
    answered: dict[str, bool] = {}
    """Gates about whose consent the message decides, with whether it is given; of the user alone."""
    label: str = ""
    """What kind of turn this is, for training: empty, or such as `detour`, `recovery`, `clarification`, `refusal`."""


class Did(Model):
    """A tool call and what it returned."""

    event: Literal["did"] = "did"
    turn: int
    side: Side
    call_id: str
    """Names the call in the conversation."""
    reply: int = 0
    """Of the assistant's calls: number of the reply within its turn; calls of one reply were asked for at once."""
    tool: str
    arguments_text: str
    """The arguments as they were given, whether or not that is JSON."""
    arguments: dict[str, Json] | None
    """The arguments as parsed; null where the text is no JSON object, and nothing was called."""
    result: dict[str, Json]
    """What the assistant or the user saw, errors included."""
    state_hash: str
    """State hash after the call."""
    diff: Json = {}
    """What the call changed: table -> id -> [before or null, after or null]; empty for reads and errors."""
    label: str = ""
    """As of a message."""


class Confirmed(Model):
    """The user's yes to one call with exactly these arguments."""

    event: Literal["confirmed"] = "confirmed"
    turn: int
    tool: str
    arguments: dict[str, Json]


class Offered(Model):
    """Tools that became available to the assistant on the way."""

    event: Literal["offered"] = "offered"
    turn: int
    tools: list[Json]
    """As entries of the `tools` list of a chat-completions request."""


Event = Annotated[Said | Did | Confirmed | Offered, Field(discriminator="event")]


class Part(Model):
    """Who played a side."""

    name: str
    """`oracle`, `scripted`, `scripted:<name>`, `person`, or the name of a model."""
    parameters: dict[str, Json] = {}
    """Of a model: all that was sent beside messages and tools."""
    prompt: str = ""
    """The exact system prompt."""
    usage: Usage = Usage()


class Declared(Model):
    """What an imperfect assistant says of itself before anything is scored."""

    error: str
    """The error it commits, such as `skip-consent`."""
    error_class: str
    """Class of the error, see `schemas.score.ErrorClass`."""
    matters: bool
    """Whether the error, committed in this task, makes it fail; false also where the task leaves no room for it."""
    committed: bool
    """Whether the task left room for it."""


class Budget(Model):
    """What a conversation may use up."""

    turns: Annotated[int, Field(ge=1, strict=True)] = 40
    """Turns of the assistant in which it speaks to the user."""
    calls: Annotated[int, Field(ge=1, strict=True)] = 200
    """Tool calls of the assistant, wrong ones included."""
    tokens: Annotated[int, Field(ge=1, strict=True)] | None = None
    """Tokens of assistant and user."""
    seconds: Annotated[float, Field(gt=0, allow_inf_nan=False)] | None = None
    """Time on the clock; a conversation that it ends is not the same from run to run."""
    cost: Money | None = None
    """Money for assistant and user, a decimal number in US dollars that is more than 0."""

    @field_validator("cost")
    @classmethod
    def _is_something(cls, value: str | None) -> str | None:
        if value is not None and not Decimal(value):
            raise PydanticCustomError(
                "no-money", "a conversation cannot begin with no money; leave it out for no limit"
            )
        return value


class Trajectory(Model):
    """One recorded conversation and its score."""

    trajectory_id: str
    """`<task_id>-k<attempt, two digits>`; unique in its rollout."""
    task_id: str
    user_id: str
    attempt: int
    """From 0; of k attempts at each task."""
    family: str
    level: Literal["easy", "hard"]
    template: str
    scenario: str
    now: str
    """The frozen local time that the assistant was told."""
    answers: Literal["text", "tool"]
    """Where answers are read: in the final report, or in calls of the tool `report`."""
    assistant: Part
    user: Part
    tools_json: str
    """Canonical JSON of the tools offered to the assistant at the start, as in a chat-completions request."""
    budget: Budget
    events: list[Event]
    end: EndReason
    end_detail: str = ""
    """What ended it, in one sentence, such as which budget ran out."""
    start_hash: str
    end_hash: str
    declared: Declared | None = None
    variant: str = ""
    """Which oracle variant for training it is; empty for the plain one and for other assistants."""
    score: Score | None = None
    """Null until it is scored; never there for a user fault or an infrastructure error."""
