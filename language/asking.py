"""Whether a text is about something that has cues: phrases of a few words that stand close together.

Words are compared in small letters and in the singular; what stands in quotes and is longer than a name is not read.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Generic, TypeVar

from language.terms import singular

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

T = TypeVar("T")
APART = 6
"""Most other words that may stand between the first and the last word of a cue."""
LONGEST_NAME = 3
"""Words up to which something in quotes is a name and not a text."""
_WORD = re.compile(r"[a-z0-9]+(?:'[a-z]+)?")
_END = re.compile(r"[.!?]+[\"'*_)]*(?=\s|$)|\n+")
_QUOTED = re.compile(r"[\"\u201c\u201d]([^\"\u201c\u201d\n]*)[\"\u201c\u201d]")
_APOSTROPHE = str.maketrans({"\u2019": "'", "_": " ", "-": " ", "\u2011": " "})


@lru_cache(maxsize=2048)
def sentences(text: str) -> tuple[str, ...]:
    """Return the sentences of a text, each with its final mark; a decimal point ends none."""
    found: list[str] = []
    start = 0
    for mark in _END.finditer(text):
        found.append(text[start : mark.end()].strip())
        start = mark.end()
    found.append(text[start:].strip())
    return tuple(sentence for sentence in found if sentence)


def without_quotes(text: str) -> str:
    """Return a text without what it quotes, but for names in quotes."""
    return _QUOTED.sub(lambda quoted: quoted[1] if len(quoted[1].split()) <= LONGEST_NAME else " ", text)


@lru_cache(maxsize=8192)
def _words(text: str) -> tuple[str, ...]:
    return tuple(singular(word) for word in _WORD.findall(text.lower().translate(_APOSTROPHE)))


class Cues(Generic[T]):
    """The cues of many things at once: one look at a sentence finds all that it is about."""

    def __init__(self, things: Iterable[tuple[T, Iterable[str]]]) -> None:
        """Take each thing with its cues."""
        self._by_first: dict[str, list[tuple[tuple[str, ...], T]]] = {}
        for thing, cues in things:
            for cue in cues:
                words = _words(cue)
                self._by_first.setdefault(words[0], []).append((words, thing))

    def found(self, sentence: str) -> Iterator[tuple[T, tuple[str, ...]]]:
        """Yield the things that a sentence is about, each with the words of the cue that says so."""
        words = _words(sentence)
        for word in dict.fromkeys(words):
            for cue, thing in self._by_first.get(word, ()):
                if _near(words, cue):
                    yield thing, cue


@lru_cache(maxsize=1024)
def _alone(cues: tuple[str, ...]) -> Cues[None]:
    return Cues([(None, cues)])


def is_about(sentence: str, cues: Iterable[str]) -> bool:
    """Return whether all words of one of `cues` stand close together in a sentence, in any order."""
    return next(_alone(tuple(cues)).found(sentence), None) is not None


def _near(words: tuple[str, ...], cue: tuple[str, ...]) -> bool:
    for word in cue:
        if word not in words:
            return False
    if len(cue) == 1:
        return True
    reach = len(cue) + APART
    return any(all(word in words[at : at + reach] for word in cue) for at in range(max(1, len(words) - len(cue) + 1)))
