"""Which words of a report say that a value is the one asked for: word groups, found by the words of an answer's cue."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Mapping

_TOTAL = (
    r"total\w*|costs?|costing|price[ds]?|(?:come|comes|came|coming|amounts?|amounted|adds? up|works? out|worked out) "
    r"(?:out )?(?:to|at)|sum|altogether|in all|pay|paid|charged?|charges|bill(?:ed)?|spend"
)
_BEST = r"closest|nearest|cheapest|best|alternatives?|next|comes? close"
_STOCK = r"left|in stock|remain(?:s|ing)?|available|on hand|stock|stocked|only|most|supply|inventory|holds?"
_END = (
    r"last|expir(?:es?|y|ing|ation|ed)|until|through|valid(?:ity)?|good|ends?|ending|runs? out|latest|use it by|"
    r"used by|deadline"
)
GROUPS: Mapping[str, str] = {
    "missing": r"miss(?:ing|es)|short(?:fall)?|lack(?:s|ing)?|more|away|further|additional|below|extra|"
    r"under|gap|difference|top up|add",
    "over": r"over|above|exceed(?:s|ed|ing)?|excess|beyond|too (?:much|expensive)|more|past|higher",
    "distance": r"over|under|above|below|within|inside|beyond|distance|away|short|differ(?:s|ence)|margin|"
    r"exceed(?:s|ed|ing)?|spare|less|more|leaves?|leaving|headroom|room|gap|by|left|off|miss(?:es|ed)?",
    "total": _TOTAL,
    "costs": _TOTAL,
    "spent": r"spent|spend(?:ing)?|spends|paid|costs?|total\w*|(?:came|comes?|amounts?|amounted|adds? up) to|"
    r"worth|expens\w+|sum|altogether|in all",
    "off": r"off|discounts?|savings?|saves?|reductions?|reduced|percent\w*|most|highest|best",
    "left": _STOCK,
    "latest": r"latest|last|newest|most recent|recent(?:ly)?",
    "first": r"first|start(?:s|ed|ing)?|begin(?:s|ning)?|began|earliest|since|oldest|go(?:es)? back|reach(?:es)? back|"
    r"date back|from|before|prior",
    "last": _END,
    "expires": _END,
    "closest": _BEST,
    "cheapest": _BEST,
    "most": r"most|highest|largest|biggest|best",
    "wins": r"wins?|winner|winning|best|cheap\w*|lowest|highest|most|least|low(?:er)?|high(?:er)?|better|more|fewer|"
    r"less|beats?|recommend\w*|richer|richest|ahead|leads?|answer|choice|choose|pick|go for|costs?|has|contains?",
    "top": r"top|most|biggest|highest|largest|first|leads?|leading|ahead|number one|main(?:ly)?|favou?rite",
    "used": r"us(?:ed|able|e|ing)|valid|appl(?:y|ies|icable)|eligible|qualif\w+|redeem\w*|work|fits?|available|count",
    "short": r"short|out of stock|not enough|too few|left|available|insufficient|unavailable|ran out|run out|sold out|"
    r"only|missing|enough|in stock",
    "few": r"short|out of stock|not enough|too few|insufficient|unavailable|sold out|only|lacks?|lacking|missing|"
    r"isn't enough|aren't enough|doesn't have enough|enough|too little|(?:un)?available|in stock|left",
    "hold": r"hold(?:s|ing)?|contains?|includes?|has|have|are for|is for|items?|consists? of|pending|waiting|with",
    "holds": r"hold(?:s|ing)?|contains?|includes?|has|have|provides?|offers?|gives?|per|comes? with|with|each|is in|"
    r"are in|items?|cart|consists? of|instead|left|packs?|at|of|in it",
    "units": r"units?|items?|pieces?|packs?|single\w*|products?",
    "orders": r"orders?|purchases?|transactions?|times",
    "order": r"order(?:s|ed)?|placed|bought|made|purchased?|from|dated|date|day|on|was",
    "cart": r"cart|basket",
    "record": r"record(?:s|ed)?|histor(?:y|ies)|data|logs?",
    "note": r"notes?",
    "voucher": r"vouchers?|coupons?",
    "basket": r"basket|combination|selection|set|three|bundle|cart",
    "minimum": r"minimum|threshold|min|required",
    "budget": r"budget|limit",
    "limit": r"limit|budget|maximum|cap|ceiling",
}
"""Word of a cue -> what reports say for it. Of several in one cue, the one that stands first here is its head."""

_OTHERS = (
    "balance|wallet|budget|limit|subtotal|sub-total|saves?|saving|savings|discount|minimum|each|apiece|per|"
    "instead of|voucher|unit price|list price|before|threshold|cap|maximum|requested|asked|wanted"
)
"""Words that say that a value close to them is another one."""
_WORD = re.compile(r"[a-z]+")


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
    known = [name for name in GROUPS if name in words]
    if not known:
        long = [word for word in words if len(word) > 3] or words
        return Cue(_pattern("|".join(rf"{word[:-1]}\w*" for word in long)), (), _pattern(_OTHERS))
    own = {word for name in known for word in GROUPS[name].split("|")}
    others = "|".join(word for word in _OTHERS.split("|") if word not in own and word not in words)
    return Cue(_pattern(GROUPS[known[0]]), tuple(_pattern(GROUPS[name]) for name in known[1:]), _pattern(others))


@lru_cache(maxsize=512)
def _pattern(words: str) -> re.Pattern[str]:
    return re.compile(rf"(?<![\w-])(?:{words})(?![\w-])", re.IGNORECASE)
