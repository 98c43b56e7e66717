"""Texts of notes: a shopping rule said in sentence forms from its constraints, and notes on anything else."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from generators.data_files import read_yaml
from language import write
from language.terms import plural

if TYPE_CHECKING:
    from language.constraints import Constraints
    from services.runtime.streams import Stream


class Topic(BaseModel):
    """A note on something else than shopping."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    topic: str
    """What the note is about, as its writer would refer to it."""
    text: str


class Texts(BaseModel):
    """The sentence forms of notes."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    tags: dict[str, tuple[str, str]]
    """Tag -> how it is said before a noun, and behind a verb."""
    openings: list[str]
    """How a rule begins, in small letters: its category with its tags, as a clause of its own."""
    clauses: dict[str, list[str]]
    """Key `<field>`, `<field>+<field>` where both are given, or `<field>=<value>` for one value."""
    asides: list[str]
    """Clauses that add nothing to a rule but why one keeps to it."""
    remarks: list[str]
    """Remarks about a category that are no rule."""
    topics: list[Topic]


@cache
def note_texts() -> Texts:
    """Return the sentence forms, read once."""
    return Texts.model_validate(read_yaml(__name__.rpartition(".")[0], "texts.yaml"))


_SENTENCE_STARTS = re.compile(r"(?:^|(?<=[.?!] ))[a-z]")
ASIDE = (1, 4)
"""Share of rules with an aside."""


def rule_text(rule: Constraints, stream: Stream) -> str:
    """Return a note that states the constraints of a shopping rule, which has a category and a tag.

    Whoever needs the note to mean exactly this reads it back with `language.constraints`.
    """
    forms = note_texts()
    words = _words(forms, rule, stream)
    clauses = [stream.choice(forms.clauses[key]) for key in stream.shuffled(_keys(rule))]
    if stream.chance(*ASIDE):
        clauses.append(stream.choice(forms.asides))
    opening = stream.choice(forms.openings)
    return _laid_out([clause.format(**words) for clause in (opening, *clauses)], stream)


def _laid_out(clauses: list[str], stream: Stream) -> str:
    """Return clauses as people jot them down: in a row, as sentences, or some of both."""
    first = {"row": len(clauses), "sentences": 0, "both": min(2, len(clauses))}[
        stream.weighted((("row", 4), ("sentences", 3), ("both", 2)))
    ]
    text = ". ".join([*([", ".join(clauses[:first])] if first else []), *clauses[first:]])
    if first == len(clauses) and stream.chance(1, 3):
        return text
    text = _SENTENCE_STARTS.sub(lambda match: match[0].upper(), text)
    return text if stream.chance(1, 4) else f"{text}."


def _keys(rule: Constraints) -> list[str]:
    both = rule.quantity is not None and rule.max_total is not None
    stated = {
        "without": rule.without is not None,
        "quantity+max_total": both,
        "quantity": rule.quantity is not None and not both,
        "max_total": rule.max_total is not None and not both,
        f"objective={rule.objective}": rule.objective is not None,
    }
    return [key for key, given in stated.items() if given]


def _words(forms: Texts, rule: Constraints, stream: Stream) -> dict[str, str]:
    """Return what stands in the places of the forms; numbers are written in one way throughout."""
    tags = [forms.tags.get(tag, (_term(tag), _term(tag))) for tag in rule.tags]
    in_digits = stream.chance(3, 4)
    return {
        "category": plural(_term(rule.category or "")),
        "kind": " and ".join(kind for kind, _ in tags),
        "being": " and ".join(being for _, being in tags),
        "bare": _term(rule.without or "").removeprefix("contains "),
        "quantity": "" if rule.quantity is None else write("count", rule.quantity, 0 if in_digits else 2),
        "max_total": "" if rule.max_total is None else write("money_cents", rule.max_total, stream.choice((1, 1, 2))),
    }


def _term(value: str) -> str:
    return write("term", value)


def remark_text(category: str, stream: Stream) -> str:
    """Return a remark about a category that states no rule."""
    return stream.choice(note_texts().remarks).format(category=plural(_term(category)))
