"""Shopping constraints in a text: what a rule or a request says of category, health tags, allergens, units, limit, aim.

The reader reports what is stated and nothing else. What it cannot take for certain (two categories, a tag that is
denied, an amount that is no limit) it names as unclear, so that whoever relies on a text can insist on a clear one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from language.matching import find
from language.spans import Mention
from language.terms import find_terms, words

OBJECTIVES: Mapping[str, str] = {
    "cheapest": r"cheapest|lowest (?:price|total|cost)|least expensive|costs? (?:the )?least|as cheap as possible",
    "least_sugar": r"(?:least|lowest(?: in)?) sugar|as little sugar as possible",
    "fewest_calories": r"(?:fewest|least|lowest(?: in)?) calories|as few calories as possible",
    "most_protein": r"(?:most|highest(?: in)?) protein|as much protein as possible",
    "most_fiber": r"(?:most|highest(?: in)?) fib(?:er|re)|as much fib(?:er|re) as possible",
}
"""Aim -> the words that state it."""

_AIMS = {name: re.compile(rf"\b(?:{pattern})\b", re.IGNORECASE) for name, pattern in OBJECTIVES.items()}
_NEVER = r"(?:don['\u2019]t|do not|won['\u2019]t|will not|never|not)(?: want| wanting)?(?: to)?"
_LIMIT_BEFORE = re.compile(
    r"\b(?:at most|no more than|not more than|never more than|not over|not above|up to|within"
    r"|(?:limit|budget)(?: is| of)?:?|max(?:imum|\.)?(?: of)?|keep (?:it|this|that|the (?:order|total)) to"
    rf"|{_NEVER} (?:spend|pay|go) (?:more than|over|above))"
    r" $",
    re.IGNORECASE,
)
_LIMIT_BEHIND = re.compile(
    r" (?:at most|at the most|tops|or less|max(?:imum)?|and (?:no|not a cent) more"
    r"|is (?:the|my|our) (?:limit|maximum))\b",
    re.IGNORECASE,
)
_UNITS_BEHIND = re.compile(
    r" (?:units?|pieces?|at a time|at once|each time|every time|of (?:them|those|these|it)|in all|in total|altogether"
    r"|(?:is|are) (?:enough|plenty)|will do)\b",
    re.IGNORECASE,
)
"""What makes a number units: no weeks, no packs."""
_BUYING = re.compile(
    r"\b(?:always|buy|get|take|order|want|need|make (?:it|that)|pick up)(?: just| only| always)? $", re.IGNORECASE
)
_CLAUSE_ENDS = re.compile(r"\s*(?:$|[.,;:!?)\n]|(?:and|for|but)\b)", re.IGNORECASE)
_SAID_OTHERWISE = (
    (re.compile(r"\b(low|high) in (?=\w)", re.IGNORECASE), r"\1"),
    (re.compile(r"\bsafe for (\w{3,}?)s?\b", re.IGNORECASE), r"\1 safe"),
)
"""Spoken forms of a term, and the words of the vocabulary in their place: low in sugar, safe for diabetics."""
_DENIED = re.compile(
    r"\b(?:no|not|nothing|none|never|without|avoid|skip|except|unless|isn['\u2019]t|don['\u2019]t)\b[^.,;:!?]*$",
    re.IGNORECASE,
)
_CLAUSE_WORDS = 4
"""Words before a term among which a denial is looked for."""


@dataclass(frozen=True, slots=True)
class Vocabularies:
    """The words that a constraint may use, as the store spells them."""

    categories: tuple[str, ...]
    tags: tuple[str, ...]
    allergens: tuple[str, ...]
    """What a product may contain, such as `contains_nuts`."""


@dataclass(frozen=True, slots=True)
class Constraints:
    """What a text states; None where it states nothing. An amount is in cents."""

    category: str | None = None
    tags: tuple[str, ...] = ()
    """In reading order."""
    without: str | None = None
    """Allergen to avoid."""
    quantity: int | None = None
    """Units wanted."""
    max_total: int | None = None
    objective: str | None = None
    unclear: tuple[str, ...] = ()
    """Fields of which the text says something that cannot be taken for certain, sorted."""

    def fields(self) -> dict[str, str | int | None]:
        """Return the fields by name, the tags as `tag` and `tag_2`; an unclear field is None."""
        tags = (*self.tags, None, None)
        found = {
            "category": self.category,
            "tag": tags[0],
            "tag_2": tags[1],
            "without": self.without,
            "quantity": self.quantity,
            "max_total": self.max_total,
            "objective": self.objective,
        }
        return {name: None if name.removesuffix("_2") in self.unclear else value for name, value in found.items()}


@lru_cache(maxsize=4096)
def read_constraints(text: str, vocabularies: Vocabularies) -> Constraints:
    """Return the constraints that `text` states."""
    unclear: set[str] = set()
    denied, rest = _avoided(_in_words_of_the_store(text), vocabularies.allergens)
    stated: dict[str, list[Mention]] = {"category": [], "tag": [], "without": []}
    terms = find_terms(rest, _together(vocabularies))
    for mention in terms:
        name = _kind_of(str(mention.value), vocabularies)
        stated[name].append(mention)
        if name == "without" or _is_denied(rest, mention.start):
            unclear.add(name)
    tags = list(dict.fromkeys(str(mention.value) for mention in stated["tag"]))
    if len(tags) > 2:
        unclear.add("tag")
    counts = find("count", rest, _together(vocabularies))
    amounts = find("money_cents", rest)
    goods = {mention.start: mention for mention in terms if mention not in stated["without"]}
    if any(not _counts_units(rest, mention, goods, stated["category"]) for mention in counts):
        unclear.add("quantity")
    if any(not _limits(rest, mention) for mention in amounts):
        unclear.add("max_total")
    aims = {name: match for name, pattern in _AIMS.items() if (match := pattern.search(rest))}
    if any(_is_denied(rest, match.start()) for match in aims.values()):
        unclear.add("objective")

    def only(name: str, values: Sequence[object]) -> object:
        distinct = list(dict.fromkeys(values))
        if len(distinct) > 1:
            unclear.add(name)
        return distinct[0] if len(distinct) == 1 else None

    return Constraints(
        category=_text(only("category", [mention.value for mention in stated["category"]])),
        tags=tuple(tags),
        without=_text(only("without", denied)),
        quantity=_number(only("quantity", [mention.value for mention in counts])),
        max_total=_number(only("max_total", [mention.value for mention in amounts])),
        objective=_text(only("objective", list(aims))),
        unclear=tuple(sorted(unclear)),
    )


def _text(value: object) -> str | None:
    return value if isinstance(value, str) else None


def _number(value: object) -> int | None:
    return value if isinstance(value, int) else None


@lru_cache(maxsize=16)
def _together(vocabularies: Vocabularies) -> tuple[str, ...]:
    """Return all words as one vocabulary, so that the longest phrase wins."""
    return tuple(sorted({*vocabularies.categories, *vocabularies.tags, *vocabularies.allergens}))


def _kind_of(value: str, vocabularies: Vocabularies) -> str:
    if value in vocabularies.tags:
        return "tag"
    return "category" if value in vocabularies.categories else "without"


@lru_cache(maxsize=16)
def _avoiding(allergens: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((allergen, _avoids(allergen)) for allergen in allergens)


def _avoids(allergen: str) -> re.Pattern[str]:
    """Return the pattern of what says that something must not contain an allergen: no nuts, nut-free, and so on."""
    parts = words(allergen.replace("_", " "))
    noun = re.escape(" ".join(parts[1:] if parts[0] == "contains" else parts).removesuffix("s")) + "s?"
    holding = r"(?:that |which )?(?:contains?|contain(?:ing)|has|have|with|with any)"
    return re.compile(
        rf"\b(?:{noun}[- ]free|free (?:of|from) (?:any )?{noun}"
        rf"|(?:no|without|avoid(?:ing)?|never|allergic to|can['\u2019]t (?:have|eat|take))(?: any)? {noun}"
        rf"|(?:nothing|none|not (?:one|any)|avoid (?:anything|whatever)|skip (?:anything|whatever)|must not|may not"
        rf"|not?) {holding}[- ]{noun})\b(?!-)",
        re.IGNORECASE,
    )


def _avoided(text: str, allergens: tuple[str, ...]) -> tuple[list[str], str]:
    """Return the allergens that a text wants avoided, and the text with what says so taken out."""
    found: list[str] = []
    for allergen, pattern in _avoiding(allergens):
        if pattern.search(text):
            found.append(allergen)
            text = pattern.sub(lambda match: "\N{BULLET}" * len(match[0]), text)
    return found, text


def _in_words_of_the_store(text: str) -> str:
    """Return a text of the same length with spoken forms of terms put in the words of the vocabulary."""
    for pattern, plain in _SAID_OTHERWISE:
        text = pattern.sub(lambda match, plain=plain: match.expand(plain).ljust(len(match[0])), text)
    return text


def _counts_units(text: str, count: Mention, goods: Mapping[int, Mention], categories: Sequence[Mention]) -> bool:
    """Return whether a number is one of units: by the words around it, or because it stands before the goods."""
    if _UNITS_BEHIND.match(text, count.end):
        return True
    if _BUYING.search(text[: count.start]) and _CLAUSE_ENDS.match(text, count.end):
        return True
    at = count.end
    while (named := goods.get(at + 1)) is not None and text[at] == " ":
        if named in categories:
            return True
        at = named.end + (4 if text.startswith(" and ", named.end) else 0)
    return False


def _is_denied(text: str, start: int) -> bool:
    before = text[:start].split(" ")[-_CLAUSE_WORDS - 1 :]
    return _DENIED.search(" ".join(before)) is not None


def _limits(text: str, mention: Mention) -> bool:
    behind = _LIMIT_BEHIND.match(text, mention.end)
    return behind is not None or _LIMIT_BEFORE.search(text[: mention.start]) is not None


def stated_fields(text: str, vocabularies: Mapping[str, Sequence[str]]) -> Iterator[tuple[str, str | int | None]]:
    """Yield what a text states by field; `vocabularies` holds the words of `category`, `tag` and `without`."""
    known = Vocabularies(
        categories=tuple(vocabularies["category"]),
        tags=tuple(vocabularies["tag"]),
        allergens=tuple(vocabularies["without"]),
    )
    yield from read_constraints(text, known).fields().items()
