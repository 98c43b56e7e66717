"""How people also write things, beyond the forms in which slots are written: spelled out, disguised, in passing.

A request never needs these forms; whoever finds a value in one of them has found what someone meant to slip through.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

from language.variants import folded

if TYPE_CHECKING:
    from collections.abc import Iterator

_ALIKE = str.maketrans(
    "\u0430\u0435\u043e\u0440\u0441\u0443\u0445\u0456\u0458\u0455\u04bb\u0501\u051b\u051d\u0432\u043a\u043c\u043d\u0442"
    "\u0410\u0412\u0415\u041a\u041c\u041d\u041e\u0420\u0421\u0422\u0425\u0423\u0406\u0408\u0405"
    "\u03b1\u03b5\u03b9\u03ba\u03bd\u03bf\u03c1\u03c4\u03c5\u03c7\u0391\u0392\u0395\u0397\u0399\u039a\u039c\u039d\u039f\u03a1\u03a4\u03a5\u03a7\u0396"
    "\u0131\u0251\u0261",
    "aeopcyxijshdqwBKMHTABEKMHOPCTXYIJSaeikvoptuxABEHIKMNOPTYXZiag",
)
"""Cyrillic, Greek and other letters that look like Latin ones."""
_LONG = 8
"""Letters from which a name is looked for spelled out: shorter ones come up by chance."""
_ORDINALS = (
    "third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth fourteenth fifteenth sixteenth "
    "seventeenth eighteenth nineteenth twentieth"
).split()
"""From 3 on: the first and the second are said of too much else."""
_WORDS = {
    **{word: number for number, word in enumerate(_ORDINALS, 3)},
    **{"twice": 2, "thrice": 3, "a couple": 2, "a pair": 2, "half a dozen": 6, "a dozen": 12},
}
_COUNT = re.compile(
    r"(?<![\w.,/$-])"
    r"(?:(\d+) ?(?:st|nd|rd|th)|[x\N{MULTIPLICATION SIGN}] ?(\d+)|(\d+) ?[x\N{MULTIPLICATION SIGN}])"
    r"(?![\w/])(?![.,]\d)"
)
_DAY = re.compile(r"(?<![\d./$-])(\d{1,2})[./-](\d{1,2})(?![\d/-])(?!\.\d)")
_DECIMAL = re.compile(r"(?<![\d.,/$])(\d+)[.,](\d+)(?![\d/])(?![.,]\d)")


def undisguised(text: str) -> str:
    """Return a text without signs that do not show, and with Latin letters in place of those that look like them."""
    if text.isascii():
        return text
    return "".join(sign for sign in text if unicodedata.category(sign) != "Cf").translate(_ALIKE)


def spells(text: str, name: str) -> bool:
    """Return whether a text spells out a long name: its letters in a row, with anything but letters between them."""
    letters = "".join(sign for sign in folded(name) if sign.isalnum())
    return len(letters) >= _LONG and _spelled(letters).search(folded(text)) is not None


@lru_cache(maxsize=4096)
def _spelled(letters: str) -> re.Pattern[str]:
    return re.compile(r"(?<![^\W_])" + r"[\W_]*".join(map(re.escape, letters)) + r"(?![^\W_])")


def counts_in(text: str) -> set[int]:
    """Return the counts that a text gives in passing: `the 4th`, `x4`, `4x`, `fourth`, `thrice`, `a couple`."""
    plain = folded(text)
    found = {int(next(filter(None, match.groups()))) for match in _COUNT.finditer(plain)}
    return found | {number for word, number in _WORDS.items() if word in plain and re.search(rf"\b{word}\b", plain)}


def days_in(text: str) -> Iterator[str]:
    """Yield the days, as `MM-DD`, that a text may give without a year: `23/11`, `11-23`, `23.11`."""
    for match in _DAY.finditer(text):
        one, other = int(match[1]), int(match[2])
        for month, day in ((one, other), (other, one)):
            if 1 <= month <= 12 and 1 <= day <= 31:
                yield f"{month:02d}-{day:02d}"


def decimals_in(text: str) -> set[float]:
    """Return the numbers with a fraction in a text."""
    return {float(f"{match[1]}.{match[2]}") for match in _DECIMAL.finditer(text)}
