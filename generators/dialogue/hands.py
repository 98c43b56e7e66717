"""What the user does in a conversation: done in the environment, recorded, and told to the assistant as it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.dialogue.parts import Act, UserFault
from services.runtime.algebra import NO_ROW, Scope
from services.runtime.records import to_data

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.dialogue.stage import Stage
    from schemas.base import Json
    from schemas.trajectory import Confirmed, Did


class UserHands:
    """The user's hands in one turn. Implements `parts.Hands`."""

    def __init__(self, stage: Stage) -> None:
        """Begin a turn, or stand by while the assistant has one."""
        self._stage = stage
        self.done: list[Did | Confirmed] = []
        """What was done, in order."""
        self.acts: list[Act] = []
        """The calls among it."""

    @property
    def pending(self) -> Sequence[tuple[str, Mapping[str, Json]]]:
        """Calls that wait for the user's yes, the latest last."""
        return tuple(self._stage.pending)

    def call(self, tool: str, arguments: Mapping[str, Json]) -> dict[str, Json]:
        """Call a tool of the user's and return its result."""
        did = self._stage.record(self._stage.call("user", tool, arguments))
        self.done.append(did)
        self.acts.append(Act(tool, arguments, did.result))
        return did.result

    def confirm(self, tool: str, arguments: Mapping[str, Json]) -> None:
        """Say yes to one call with exactly these arguments. Raise UserFault when no call can have them."""
        try:
            confirmed = self._stage.confirm(tool, arguments)
        except ValueError as error:
            msg = f"the user says yes to a call of {tool} that nobody can make: {error}"
            raise UserFault(msg) from error
        self.done.append(confirmed)

    def look(self, table: str) -> Mapping[str, Mapping[str, Json]]:
        """Return the user's records of a table by id. Raise KeyError for a table that no user can see."""
        env = self._stage.env
        if env.catalogue.tables[table].hidden:
            raise KeyError(table)
        return {record.id: to_data(record) for record in env.state_.all(table)}

    def has_opened(self, gate: str) -> bool:
        """Return whether a standing gate is open."""
        env = self._stage.env
        compiled = env.catalogue.gates[gate]
        return compiled.gate.standing and not compiled.closed(NO_ROW, Scope(env.state_, env.now, {}))
