"""Whether a text is about something that has cues: phrases of a few words that stand close together."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

APART = 6
"""Most other words that may stand between the first and the last word of a cue."""
_WORD = re.compile(r"[a-z0-9]+(?:['\u2019][a-z]+)?")


def sentences(text: str) -> Iterator[str]:
    """Yield the sentences of a text, each with its final mark; a decimal point ends none."""
    start = 0
    for found in re.finditer(r"[.!?]+(?=\s|$)|\n+", text):
        if text[start : found.end()].strip():
            yield text[start : found.end()].strip()
        start = found.end()
    if text[start:].strip():
        yield text[start:].strip()


@lru_cache(maxsize=4096)
def _words(sentence: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(sentence.lower().replace("_", " ").replace("-", " ")))


@lru_cache(maxsize=4096)
def _cue(cue: str) -> tuple[str, ...]:
    return tuple(_WORD.findall(cue.lower().replace("_", " ").replace("-", " ")))


def is_about(sentence: str, cues: Iterable[str]) -> bool:
    """Return whether all words of one of `cues` stand close together in a sentence, in any order."""
    words = _words(sentence)
    return any(_near(words, _cue(cue)) for cue in cues)


def _near(words: tuple[str, ...], cue: tuple[str, ...]) -> bool:
    if not cue or not all(word in words for word in cue):
        return False
    reach = len(cue) + APART
    return any(all(word in words[at : at + reach] for word in cue) for at in range(max(1, len(words) - len(cue) + 1)))
