"""The words of a narrative beside its numbers and terms, and those of them that state nothing by themselves."""

from __future__ import annotations

import re
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, cast

import yaml

from language.matching import find
from language.terms import fold, singular
from validators.profiles.facts import VOCABULARY

if TYPE_CHECKING:
    from collections.abc import Iterator

    from language.spans import Kind
    from schemas.profile import Profile

_WORD = re.compile(r"[^\W\d_]+")
_READ: tuple[Kind, ...] = ("term", "count", "money_cents", "percent", "date", "period")
"""Kinds of values that other checks read; their words are no words of their own."""
_DOUBLED = re.compile(r"([^aeiouls])\1$")


@cache
def neutral_words() -> frozenset[str]:
    """Return the words that state nothing by themselves, as the data file has them."""
    return _listed("neutral.yaml")


def _listed(name: str) -> frozenset[str]:
    text = files("validators.profiles").joinpath(name).read_text(encoding="utf-8")
    groups = cast("dict[str, str]", yaml.safe_load(text))
    return frozenset(word for words in groups.values() for word in words.split())


@cache
def neutral_stems() -> frozenset[str]:
    """Return what the neutral words share with their inflections."""
    return frozenset(map(stem, neutral_words()))


@cache
def _any_stems() -> frozenset[str]:
    """Return the stems that a narrative may have beside the user's name, in whose words it ever is."""
    return neutral_stems() | {stem(word) for word in _listed("made.yaml")}


def strange_words(profile: Profile) -> list[str]:
    """Return the words of a narrative with which none is made, and none is put in other words, in their order."""
    known = {*_any_stems(), *map(stem, (profile.name.given, profile.name.family))}
    found = dict.fromkeys(word.lower() for word in plain_words(profile.narrative))
    return [word for word in found if stem(word) not in known]


@cache
def stem(word: str) -> str:
    """Return what a word shares with its plural, its third person and its form in -ing; the past is another word."""
    folded = singular(fold(word))
    if folded.endswith("ing") and len(folded) > 5:
        folded = _DOUBLED.sub(r"\1", folded[:-3])
    return folded[:-1] if folded.endswith("e") and len(folded) > 3 else folded


def plain_words(text: str) -> Iterator[str]:
    """Yield the words of a text that are no part of a number, an amount, a date or a term, in order."""
    spans = sorted((found.start, found.end) for kind in _READ for found in find(kind, text, VOCABULARY))
    at = 0
    for start, end in spans:
        yield from _WORD.findall(text[at:start])
        at = max(at, end)
    yield from _WORD.findall(text[at:])
