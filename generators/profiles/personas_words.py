"""Words that descriptions of persons are read by, and lists of vocabulary entries read word for word."""

from __future__ import annotations

import json
import re
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal, NamedTuple, get_args

from language.matching import find
from language.numbers import TENS, UNITS
from language.terms import key
from schemas.profile_facts import Diet, Food, Risk, Sport

Kind = Literal["risks", "diets", "sports", "foods"]
_VOCABULARIES: dict[Kind, tuple[str, ...]] = {
    "risks": get_args(Risk),
    "diets": get_args(Diet),
    "sports": get_args(Sport),
    "foods": get_args(Food),
}
NAME = r"[A-Z][a-z]{2,19}"
"""The shape of a name that a profile can have."""
NUMBER = rf"(?:\d{{1,3}}|(?:{'|'.join(TENS)})(?:[ -](?:{'|'.join(UNITS[1:10])}))?\b|(?:{'|'.join(UNITS)})\b)"
"""A whole number in digits or words."""
_TAILS: dict[Kind, re.Pattern[str]] = {
    "risks": re.compile(r" (?:since|for (?:years|decades|the last|\w+ years))\b.*$"),
    "sports": re.compile(
        r" (?:every|on (?:weekends|weekdays|saturdays|sundays)|at least|in (?:my|her|his) (?:free|spare)|as a hobby"
        r"|to work|to relax|after work|before work|once|twice|most)\b.*$",
        re.IGNORECASE,
    ),
}
"""What may follow the last entry of a list and changes nothing about it."""


class Words(NamedTuple):
    """The data file, its lists as alternatives of a pattern where they are used as one."""

    women: frozenset[str]
    men: frozenset[str]
    plain: frozenset[str]
    people: tuple[str, ...]
    """Nouns for women and men."""
    others: tuple[str, ...]
    partners: tuple[str, ...]
    no_names: frozenset[str]
    """Capitalised words that are no names: of peoples and creeds, titles, days, words that open a sentence."""
    entries: dict[Kind, dict[tuple[str, ...], str]]
    """Per kind, entries by what their writings share."""
    before: dict[Kind, frozenset[str]]
    """Per kind, words that may stand before an entry and change nothing about it."""
    avoided: dict[tuple[str, ...], str]
    """Diets by what is avoided or not tolerated."""
    outings: dict[str, str]
    """Sports by what one goes for."""


@cache
def words() -> Words:
    """Return the words."""
    data = json.loads(files("generators.profiles").joinpath("data/descriptions.json").read_text(encoding="utf-8"))
    entries: dict[Kind, dict[tuple[str, ...], str]] = {
        kind: {key(term.replace("_", " ")): term for term in terms}
        | {key(term): meant for term, meant in data["synonyms"][kind].items()}
        for kind, terms in _VOCABULARIES.items()
    }
    return Words(
        women=frozenset(data["women"]),
        men=frozenset(data["men"]),
        plain=frozenset(data["plain"]),
        people=(*data["women"], *data["men"]),
        others=tuple(sorted(data["others"], key=len, reverse=True)),
        partners=tuple(data["partners"]),
        no_names=frozenset((*data["peoples"], *data["no_names"])),
        entries=entries,
        before={kind: frozenset(data["before"][kind]) for kind in _VOCABULARIES},
        avoided={key(word): diet for word, diet in data["avoided"].items()},
        outings=data["outings"],
    )


def is_name(word: str) -> bool:
    """Return whether a capitalised word can only be a name."""
    return word.lower() not in words().no_names and not any(key(word) in named for named in words().entries.values())


@lru_cache(maxsize=1024)
def number(text: str) -> int | None:
    """Return the number that a text is, None when it is none."""
    found = find("count", text)
    whole = len(found) == 1 and (found[0].start, found[0].end) == (0, len(text))
    return found[0].value if whole and isinstance(found[0].value, int) else None


def listed(kind: Kind, text: str) -> list[str]:
    """Return the entries that a list consists of: `yoga, rowing and tennis`.

    The list ends at the first item of several words that is no entry; a single word that is none is passed over.
    """
    found: list[str] = []
    for item in _items(re.sub(r"[ -]diet(?=$|[,.])", "", text) if kind == "diets" else text):
        entry = _entry(kind, item)
        shorter = _TAILS[kind].sub("", item) if kind in _TAILS else item
        closing = _entry(kind, shorter) if entry is None and shorter != item else None
        found += [meant for meant in (entry, closing) if meant is not None]
        if closing is not None or (entry is None and " " in item):
            break
    return found


def diets_avoided(text: str) -> list[str]:
    """Return the diets of somebody who avoids what a list names, such as `gluten and nuts`."""
    meant = [words().avoided.get(key(item)) for item in _items(text)]
    return [diet for diet in meant if diet is not None]


def _items(text: str) -> list[str]:
    """Return the items of a list."""
    return [part.strip() for part in re.split(r",? and |, | & ", re.split(r"[.;:!?()]", text)[0])]


def _entry(kind: Kind, item: str) -> str | None:
    """Return the entry that an item is, None when it is something else."""
    if kind == "sports" and item.startswith("for "):
        return words().outings.get(item.removeprefix("for "))
    parts = item.split(" ")
    while len(parts) > 1 and parts[0].lower() in words().before[kind]:
        parts = parts[1:]
    return words().entries[kind].get(key(" ".join(parts).replace("-", " ").replace("_", " ")))
