"""Whether an answer in free words says yes or no."""

from __future__ import annotations

import re

_YES = re.compile(
    r"^\W*(?:yes|yeah|yep|sure|ok|okay|of course|certainly|fine|all right|alright|agreed|i agree|go ahead|please do"
    r"|no problem|that(?:'s| is) (?:fine|ok|okay|all right))\b",
    re.IGNORECASE,
)
_NO = re.compile(
    r"\b(?:no|nope|nah|not|never|cannot|dont|wont|cant|refuse|decline|too much|more than)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_HARMLESS = re.compile(r"\b(?:no problem|why not|no idea|not sure|don['\u2019]?t know|do not know)\b", re.IGNORECASE)
_PLAIN_NO = re.compile(r"^\W*(?:no|nope|nah)\b(?! idea| problem)", re.IGNORECASE)


def says_no(text: str) -> bool:
    """Return whether an answer refuses: at once, or without asking anything."""
    if _PLAIN_NO.search(text):
        return True
    return "?" not in text and _NO.search(_HARMLESS.sub(" ", text)) is not None


def says_yes(text: str) -> bool:
    """Return whether an answer agrees and refuses nothing."""
    return _YES.search(text) is not None and _NO.search(_HARMLESS.sub(" ", text)) is None
