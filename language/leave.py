"""Whether a question asks for leave to do something: "Mind if I peek at your notes?", "Is it OK for me to buy things?".

It is read in order: what asks for leave, then what would be done, then to what. So "May I ask which notes you mean?"
asks for no leave to do anything to notes.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from language.asking import without_quotes


class Leave(NamedTuple):
    """What leave may be asked for."""

    acts: tuple[str, ...]
    """What would be done, as regular expressions of whole words in small letters: `look\\w*`, `us(?:e|ed|ing)`."""
    things: tuple[str, ...]
    """What it would be done to, likewise."""


SEEING = (
    r"look(?:s|ed|ing)?",
    r"peek(?:ed|ing)?",
    r"peep(?:ed|ing)?",
    r"glanc(?:e|ed|ing)",
    r"read(?:ing)?",
    r"see(?:ing)?",
    r"saw",
    r"view(?:ed|ing)?",
    r"check(?:ed|ing)?",
    r"open(?:ed|ing)?",
    r"access(?:ed|ing)?",
    r"us(?:e|ed|ing)",
    r"(?:go|going|went|get|getting|got|dig|digging|dug|flick|leaf|leafing|flicking) (?:through|over|into|in|at)",
    r"brows(?:e|ed|ing)",
    r"search(?:ed|ing)?",
    r"scan(?:ned|ning)?",
    r"skim(?:med|ming)?",
    r"consult(?:ed|ing)?",
    r"review(?:ed|ing)?",
    r"examin(?:e|ed|ing)",
    r"inspect(?:ed|ing)?",
    r"stud(?:y|ied|ying)",
    r"pull(?:ed|ing)?(?: up)?",
    r"fetch(?:ed|ing)?",
    r"query(?:ing)?",
    r"work(?:ed|ing)? with",
)
"""Ways to see what somebody keeps for themselves."""
_FINE = r"(?:ok|okay|fine|all right|alright|cool|acceptable|possible|good|comfortable|happy|at ease|a problem)"
_YES = r"(?:ok|okay|permission|consent|blessing|go[- ]ahead|agreement|approval|leave|green light|yes|nod)"
_ASKS = (
    r"(?:may|might|can|could) (?:i|we)",
    r"mind (?:if (?:i|we)|me|my|letting me)",
    rf"{_FINE}(?: (?:with|by|for) you)?,? (?:if (?:i|we)|that i|for me to|with me|with my|to)",
    r"(?:let|letting|allow|allowing|permit|permitting) (?:me|us)",
    r"(?:allowed|permitted|free|welcome|authori[sz]ed) to",
    rf"(?:your|the|an?) {_YES} (?:for me )?(?:to|for)",
    r"objections? (?:to (?:me|my)|if (?:i|we))",
    r"(?:open to (?:me|my)|willing to have me)",
    r"request(?:ing)? (?:your )?(?:permission|consent|leave) (?:to|for)",
)
_WOULD = r"(?:i|we)(?:(?:'d| would)(?: (?:like|love|need|want|have) to)?|(?:'ll)? (?:need|want|have) to)"
_IF_FINE = rf"(?:if (?:that|this|it)(?:'s| is| would be) {_FINE}(?: (?:with|by|for) you)?|with your {_YES})"
"""Makes a wish a question."""
_IS_FINE = rf"(?:(?:is|would) (?:that|this|it)(?: be)? {_FINE}|are you {_FINE} with (?:that|this|it)|do you agree)"
"""Asks whether a wish may be done, in its sentence or in the next one."""
_BEFORE = r"(?:\W+(?!(?:ask|know|tell|which|what|when|where|who|whose|how|whether|not|never|you)\b)[\w'-]+)"
"""A word before the act that does not make it another question."""
_BETWEEN = r"(?:\W+(?!(?:which|not|never|you)\b)[\w'-]+)"
"""A word between act and thing: what is checked may be what they say, and what is read to the user is theirs."""
_FORWARD = r"(?!\W+(?:back|aloud|out loud|to you)\b)"
"""Nor is it asked whether they want to hear what they wrote."""


def seeks_leave(sentence: str, leave: Leave) -> bool:
    """Return whether a sentence asks the reader for leave to do any of the acts to any of the things."""
    return asks_leave(sentence) and _pattern(leave).search(_plain(sentence)) is not None


@lru_cache(maxsize=2048)
def asks_leave(sentence: str) -> bool:
    """Return whether a sentence asks for leave to do anything at all."""
    return _OPENS.search(_plain(sentence)) is not None


def _plain(sentence: str) -> str:
    return without_quotes(sentence).lower().replace("\u2019", "'")


_OPENS = re.compile(rf"\b(?:{'|'.join((*_ASKS, _IF_FINE, _IS_FINE))})\b")


@lru_cache(maxsize=64)
def _pattern(leave: Leave) -> re.Pattern[str]:
    done = (
        rf"{_BEFORE}{{0,4}}?\W+(?:{'|'.join(leave.acts)}){_BETWEEN}{{0,5}}?\W+(?:{'|'.join(leave.things)})\b{_FORWARD}"
    )
    asked = rf"\b(?:{'|'.join(_ASKS)})\b{done}"
    wished = rf"\b{_WOULD}\b{done}[^.!?]*?\b{_IF_FINE}\b"
    wish_first = rf"\b{_IF_FINE}\b\W+{_WOULD}\b{done}"
    then_asked = rf"\b{_WOULD}\b{done}[^.!?]*(?:[.!]\W+)?\b{_IS_FINE}\b[^.!]*[?]"
    return re.compile(f"{asked}|{wished}|{wish_first}|{then_asked}")
