"""Words and phrases from a closed vocabulary: categories, brands, tags, product names.

Matching ignores case, accents, hyphens, underscores and the plural of the last word: "Low Sugar" is `low_sugar`, "nuts"
is `nut`. Where several entries fit, the longest is meant. A word that is half of a compound ("gluten" in "gluten-free",
"nut" in "nut-based") is another word and does not match.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import NamedTuple

from language.spans import Mention

_WORD = re.compile(r"[^\W_]+(?:['\u2019][^\W_]+)*|&")
_JOINED = re.compile(r"[ \t\n\u00a0_\-\u2010\u2011]*")
_POSSESSIVE = re.compile(r"['\u2019]s?$")
_HYPHENS = ("-", "\u2010", "\u2011", "_")
_OPPOSITES = frozenset({"free"})
"""Words that turn the word before them into its opposite."""
_KEPT_S = re.compile(r"(?:ss|us|is)$")
_ENDINGS = (
    (re.compile(r"(?<=\w\w\w)ies?$"), "y"),
    (re.compile(r"(?<=\w\w)oe$"), "o"),
    (re.compile(r"(?<=ss|sh|ch)e$"), ""),
    (re.compile(r"(?<=[xz])e$"), ""),
)


class _Token(NamedTuple):
    folded: str
    singular: str
    start: int
    end: int


class _Entry(NamedTuple):
    """A vocabulary entry: its words, what stands between them, and the entry as given."""

    parts: tuple[str, ...]
    gaps: tuple[str, ...]
    value: str


def fold(text: str) -> str:
    """Return `text` in lower case without accents."""
    if text.isascii():
        return text.lower()
    decomposed = unicodedata.normalize("NFKD", text)
    return "".join(sign for sign in decomposed if not unicodedata.combining(sign)).casefold()


@lru_cache(maxsize=4096)
def singular(word: str) -> str:
    """Return a stem that the singular and the plural of a lower-case English word share: cookie and cookies, cooky."""
    if len(word) <= 3:
        return word
    stem = word[:-1] if word.endswith("s") and not _KEPT_S.search(word) else word
    for ending, replacement in _ENDINGS:
        stem = ending.sub(replacement, stem)
    return stem


def words(text: str) -> tuple[str, ...]:
    """Return the folded words of `text`, without possessive endings, "&" read as "and"."""
    return tuple(_word(match[0]) for match in _WORD.finditer(text))


def _word(text: str) -> str:
    return "and" if text == "&" else _POSSESSIVE.sub("", fold(text))


@lru_cache(maxsize=16384)
def key(text: str) -> tuple[str, ...]:
    """Return what two writings of one term share: its words, the last one in the singular."""
    found = words(text)
    return (*found[:-1], singular(found[-1])) if found else ()


def same_term(one: str, other: str) -> bool:
    """Return whether two writings are one term."""
    return key(one) == key(other)


@lru_cache(maxsize=256)
def _by_key(terms: tuple[str, ...]) -> dict[tuple[str, ...], list[str]]:
    found: dict[tuple[str, ...], list[str]] = {}
    for term in terms:
        found.setdefault(key(term), []).append(term)
    return found


def same_terms(terms: tuple[str, ...], other: str) -> list[str]:
    """Return those of `terms` that are one term with `other`, in order; their index is kept."""
    return list(_by_key(terms).get(key(other), ()))


@lru_cache(maxsize=64)
def _index(vocabulary: tuple[str, ...]) -> dict[str, list[_Entry]]:
    """Return the entries by their first word, longest first, so that the first fit is the longest."""
    index: dict[str, list[_Entry]] = {}
    for value in vocabulary:
        parts = key(value)
        if parts:
            index.setdefault(parts[0], []).append(_Entry(parts, _gaps(value, _tokens(value)), value))
    for entries in index.values():
        entries.sort(key=lambda entry: -len(entry.parts))
    return index


def _gaps(text: str, tokens: tuple[_Token, ...]) -> tuple[str, ...]:
    """Return what stands between the tokens, without white space."""
    return tuple(text[one.end : two.start].strip() for one, two in pairwise(tokens))


@lru_cache(maxsize=1024)
def _tokens(text: str) -> tuple[_Token, ...]:
    folded = ((_word(match[0]), match) for match in _WORD.finditer(text))
    return tuple(_Token(word, singular(word), match.start(), match.end()) for word, match in folded)


def find_terms(text: str, vocabulary: tuple[str, ...]) -> list[Mention]:
    """Return the vocabulary entries that stand in `text`, longest match first, without overlaps."""
    index, tokens = _index(vocabulary), _tokens(text)
    found: list[Mention] = []
    at = 0
    while at < len(tokens):
        entry = next(_fits(index, tokens, text, at), None)
        if entry is None:
            at += 1
            continue
        last = at + len(entry.parts) - 1
        found.append(Mention(entry.value, tokens[at].start, tokens[last].end))
        at = last + 1
    return found


def _fits(index: dict[str, list[_Entry]], tokens: tuple[_Token, ...], text: str, at: int) -> Iterator[_Entry]:
    """Yield the entries that fit at token `at`, longest first."""
    first = tokens[at]
    entries = index.get(first.folded, [])
    if first.singular != first.folded:
        # Only an entry of one word can start with a stem, so it comes after the longer ones.
        entries = entries + index.get(first.singular, [])
    for entry in entries:
        span = tokens[at : at + len(entry.parts)]
        if _agree(entry, span, text) and not _compounded(tokens, text, at, at + len(span) - 1):
            yield entry


def _agree(entry: _Entry, span: tuple[_Token, ...], text: str) -> bool:
    """Return whether the words of `span` are those of `entry`, joined as there or by nothing but space and hyphens."""
    if len(span) < len(entry.parts) or span[-1].singular != entry.parts[-1]:
        return False
    if any(token.folded != part for token, part in zip(span[:-1], entry.parts[:-1], strict=True)):
        return False
    between = (text[one.end : two.start] for one, two in pairwise(span))
    return all(_JOINED.fullmatch(gap) or gap.strip() == own for gap, own in zip(between, entry.gaps, strict=True))


def _compounded(tokens: tuple[_Token, ...], text: str, first: int, last: int) -> bool:
    """Return whether the words from `first` to `last` are only part of a compound."""
    start, end = tokens[first].start, tokens[last].end
    if start > 1 and text[start - 1] in _HYPHENS and text[start - 2].isalnum():
        return True
    if last + 1 >= len(tokens):
        return False
    following = tokens[last + 1]
    gap = text[end : following.start]
    return gap in _HYPHENS or (gap == " " and following.folded in _OPPOSITES)


_SAYS = frozenset({"contains"})
"""First words of terms that are verbs: they say something of a thing and do not stand before it."""
_COUNTED = frozenset(
    "bagel bar biscuit bisque bite blancmange block boost bowl broth brownie bun cheesecake chowder compote cookie "
    "cooler cracker croissant cup dessert dip drink energizer flapjack flatbread granita lemonade loaf milkshake "
    "mousse muffin parfait pate pot pudding puree replacement roll shake slab smoothie snack soup spread spritz tart "
    "tonic trifle tube tub twist wafer wedge wheel wrap yoghurt yogurt".split()
)
"""Nouns for things that are counted one by one, as they end terms and names."""


def write_term(value: str) -> tuple[str, ...]:
    """Return the forms a writer may use for a term: as words, hyphened; both in lower case when the term is an id."""
    spaced = value.replace("_", " ")
    first = spaced.split(" ")[0]
    return (spaced, "-".join(spaced.split())) if "_" in value and first not in _SAYS else (spaced,)


def plural(text: str) -> str:
    """Return a term or name for several of its things, where its last word is the noun of a thing that is counted."""
    last = fold(text.split(" ")[-1])
    if last not in _COUNTED:
        return text
    return text + ("es" if last.endswith(("s", "sh", "ch", "x", "z")) else "s")


def write_name(value: str) -> tuple[str, ...]:
    """Return the forms a writer may use for a proper name: as it is, in double quotes, in lower case."""
    return (value, f'"{value}"', value.lower())


def write_text(value: str) -> tuple[str, ...]:
    """Return the form in which a writer hands over words to be kept as they stand: in double quotes."""
    return (f'"{value}"',)
