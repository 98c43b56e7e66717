"""The environment of one conversation and the record of everything that happens in it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.base import canonical_text
from schemas.trajectory import Confirmed, Did, Offered, Said
from services.runtime.tools import call_key

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.base import Json
    from schemas.trajectory import Elicited, Event, Side
    from services.runtime.environment import Environment


_SAID = Said(turn=0, by="user", text="")
_DID = Did(turn=0, side="assistant", call_id="", tool="", arguments_text="", arguments=None, result={}, state_hash="")
"""Events to be filled in, which takes a fraction of the time of making them."""


class Stage:
    """Carries out calls and writes events. Their values are its own, so they are not validated again."""

    def __init__(self, env: Environment) -> None:
        """Begin where `env` stands."""
        self.env = env
        self.events: list[Event] = []
        self.turn = 0
        self.hash = env.state_hash()
        """State hash after the last call."""
        self.pending: list[tuple[str, Mapping[str, Json]]] = []
        """Calls of the assistant's that wait for the user's yes."""
        self._calls = 0

    def said(
        self,
        by: str,
        text: str,
        *,
        told: Mapping[str, Elicited] | None = None,
        answered: Mapping[str, bool] | None = None,
        label: str = "",
    ) -> None:
        """Record a message."""
        given = {"turn": self.turn, "by": by, "text": text, "label": label}
        self.events.append(_SAID.changed({**given, "told": dict(told or {}), "answered": dict(answered or {})}))

    def call(self, side: Side, tool: str, arguments: Mapping[str, Json], text: str = "") -> Did:
        """Call a tool and return the event, which is not recorded yet; `text` is how the arguments were given."""
        env = self.env
        before = env.snapshot()
        result = env.call(tool, arguments, side)
        # Most calls are reads, and a refused call leaves nothing.
        wrote = bool(env.footprint.writes) and "error" not in result
        diff: Json = env.diff(before) if wrote else {}  # pyright: ignore[reportAssignmentType]  # dicts of JSON data
        if wrote:
            self.hash = env.state_hash()
        return self._did(side, tool, text or canonical_text(arguments), dict(arguments), result, diff)

    def answer(self, tool: str, text: str, arguments: dict[str, Json] | None, result: dict[str, Json]) -> Did:
        """Return the event of a call of the assistant's that the platform answers by itself."""
        return self._did("assistant", tool, text, arguments, result, {})

    def _did(
        self, side: Side, tool: str, text: str, arguments: dict[str, Json] | None, result: dict[str, Json], diff: Json
    ) -> Did:
        return _DID.changed(
            {
                "turn": self.turn,
                "side": side,
                "tool": tool,
                "arguments_text": text,
                "arguments": arguments,
                "result": result,
                "state_hash": self.hash,
                "diff": diff,
            }
        )

    def record(self, event: Did, reply: int = 0, label: str = "") -> Did:
        """Record a call under the next id and return the recorded event."""
        self._calls += 1
        recorded = event.changed({"call_id": f"call_{self._calls}", "reply": reply, "label": label})
        self.events.append(recorded)
        return recorded

    def confirm(self, tool: str, arguments: Mapping[str, Json]) -> Confirmed:
        """Record the user's yes to a call. Raise ValueError when no call can have these arguments."""
        key = call_key(tool, arguments)
        self.env.confirm(tool, arguments)
        self.pending = [call for call in self.pending if call_key(*call) != key]
        confirmed = Confirmed.model_construct(turn=self.turn, tool=tool, arguments=dict(arguments))
        self.events.append(confirmed)
        return confirmed

    def offer(self, tools: list[Json]) -> None:
        """Record that tools became available."""
        self.events.append(Offered.model_construct(turn=self.turn, tools=tools))
