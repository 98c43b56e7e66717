"""What a model is asked that rewrites the narrative of a user, and what it is told where its text cannot be used."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, get_args

from pydantic import BaseModel, ConfigDict

from generators.data_files import read_yaml
from generators.rewriting import Heads, Messages, first_messages, further_messages
from language.matching import find
from schemas.profile_facts import Diet, Food, Risk, Sport

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemas.profile import Profile

FIELD = "narrative"
"""Of the reply."""
_TERMS: tuple[str, ...] = (*get_args(Risk), *get_args(Diet), *get_args(Sport), *get_args(Food))
_FIRST_PERSON = re.compile(r"\b(?:I|[Mm]e|[Mm]y)\b")


class _Facts(BaseModel):
    """Patterns of what is listed as a fact."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    numbers: str
    """What is listed with the number that follows it."""
    units: str
    """What is listed with the number before it."""
    phrases: list[str]
    """What is listed by itself."""


class _Texts(BaseModel):
    """The data file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: str
    voices: dict[str, str]
    rules: list[str]
    facts: _Facts
    heads: Heads


@cache
def _texts() -> _Texts:
    return _Texts.model_validate(read_yaml("generators.profiles", "rewriting.yaml"))


def rewriting_messages(profile: Profile) -> Messages:
    """Return the messages that ask for another wording of the narrative of a profile."""
    texts = _texts()
    voice = texts.voices["first" if _FIRST_PERSON.search(profile.narrative) else "third"]
    rules = (f"- {rule}" for rule in texts.rules)
    system = "\n".join([texts.role, voice.replace("{given}", profile.name.given), "", *rules])
    return first_messages(system, texts.heads, profile.narrative, _facts(profile))


def repair_messages(narrative: str, reasons: str) -> Messages:
    """Return the messages that ask for a text again, with what is wrong with the last one."""
    return further_messages(_texts().heads, FIELD, narrative, reasons)


def _facts(profile: Profile) -> Iterator[str]:
    """Yield what the narrative states, as it stands there, in its order."""
    text = profile.narrative
    spans = [(found.start, found.end) for found in find("term", text, _TERMS)]
    for kind in ("count", "money_cents"):
        spans += [_with_unit(text, found.start, found.end) for found in find(kind, text, _TERMS)]
    for phrase in _texts().facts.phrases:
        spans += [match.span() for match in re.finditer(phrase, text, re.IGNORECASE)]
    yield f"{profile.name.given} {profile.name.family}"
    yield from (text[start:end] for start, end in sorted(spans))


def _with_unit(text: str, start: int, end: int) -> tuple[int, int]:
    """Return where a number stands together with the words that say what it counts."""
    before = re.search(_texts().facts.numbers, text[:start], re.IGNORECASE)
    after = re.compile(_texts().facts.units).match(text, end)
    return (before.start() if before else start, after.end() if after else end)
