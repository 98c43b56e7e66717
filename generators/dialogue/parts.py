"""What the two sides of a conversation are, to the runner and to each other."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias, runtime_checkable

from schemas.models import Usage

if TYPE_CHECKING:
    from schemas.base import Json
    from schemas.trajectory import Declared, Elicited, Side

Message: TypeAlias = "dict[str, Json]"
"""A message of a chat-completions request, as the assistant sees it; arguments of calls are text."""


@dataclass(frozen=True, slots=True)
class CallRequest:
    """A tool call that an assistant wants made."""

    id: str
    tool: str
    arguments: str
    """As the assistant wrote them; JSON, one hopes."""


@dataclass(frozen=True, slots=True)
class AssistantTurn:
    """What an assistant does at once: calls, which run one after the other, or else a message to the user."""

    text: str = ""
    calls: tuple[CallRequest, ...] = ()
    label: str = ""
    """Kind of the turn, for training."""
    usage: Usage = field(default_factory=Usage)
    """Of this turn."""


@dataclass(slots=True)
class AssistantView:
    """All that an assistant sees. The runner keeps it; an assistant only reads it."""

    messages: list[Message]
    """The conversation from the system prompt on."""
    tools: list[Json]
    """What can be called now, as in a chat-completions request."""
    results: list[dict[str, Json]] = field(default_factory=list["dict[str, Json]"])
    """Results of the calls of its last turn, in order; empty when that was a message."""
    acts: list[Act] = field(default_factory=list["Act"])
    """What the user did in their last turn, as told to the assistant."""
    remaining_calls: int = 0
    """Tool calls left in the budget."""


@dataclass(frozen=True, slots=True)
class Act:
    """A tool call of the user, with its result."""

    tool: str
    arguments: Mapping[str, Json]
    result: Mapping[str, Json]


class Assistant(Protocol):
    """The side that is to be judged. One object plays one conversation."""

    @property
    def name(self) -> str:
        """Name in trajectories."""
        ...

    @property
    def declared(self) -> Declared | None:
        """Of an imperfect assistant, what it says of itself."""
        ...

    @property
    def parameters(self) -> Mapping[str, Json]:
        """Of a model, what is sent beside messages and tools."""
        ...

    async def turn(self, view: AssistantView) -> AssistantTurn:
        """Return the next turn. Raise AssistantFailed, UserFault or Unreachable when there is none."""
        ...


@runtime_checkable
class Varied(Protocol):
    """An assistant that plays a variant for training."""

    @property
    def variant(self) -> str:
        """Which one; empty where the task leaves no room for it."""
        ...


class Hands(Protocol):
    """What a user does things with. Everything done is recorded and told to the assistant truthfully."""

    @property
    def pending(self) -> Sequence[tuple[str, Mapping[str, Json]]]:
        """Calls that the assistant tried and that wait for the user's yes, the latest last."""
        ...

    def call(self, tool: str, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """Call a tool of the user's and return its result, which may be an error."""
        ...

    def confirm(self, tool: str, arguments: Mapping[str, Json]) -> None:
        """Say yes to one call with exactly these arguments."""
        ...

    def look(self, table: str) -> Mapping[str, Mapping[str, Json]]:
        """Return the user's own records of a table by id, as on their own screen; no hidden table can be looked at."""
        ...

    def has_opened(self, gate: str) -> bool:
        """Return whether a standing gate is open, as the user's own settings show."""
        ...


@dataclass(frozen=True, slots=True)
class UserReply:
    """What a user says in answer to a message, after doing what they did."""

    text: str
    stop: bool = False
    """Whether the conversation is over for the user; the text is then the last message, and may be empty."""
    gave_up: bool = False
    """Whether the user stops because it led nowhere, whatever is so by now."""
    told: Mapping[str, Elicited] = field(default_factory=dict[str, "Elicited"])
    """Slots that the text tells."""
    answered: Mapping[str, bool] = field(default_factory=dict[str, bool])
    """Gates about whose consent the user was asked and decided, with whether it is given."""
    usage: Usage = field(default_factory=Usage)


class User(Protocol):
    """The side that asks. One object plays one conversation; the first message is always the instruction."""

    @property
    def name(self) -> str:
        """Name in trajectories."""
        ...

    @property
    def prompt(self) -> str:
        """Exact system prompt of a model; empty for others."""
        ...

    @property
    def parameters(self) -> Mapping[str, Json]:
        """Of a model, what is sent beside messages and tools."""
        ...

    async def reply(self, text: str, hands: Hands) -> UserReply:
        """Answer a message of the assistant. Raise UserFault or Unreachable."""
        ...

    def agrees(self, tool: str, arguments: Mapping[str, Json], hands: Hands) -> bool:
        """Return whether the user, who has been asked for it in words before, now says yes to a call being made."""
        ...


class Wish(Protocol):
    """What the user wants, as far as yes and no: it never says what would be right."""

    def accepts(self, tool: str, arguments: Mapping[str, Json], side: Side) -> bool:
        """Return whether a call, made now, would do nothing that the user does not want.

        Records of the user's that are there from the start may change only where the wish changes them, and no more
        records of a kind may come into being than the wish brings about. Which new record is right is not looked at.
        """
        ...

    def fulfilled(self) -> bool:
        """Return whether the state is one in which the request is met, answers and questions apart."""
        ...


Plausible: TypeAlias = "Callable[[str, Sequence[Message]], list[str]]"
"""Returns what is wrong with a message of a simulated user, given the conversation so far; nothing when all is well."""


class AssistantFailed(Exception):
    """The assistant cannot go on: its model refuses, or the conversation is too long for it."""


class UserFault(Exception):
    """The simulated user broke its script, and repair did not help."""


class Unreachable(Exception):
    """A model could not be reached, whatever was tried."""
