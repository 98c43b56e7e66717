"""The door to this package: write a value, find the values in a text, say whether a text states a value.

What one kind claims is not read as another: the 12 of "$12.50" is no count, and neither is the 7 of the product
"7 Grain Bread" where that name is in the vocabulary given.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import cast

from language.dates import DATE_READERS, PERIOD_READERS, same_date, write_date, write_period
from language.money import MONEY_READERS, write_money
from language.numbers import COUNT_READERS, OTHER_READERS, PERCENT_READERS, write_count, write_percent
from language.relative import near_date_forms, relative_readers, write_relative
from language.spans import Claim, Kind, Mention, Value, claims, settle
from language.terms import find_terms, same_term, same_terms, write_name, write_term, write_text
from language.truth import TRUTH_READERS, write_truth

_NUMERIC = (*PERIOD_READERS, *DATE_READERS, *MONEY_READERS, *PERCENT_READERS, *COUNT_READERS, *OTHER_READERS)
_WORDED: tuple[Kind, ...] = ("term", "name", "text")

_WRITERS: dict[Kind, Callable[..., tuple[str, ...]]] = {
    "money_cents": write_money,
    "count": write_count,
    "percent": write_percent,
    "date": write_date,
    "period": write_period,
    "term": write_term,
    "name": write_name,
    "text": write_text,
    "bool": write_truth,
}


def plain_value(value: object) -> Value:
    """Return a value as it comes from JSON in the form `find` reports: a pair as a tuple, 25.0 as 25.

    Raises:
        ValueError: the value is of no kind that text can state.
    """
    if isinstance(value, (list, tuple)):
        pair = cast("Sequence[object]", value)
        if len(pair) == 2 and all(isinstance(day, str) for day in pair):
            return cast("tuple[str, str]", tuple(pair))
    elif isinstance(value, float):
        return int(value) if value.is_integer() else value
    elif isinstance(value, (bool, int, str)):
        return value
    raise ValueError(f"no text states a value such as {value!r}")


def writings(kind: Kind, value: object, today: str = "") -> tuple[str, ...]:
    """Return every form a writer may use for `value`, the plainest first; `find` reads each of them back.

    On a known day, an ISO date, periods and days are also said as seen from it; they read back with the same `today`.
    """
    plain = plain_value(value)
    forms = _WRITERS[kind](plain)
    if kind == "period" and today:
        return (*write_relative(cast("tuple[str, str]", plain), today), *forms)
    if kind == "date" and today:
        return (*near_date_forms(cast("str", plain), today).values(), *forms)
    return forms


def write(kind: Kind, value: object, style: int = 0, today: str = "") -> str:
    """Return `value` as text; `style` picks one of its forms, counted round."""
    forms = writings(kind, value, today)
    return forms[style % len(forms)]


@lru_cache(maxsize=1024)
def _numeric(text: str, today: str) -> tuple[Claim, ...]:
    return tuple(settle(claims((*relative_readers(today), *_NUMERIC), text)))


@lru_cache(maxsize=2048)
def _scan(text: str, vocabulary: tuple[str, ...], today: str) -> tuple[Claim, ...]:
    """Return the values of all kinds but `bool` in `text`; entries of the vocabulary win over what overlaps them."""
    entries = find_terms(text, vocabulary)
    spans = [(entry.start, entry.end) for entry in entries]
    free = [claim for claim in _numeric(text, today) if _is_apart(claim.mention, spans)]
    return (*free, *(Claim("term", entry) for entry in entries))


def _is_apart(mention: Mention, spans: Sequence[tuple[int, int]]) -> bool:
    """Return whether a mention shares no sign with any of the spans."""
    _, first, last = mention
    for start, end in spans:  # noqa: SIM110 - a generator would cost more than the tests
        if first < end and start < last:
            return False
    return True


def find(kind: Kind, text: str, vocabulary: Sequence[str] = (), today: str = "") -> list[Mention]:
    """Return the values of `kind` that stand in `text`, in reading order, longest match, no overlaps.

    Terms and names are looked for in `vocabulary` and reported as it spells them. For the other kinds the vocabulary
    names phrases whose inside is not read: a product name may hold a number. Pass a tuple: its index is kept. What is
    said from where the writer stands ("last month") is read only when `today`, an ISO date, is given.
    """
    if kind == "bool":
        return [claim.mention for claim in settle(claims(TRUTH_READERS, text))]
    wanted: Kind = "term" if kind in _WORDED else kind
    return [claim.mention for claim in _scan(text, tuple(vocabulary), today) if claim.kind == wanted]


def agree(kind: Kind, one: object, other: object) -> bool:
    """Return whether two values of a kind are the same to a reader: terms by words, dates with or without year."""
    first, second = plain_value(one), plain_value(other)
    if isinstance(first, str) and isinstance(second, str):
        return same_date(first, second) if kind == "date" else same_term(first, second)
    if isinstance(first, tuple) and isinstance(second, tuple):
        return all(same_date(a, b) for a, b in zip(first, second, strict=True))
    return type(first) is type(second) and first == second


def agreeing(kind: Kind, values: tuple[object, ...], value: object) -> list[object]:
    """Return those of `values` that are `value` or agree with it, in order."""
    if kind != "date" and isinstance(value, str) and {str}.issuperset(map(type, values)):
        return list(same_terms(cast("tuple[str, ...]", values), value))
    return [one for one in values if one == value or agree(kind, one, value)]


def mentions(text: str, kind: Kind, value: object, vocabulary: Sequence[str] = (), today: str = "") -> bool:
    """Return whether `text` states `value`, read on the day `today` where that is given.

    A term or a name needs in `vocabulary` only the longer entries that it must not be taken out of.
    """
    if kind in _WORDED and isinstance(value, str) and value not in vocabulary:
        vocabulary = (*vocabulary, value)
    return any(agree(kind, mention.value, value) for mention in find(kind, text, vocabulary, today))
