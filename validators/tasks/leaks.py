"""Leaks: the user's words tell nothing that the user cannot know, in whatever form.

Slots may be said, and the words that say them say nothing else: they are taken out before numbers and dates are looked
for. A name leaks unless it is a word of what a slot says.
"""

from __future__ import annotations

import base64
import binascii
import re
from functools import lru_cache
from typing import TYPE_CHECKING

from language.matching import find, plain_value
from language.terms import words as words_of
from language.variants import folded, leak
from validators.tasks.references import WORDED, spoken_vocabulary
from validators.tasks.secrets import secrets_of
from validators.tasks.surface import counts_in, days_in, decimals_in, spells, undisguised
from validators.tasks.told import restated, stated
from validators.tasks.verdicts import verdict
from validators.tasks.vocabulary import TaskVocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from language.spans import Kind
    from schemas.certificate import Verdict
    from schemas.task import Slot
    from validators.tasks.context import TaskContext
    from validators.tasks.secrets import Secret

_ENCODED = re.compile(r"[A-Za-z0-9+/_-]{6,}={0,2}")
_ID_LENGTH = 6
"""Letters and digits from which an id is told apart from a word or a number."""
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_SMALL = 100
"""Counts below this are looked for as a reader would count them, not as bare digits inside other expressions."""


def check_leaks(context: TaskContext) -> Verdict:
    """Return whether the user's words hold no id, no hidden value, no answer and nothing that only the gold knows."""
    words = TaskVocabulary(context)
    untold = secrets_of(context, words)
    upfront, anew = stated(context), restated(context)
    vocabulary = spoken_vocabulary(context, words)
    faults: list[str] = []
    for said, slots in _sayings(context, upfront, anew):
        text = Text(said, slots, vocabulary, context.now[:10])
        faults += [f"the id {key!r}" for part in words.parts for key in text.ids_of(part.ids)]
        faults += [f"{s.what} ({s.value!r})" for s in untold if text.states(s)]
    shown = [f"the user's words give away {fault}" for fault in sorted(set(faults))]
    return verdict("task.leaks", shown, {"leaks": len(shown)})


def _sayings(context: TaskContext, upfront: list[Slot], anew: list[Slot]) -> Iterator[tuple[str, list[Slot]]]:
    """Yield what the user says of their own accord, with the slots that it may state."""
    yield context.task.instruction, upfront
    if context.task.script.change is not None:
        yield context.task.script.change.message, anew


class Text:
    """An instruction, prepared for many questions."""

    def __init__(self, text: str, slots: Sequence[Slot], vocabulary: tuple[str, ...], today: str = "") -> None:
        """Take out what says the slots on the day `today`, and add what is encoded."""
        text = undisguised(text)
        hidden = " ".join(decoded(text))
        self.whole = f"{text} {hidden}"
        self.rest = f"{without(text, slots, vocabulary, today)} {hidden}"
        self.squashed = squash(self.whole)
        self._starts = {self.squashed[at : at + _ID_LENGTH] for at in range(len(self.squashed))}
        self._digits = any(sign.isdigit() for sign in self.rest)
        self._numbers = {kind: {mention.value for mention in find(kind, self.rest)} for kind in _NUMBERS}
        self._numbers["count"] = self._numbers["count"] | counts_in(self.rest)
        self._days = set(days_in(self.rest))
        self._decimals = decimals_in(self.rest)
        self._slots = [words_of(slot.value) for slot in slots if isinstance(slot.value, str)]

    def ids_of(self, ids: frozenset[str]) -> Iterator[str]:
        """Yield those of the ids that stand in the text."""
        known = _by_start(ids)
        for start in self._starts & known.keys():
            yield from (key for key, id_ in known[start] if id_ in self.squashed)

    def states(self, secret: Secret) -> bool:
        """Return whether the text says a value, in any surface form."""
        kind, value = secret.kind, secret.value
        if isinstance(value, str) and kind in WORDED:
            return self._names(kind, value)
        if isinstance(value, float):
            return value in self._decimals
        if plain_value(value) in self._numbers.get(kind, ()):
            return True
        if kind == "date" and str(value)[5:] in self._days:
            return True
        if not self._digits or (kind == "count" and isinstance(value, int) and value < _SMALL):
            return False
        return leak(self.rest, kind, value) is not None

    def _names(self, kind: Kind, value: str) -> bool:
        # All forms of a name have its letters and digits in a row, so that most texts need no closer look.
        if squash(value) not in self.squashed or self._is_slot(value):
            return False
        return leak(self.whole, kind, value) is not None or spells(self.whole, value)

    def _is_slot(self, value: str) -> bool:
        """Return whether the words of `value` stand in a row in what a slot says."""
        own = words_of(value)
        return any(own == said[at : at + len(own)] for said in self._slots for at in range(len(said)))


_NUMBERS: tuple[Kind, ...] = ("money_cents", "count", "percent", "date")


@lru_cache(maxsize=16384)
def squash(text: str) -> str:
    """Return the letters and digits of a text, in lower case without accents."""
    return "".join(sign for sign in folded(text) if sign.isalnum())


@lru_cache(maxsize=64)
def _by_start(ids: frozenset[str]) -> dict[str, list[tuple[str, str]]]:
    """Return ids with what `squash` makes of them, by its first signs: where these do not stand, no id does.

    Those that could be a word are left out: short, or without a digit. An id that is a date names a day and not a
    record: whoever says a date tells no id.
    """
    found: dict[str, list[tuple[str, str]]] = {}
    for key, id_ in ((key, squash(key)) for key in ids if not DATE.fullmatch(key)):
        if len(id_) >= _ID_LENGTH and any(sign.isdigit() for sign in id_):
            found.setdefault(id_[:_ID_LENGTH], []).append((key, id_))
    return found


def without(text: str, slots: Sequence[Slot], vocabulary: tuple[str, ...], today: str = "") -> str:
    """Return the text with what says the slots replaced by signs that are no part of a word or a number."""
    signs = list(text)
    for slot in slots:
        value = plain_value(slot.value)
        for mention in find(slot.kind, text, vocabulary, today):
            if mention.value == value:
                signs[mention.start : mention.end] = "\N{BULLET}" * (mention.end - mention.start)
    return "".join(signs)


def decoded(text: str) -> Iterator[str]:
    """Yield the readable texts that stand in a text as base64."""
    for found in _ENCODED.finditer(text):
        code = found[0].rstrip("=").replace("-", "+").replace("_", "/")
        try:
            raw = base64.b64decode(code + "=" * (-len(code) % 4), validate=True)
        except binascii.Error:
            continue
        if raw.isascii() and (plain := raw.decode("ascii")).isprintable():
            yield plain
