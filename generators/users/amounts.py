"""Which amount of money a message asks the user for."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import TYPE_CHECKING

from language import find

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from generators.users.reading import Asked

_BEFORE = 28
"""Signs before an amount that say what it is."""
_ADDED = re.compile(
    r"\b(?:by|add(?:ing)?|up|with|deposit(?:ing)?|put(?:ting)?|least|missing|short|shortfall|difference|lacks?|lacking"
    r"|need(?:s|ed)?|load(?:ing)?|transfer(?:ring)?|extra|additional|another|minimum|cover|remaining)\b"
    r"(?:\W+\w+){0,3}\W*$",
    re.IGNORECASE,
)
_BARE = re.compile(
    r"\b(?:by|with|adding|add|deposit|amount(?: of)?|top[- ]?up(?: of)?)[:=\s(]*(?:an amount of |amount ?= ?)?"
    r"(\d{1,6}(?:\.\d{1,2})?)(?![\d.,]*\d)(?!\s*(?:%|percent|x\b|items?|units?|pieces?|packs?|times|days?|hours?|minutes?))",
    re.IGNORECASE,
)
"""A number without a currency where an amount is to be added."""
_OTHER = re.compile(
    r"\b(?:total(?:s|ing)?|balance|costs?|price|holds?|currently|have|has|only|order|payment|purchase|from|to|against|for"
    r"|comes to|amounts to|of your|worth|vs)\b(?:\W+(?:of|is|are|to|a|the|in|at|your|total|just|only))*\W*$",
    re.IGNORECASE,
)
_BEHIND = re.compile(
    r"^\W*(?:more|short|missing|extra|additional|to your (?:wallet|balance)|into your)\b", re.IGNORECASE
)
_OTHER_BEHIND = re.compile(
    r"^[^\w(]*(?:in (?:total|all|your wallet|it)|total|altogether|order|purchase|balance|available|left|now)\b",
    re.IGNORECASE,
)


def amount_asked(asked: Asked) -> int | None:
    """Return the cents that a question wants added, as it or what stands before it says; None where that is not clear.

    Totals and balances that stand beside it are not meant.
    """
    if _amounts(asked.sentence):
        own = _only(_meant(asked.sentence)) or _only(_unspoken(asked.sentence))
        if own is not None or len(set(_amounts(asked.sentence))) > 1:
            return own
    missing = next((_only(_meant(said)) for said in asked.context if _meant(said)), None)
    return missing if missing is not None or _amounts(asked.sentence) else _only(_bare(asked.sentence))


def _bare(sentence: str) -> list[int]:
    cents = (round(Decimal(match[1]) * 100) for match in _BARE.finditer(sentence))
    return [one for one in cents if one > 0]


def _amounts(sentence: str) -> list[int]:
    return [cents for mention in find("money_cents", sentence) if isinstance(cents := mention.value, int) and cents > 0]


def _only(amounts: Iterable[int]) -> int | None:
    found = set(amounts)
    return found.pop() if len(found) == 1 else None


def _meant(sentence: str) -> list[int]:
    """Return the amounts of a sentence that are said to be added or missing."""
    return [cents for cents, before, behind in _placed(sentence) if _is_added(before, behind)]


def _unspoken(sentence: str) -> list[int]:
    """Return the amounts of which a sentence does not say that they are something else."""
    return [cents for cents, before, behind in _placed(sentence) if not _is_other(before, behind)]


def _placed(sentence: str) -> Iterator[tuple[int, str, str]]:
    for mention in find("money_cents", sentence):
        if isinstance(mention.value, int) and mention.value > 0:
            before = sentence[max(0, mention.start - _BEFORE) : mention.start]
            yield mention.value, before, sentence[mention.end :]


def _is_other(before: str, behind: str) -> bool:
    return _OTHER.search(before) is not None or _OTHER_BEHIND.search(behind) is not None


def _is_added(before: str, behind: str) -> bool:
    if _BEHIND.search(behind):
        return True
    return _ADDED.search(before) is not None and not _is_other(before, behind)
