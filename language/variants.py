"""All surface forms of a value, for scans that must not miss one: number formats, spacing, case, encodings.

Wider than what a writer uses and than what `find` reads: raw cents, ids with their separators dropped, base64.
"""

from __future__ import annotations

import base64
import re
from functools import lru_cache

from language.dates import MONTHS
from language.matching import plain_value, writings
from language.numbers import in_words
from language.spans import Kind, Value
from language.terms import fold

_SPACES = re.compile(r"\s+")
_SEPARATORS = re.compile(r"[\s_\-]+")
_ENCODED = 6
"""Texts shorter than this many characters are not looked for in base64: their code is too short to tell apart."""


_RAW = 1_000
"""Fewer cents than these, written as a bare number, are taken for a count."""


def folded(text: str) -> str:
    """Return `text` as scans compare it: lower case, no accents, single spaces."""
    return _SPACES.sub(" ", fold(text)).strip()


@lru_cache(maxsize=8192)
def _variants(kind: Kind, value: Value) -> tuple[str, ...]:
    forms = {*writings(kind, value), *_more(kind, value)}
    return tuple(sorted({folded(form) for form in forms if form}))


def variants(kind: Kind, value: object) -> tuple[str, ...]:
    """Return every form in which `value` may stand in a text, as `folded` gives them, without repeats, sorted."""
    return _variants(kind, plain_value(value))


@lru_cache(maxsize=8192)
def _whole(form: str) -> re.Pattern[str]:
    """Return the pattern of `form` as a whole: 12.50 stands neither in 112.50 nor in 12.505, but before a full stop."""
    left = r"(?<!\w)(?<!\d[.,])" if form[0].isalnum() else ""
    right = r"(?!\w)(?![.,]\d)" if form[-1].isalnum() else ""
    return re.compile(left + re.escape(form) + right)


@lru_cache(maxsize=8192)
def _loose(phrase: str) -> re.Pattern[str]:
    """Return the pattern of a folded phrase with anything or nothing of space, hyphen and underscore between words."""
    parts = [re.escape(part) for part in _SEPARATORS.split(phrase) if part] or ["(?!)"]
    return re.compile(r"(?<!\w)" + r"[\s_\-]*".join(parts) + r"(?!\w)")


def leak(text: str, kind: Kind, value: object) -> str | None:
    """Return the form in which `text` gives `value` away, or None.

    Surface forms count where no letter or digit touches them; encodings count anywhere.
    """
    haystack = folded(text)
    stated = plain_value(value)
    for form in _variants(kind, stated):
        if form in haystack and _whole(form).search(haystack):
            return form
    if kind not in ("term", "name", "text") or not isinstance(stated, str):
        return None
    found = _loose(folded(stated)).search(haystack)
    if found:
        return found[0]
    codes = _encodings(stated)
    return next((code for code in codes if code in haystack), None)


@lru_cache(maxsize=8192)
def _encodings(text: str) -> tuple[str, ...]:
    """Return the folded base64 codes of `text`, at the three offsets it can have in a longer encoded text."""
    raw = text.encode()
    if len(raw) < _ENCODED:
        return ()
    codes: list[str] = []
    for offset in range(3):
        code = base64.b64encode(b"\0" * offset + raw).decode()
        # The first and the last sign mix in bits of what stands beside the text.
        first, last = -(-offset * 8 // 6), (offset + len(raw)) * 8 // 6
        codes.append(code[first:last].casefold())
    return tuple(codes)


def _more(kind: Kind, value: Value) -> set[str]:
    if kind == "money_cents" and isinstance(value, int):
        return _amounts(value)
    if kind == "count" and isinstance(value, int):
        return _counts(value)
    if kind == "date" and isinstance(value, str):
        return _dates(value)
    if kind == "period" and isinstance(value, tuple):
        return {f"{value[0]}{link}{value[1]}" for link in (" to ", " - ", "/", "..")}
    if kind in ("term", "name", "text") and isinstance(value, str):
        return _texts(value)
    return set()


def _amounts(cents: int) -> set[str]:
    whole, part = divmod(abs(cents), 100)
    short = f"{whole}.{part:02d}".rstrip("0").rstrip(".")
    numbers = {f"{whole}.{part:02d}", f"{whole},{part:02d}", f"{whole:,}.{part:02d}", short}
    signed = {f"{sign}{number}" for number in numbers for sign in ("$", "$ ", "usd ")}
    named = {f"{number} {unit}" for number in numbers for unit in ("$", "usd", "dollars", "bucks")}
    # A bare 12 may be anything; a bare 12.50 or 1250 is too close to the amount to let pass.
    bare = {number for number in numbers if number != str(whole)}
    if abs(cents) >= _RAW:
        bare.add(str(abs(cents)))
    return signed | named | bare


def _counts(number: int) -> set[str]:
    grouped = f"{number:,}"
    forms = {grouped.replace(",", sign) for sign in ("", " ", ".", "'", "_")} | {f"{number}.0"}
    if 0 <= number < 100_000:
        forms |= {in_words(number), in_words(number).replace("-", " ")}
    return forms


def _dates(value: str) -> set[str]:
    if value.startswith("--"):
        return {value}
    year, month, day = (int(part) for part in value.split("-"))
    name = MONTHS[month - 1]
    numeric = {f"{day:{pad}}{sep}{month:{pad}}{sep}{year}" for pad in ("", "02") for sep in "./-"}
    american = {f"{month:{pad}}{sep}{day:{pad}}{sep}{year}" for pad in ("", "02") for sep in "./-"}
    worded = {f"{day} {word}" for word in (name, name[:3])} | {f"{word} {day}" for word in (name, name[:3])}
    return numeric | american | worded | {value.replace("-", sep) for sep in ("", "/", ".")}


def _texts(value: str) -> set[str]:
    spaced = _SEPARATORS.sub(" ", value)
    return {spaced.replace(" ", sep) for sep in (" ", "_", "-", "")} | {value}
