"""Whether a text is about something that has cues: phrases of a few words that stand close together.

Words are compared in small letters and in the singular; what stands in quotes and is longer than a name is not read.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from language.terms import singular

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

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


@lru_cache(maxsize=1024)
def _by_first_word(cues: tuple[str, ...]) -> dict[str, list[tuple[str, ...]]]:
    """Return the words of cues, by the first of them."""
    found: dict[str, list[tuple[str, ...]]] = {}
    for cue in cues:
        words = _words(cue)
        found.setdefault(words[0], []).append(words)
    return found


def _found(sentence: str, cues: Iterable[str]) -> Iterator[tuple[str, ...]]:
    words, index = _words(sentence), _by_first_word(tuple(cues))
    return (cue for word in dict.fromkeys(words) for cue in index.get(word, ()) if _near(words, cue))


def cues_in(sentence: str, cues: Iterable[str]) -> list[tuple[str, ...]]:
    """Return the words of those `cues` of which all stand close together in a sentence, in any order."""
    return list(_found(sentence, cues))


def is_about(sentence: str, cues: Iterable[str]) -> bool:
    """Return whether all words of one of `cues` stand close together in a sentence, in any order."""
    return any(True for _ in _found(sentence, cues))


def _near(words: tuple[str, ...], cue: tuple[str, ...]) -> bool:
    if not all(word in words for word in cue):
        return False
    reach = len(cue) + APART
    return any(all(word in words[at : at + reach] for word in cue) for at in range(max(1, len(words) - len(cue) + 1)))
