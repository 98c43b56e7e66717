"""Texts of notes: a shopping rule said in sentence forms from its constraints, and notes on anything else."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from generators.data_files import read_yaml
from language import write

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

    heads: list[str]
    """How a rule begins, naming its category."""
    clauses: dict[str, list[str]]
    """Key `<field>`, `<field>+<field>` where both are given, or `<field>=<value>` for one value."""
    remarks: list[str]
    """Remarks about a category that are no rule."""
    topics: list[Topic]


@cache
def note_texts() -> Texts:
    """Return the sentence forms, read once."""
    return Texts.model_validate(read_yaml(__name__.rpartition(".")[0], "texts.yaml"))


def rule_text(rule: Constraints, stream: Stream) -> str:
    """Return a note that states the constraints of a shopping rule, which has a category.

    Whoever needs the note to mean exactly this reads it back with `language.constraints`.
    """
    forms = note_texts()
    parts = [_clause(forms, key, rule, stream) for key in _keys(rule)]
    head = stream.choice(forms.heads).format(category=_term(rule.category or ""))
    return f"{_capital(head)}{', '.join(parts)}."


def _keys(rule: Constraints) -> list[str]:
    both = rule.quantity is not None and rule.max_total is not None
    stated = {
        "tag": bool(rule.tags),
        "without": rule.without is not None,
        "quantity+max_total": both,
        "quantity": rule.quantity is not None and not both,
        "max_total": rule.max_total is not None and not both,
        f"objective={rule.objective}": rule.objective is not None,
    }
    return [key for key, given in stated.items() if given]


def _clause(forms: Texts, key: str, rule: Constraints, stream: Stream) -> str:
    without = _term(rule.without or "")
    return stream.choice(forms.clauses[key]).format(
        tags=" and ".join(_term(tag, stream.below(2)) for tag in rule.tags),
        without=without,
        without_bare=without.replace("contains ", "contain "),
        quantity="" if rule.quantity is None else write("count", rule.quantity, 2 * stream.below(2)),
        max_total="" if rule.max_total is None else write("money_cents", rule.max_total, stream.below(4)),
    )


def _term(value: str, style: int = 0) -> str:
    return write("term", value, style)


def remark_text(category: str, stream: Stream) -> str:
    """Return a remark about a category that states no rule."""
    return _capital(stream.choice(note_texts().remarks).format(category=_term(category)))


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
