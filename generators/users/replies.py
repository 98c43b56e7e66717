"""How a scripted user puts things: forms by style, chosen by task and turn, with values in one manner throughout."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, RootModel

from generators.data_files import read_yaml
from generators.tasks.phrases import PLACE, load_styles
from generators.tasks.voice import capital, draw_manner
from language import say
from services.runtime.streams import Stream

if TYPE_CHECKING:
    from collections.abc import Sequence

    from schemas.base import Json
    from schemas.task import Slot


class Replies(BaseModel):
    """What one style says, several forms each."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    granted: list[str]
    topped_up: list[str]
    already: list[str]
    """To a request for what is so."""
    agreed: list[str]
    """To something that the assistant has to do first."""
    refused: list[str]
    too_much: list[str]
    how_much: list[str]
    which: list[str]
    paid: list[str]
    failed: list[str]
    not_asked: list[str]
    """To a call that nobody wanted."""
    only_asked: list[str]
    """To an offer of more."""
    confirmed: list[str]
    go_ahead: list[str]
    as_said: list[str]
    """To a question that the request answers as a condition."""
    fact: list[str]
    text_fact: list[str]
    labelled: list[str]
    """A fact among several."""
    unknown: list[str]
    all_told: list[str]
    wait: list[str]
    thanks: list[str]
    give_up: list[str]
    took_back: list[str]


class _Styles(RootModel[dict[str, Replies]]):
    """The replies by style."""


@cache
def load_replies() -> dict[str, Replies]:
    """Return the replies by style."""
    return _Styles.model_validate(read_yaml("generators.users", "replies.yaml")).root


class Speech:
    """One user's way of answering."""

    def __init__(self, task_id: str, style: str, slots: Sequence[Slot], today: str) -> None:
        """Speak as the user of a task; `slots` are what can be told, on the day `today`."""
        self._replies = load_replies()[style]
        self._stream = Stream(task_id, "user")
        self._manner = draw_manner(load_styles()[style], slots, self._stream.child("manner"))
        self._today = today

    def say(self, what: str, turn: int, /, **values: str) -> str:
        """Return one of the forms of `what` in a turn, filled; values are written as they are, never read as forms."""
        forms: list[str] = getattr(self._replies, what)
        form = self._stream.child(what, turn).choice(forms)
        text = PLACE.sub(lambda place: values[place.group(1)], form)
        # A form that starts with a value starts small only for those who write so throughout.
        return text if self._manner.lower or what == "text_fact" else capital(text)

    def value(self, slot: Slot, value: Json) -> str:
        """Return the value of a slot as this user writes it."""
        return say(slot.kind, value, self._manner, self._today)

    def money(self, cents: int) -> str:
        """Return an amount as this user writes it."""
        return say("money_cents", cents, self._manner, self._today)
