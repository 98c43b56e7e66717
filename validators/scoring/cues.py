"""Which words of a report say that a value is the one asked for: word groups, found by the words of an answer's cue."""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple, cast

import yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

_OTHERS = (
    "balance|wallet|budget|limit|subtotal|sub-total|saves?|saving|savings|discount|minimum|each|apiece|per|"
    "instead of|another|shipping|delivery|tax|voucher|unit price|list price|before|threshold|cap|maximum|"
    "requested|asked|wanted"
)
"""Words that say that a value close to them is another one."""
_WORD = re.compile(r"[a-z]+")


@lru_cache(maxsize=1)
def _groups() -> Mapping[str, list[str]]:
    text = files("validators.scoring").joinpath("cues.yaml").read_text(encoding="utf-8")
    return cast("dict[str, list[str]]", yaml.safe_load(text))


class Cue(NamedTuple):
    """What to look for around a value."""

    head: re.Pattern[str]
    """What says which value it is."""
    beside: tuple[re.Pattern[str], ...]
    """What else is said of it; of two values with the head, the one that has more of it is meant."""
    others: re.Pattern[str]
    """What says that it is another value."""


@lru_cache(maxsize=512)
def read_cue(cue: str) -> Cue:
    """Return what to look for: the groups of its words, or its words themselves where there is no group for any."""
    words = _WORD.findall(cue.lower())
    groups = _groups()
    known = [name for name in groups if name in words]
    if not known:
        long = [word for word in words if len(word) > 3] or words
        return Cue(_pattern("|".join(rf"{word[:-1]}\w*" for word in long)), (), _pattern(_OTHERS))
    own = {word for name in known for word in groups[name]}
    others = "|".join(word for word in _OTHERS.split("|") if word not in own and word not in words)
    head, *beside = (_pattern("|".join(groups[name])) for name in known)
    return Cue(head, tuple(beside), _pattern(others))


@lru_cache(maxsize=512)
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)
