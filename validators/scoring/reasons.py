"""Why a report says that a request was not met: the closed list of reasons, each told in many words.

A reason is read only from a text that declines: it says that something was not, or cannot be, done. Two reasons at once
are none, unless one says why the other came about: who is short of money and will not add any cannot afford it, and
where everything that fits is sold out nothing was left to fit.
"""

from __future__ import annotations

import re
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, NamedTuple, cast

import yaml

from validators.scoring.segments import segments

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping


class _Words(NamedTuple):
    declines: re.Pattern[str]
    """What a text says that declines something."""
    reasons: Mapping[str, re.Pattern[str]]
    """Reason -> what is said for it."""
    cited: Mapping[str, re.Pattern[str]]
    """Reason -> what is said for it as well as in passing."""
    plain: Mapping[str, re.Pattern[str]]
    """Reason -> what says beyond doubt that it is one."""


@lru_cache(maxsize=1)
def _words() -> _Words:
    text = files("validators.scoring").joinpath("reasons.yaml").read_text(encoding="utf-8")
    data = cast("dict[str, object]", yaml.safe_load(text))
    declines = _any_of(cast("list[str]", data["declines"]))
    return _Words(declines, *(_by_reason(data[name]) for name in ("reasons", "cited", "plain")))


def _by_reason(words: object) -> Mapping[str, re.Pattern[str]]:
    return {name: _any_of(some) for name, some in cast("dict[str, list[str]]", words).items()}


def _any_of(words: list[str]) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{'|'.join(words)})")


_OPTIONS = re.compile(r"(?:if|unless|let me know|would you|should you|in case|once you|feel free|happy to)\b")
"""How a sentence begins that speaks of what could still be done."""
_PREAMBLE = re.compile(
    r"(?:^\W*|[,;:]\s*|\b(?:and|but|so|sorry|unfortunately)\W+)"
    r"(?:according to|as per|per|in (?:line|accordance|keeping|compliance) with|following|considering|consistent with"
    r"|as (?:required|stated|set out) (?:by|in)|under|by|with) (?:[\w']+ ){0,3}?polic(?:y|ies)\b"
    r"(?: (?:of|for) (?:the |this )?\w+)?[,:]?"
)
"""What a sentence begins with that only says by what its speaker goes."""
_CLAUSES = re.compile(
    r"[.!?;]|[,\u2014]\s*(?:and|also|besides|plus|moreover|anyway)\b|\b(?:besides|moreover|in addition)\b"
)
_DENIED = re.compile(r"\b(?:not because|is not because|was not because|not that|nothing to do with)\b[^,.;]*")
_DISOWNS = re.compile(
    r"\bi (?:(?:was|am) not able to|(?:could|did|can|will|have) ?not|was unable to) "
    r"(?:go(?:ne)? ahead|go on|proceed|do (?:it|this|that)|place|order|buy|purchase|complete|carry|finish|"
    r"delete|save)\b"
)
_IN_THE_END = re.compile(
    r"\b(?:first|initially|earlier|before|until|again|then|after(?! \d)|now|once|but|else|other|others|another|"
    r"more|instead|further|additional|any|twice)\b"
)
"""What makes it a step on the way, or something beside the request."""
_OVERRULES: Mapping[str, tuple[str, ...]] = {
    # What is short, sold out, refused or ruled out also leaves nothing that fits.
    "none_satisfies": ("out_of_stock", "not_recorded", "consent_refused", "cannot_afford", "policy"),
    # Who will not add money cannot afford it.
    "consent_refused": ("cannot_afford",),
    # What lies before all records cannot be had, whatever was not allowed beside it.
    "not_recorded": ("consent_refused",),
    # "Cannot be paid" is said of both.
    "policy": ("cannot_afford", "consent_refused"),
}
"""Reason -> reasons beside which it is only said in passing."""
CONTRADICTS: Mapping[str, frozenset[str]] = {"consent_refused": frozenset({"none_satisfies", "not_recorded", "policy"})}
"""Reason -> reasons that, told as plainly as it, leave open which one it was."""


class Stated(NamedTuple):
    """The reasons that a text states."""

    chief: frozenset[str]
    """Those that no other one of the text explains."""
    named: frozenset[str]
    """Those that no other one of the same sentence explains."""
    plain: frozenset[str] = frozenset()
    """Those that a clause of their own states beyond doubt; looked for where a reason is told that they contradict."""


NOTHING = Stated(frozenset(), frozenset())


@lru_cache(maxsize=512)
def stated_reasons(text: str) -> Stated:
    """Return the reasons for which a text declines something; nothing when it declines nothing."""
    parts = [_plain(one.text) for one in segments(text) if not one.text.endswith("?")]
    known = _words()
    kept = [_DENIED.sub(" ", part) for part in parts if not _OPTIONS.match(part) or known.declines.search(part)]
    if not any(known.declines.search(part) for part in kept):
        return NOTHING
    found = [_reasons_in(part) for part in kept]
    if not any(found):
        found = [_matching(known.cited, part) for part in kept]
    everything = _union(found)
    refused = not everything.isdisjoint(CONTRADICTS)
    clauses = [clause for part in kept for clause in _CLAUSES.split(part)] if refused else []
    return Stated(_chief(everything), _union(map(_chief, found)), _union(map(_plainly, clauses)))


def _plainly(clause: str) -> frozenset[str]:
    """Return the reasons that a clause states beyond doubt; one that speaks of a refusal tells what came of it."""
    known = _words()
    return frozenset() if known.reasons["consent_refused"].search(clause) else _matching(known.plain, clause)


def _matching(words: Mapping[str, re.Pattern[str]], part: str) -> frozenset[str]:
    return frozenset(name for name, pattern in words.items() if pattern.search(part))


def _union(found: Iterable[frozenset[str]]) -> frozenset[str]:
    return frozenset(name for one in found for name in one)


def _reasons_in(part: str) -> frozenset[str]:
    known = _words()
    # A reason may be named as the closed list spells it.
    named = {name for name in known.reasons if "_" in name and name in part}
    bare = _PREAMBLE.sub(" ", part)
    cited = _matching(known.cited, bare) if known.declines.search(bare) else frozenset[str]()
    return frozenset(named) or _matching(known.reasons, bare) | cited


def _chief(found: frozenset[str]) -> frozenset[str]:
    return frozenset(name for name in found if not found.intersection(_OVERRULES.get(name, ())))


def declines(text: str) -> bool:
    """Return whether a text says that something was not, or cannot be, done, for whatever reason."""
    return any(_words().declines.search(_plain(one.text)) for one in segments(text))


def disowns(text: str) -> bool:
    """Return whether a text says, with a reason, that the request itself was not carried out."""
    parts = [_plain(one.text) for one in segments(text)]
    said = [part for part in parts if not _IN_THE_END.search(part)]
    return any(_DISOWNS.search(part) for part in said) and bool(stated_reasons(text).chief)


def _plain(text: str) -> str:
    """Return a text in small letters, "not" written out."""
    lowered = text.lower().replace("\u2019", "'")
    return lowered.replace("can't", "cannot").replace("won't", "will not").replace("n't", " not")
