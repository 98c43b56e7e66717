"""An answer of a user in the making."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.dialogue.parts import UserReply

if TYPE_CHECKING:
    from schemas.trajectory import Elicited


class Answer:
    """What is said and done in one turn."""

    def __init__(self, turn: int) -> None:
        """Begin the answer of a turn, counted from 1."""
        self.turn = turn
        self.lines: list[str] = []
        self.told: dict[str, Elicited] = {}
        self.answered: dict[str, bool] = {}
        self.acted = False
        """Whether the user did something."""
        self.new = False
        """Whether it brings anything that the assistant did not know."""
        self._declined = 0

    def say(self, line: str) -> None:
        """Add a sentence."""
        self.lines.append(line)

    def decline(self, line: str) -> None:
        """Add a sentence that only says no."""
        self.lines.append(line)
        self._declined += 1

    def act(self, line: str) -> None:
        """Add a sentence about something that was done."""
        self.lines.append(line)
        self.acted = self.new = True

    @property
    def only_declines(self) -> bool:
        """Whether there is nothing but no in it."""
        return self._declined == len(self.lines)

    def reply(self, *, stop: bool = False, gave_up: bool = False) -> UserReply:
        """Return the answer, whole."""
        return UserReply(" ".join(self.lines), stop=stop, gave_up=gave_up, told=self.told, answered=self.answered)
