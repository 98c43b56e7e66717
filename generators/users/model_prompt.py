"""What a model is told that plays a user: who it is, what it knows, and how it decides. Never what would be right."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from generators.data_files import read_yaml
from language import write

if TYPE_CHECKING:
    from collections.abc import Iterator

    from generators.users.card import Card
    from generators.users.facts import Fact
    from schemas.task import Consent
    from services.runtime.catalogue import Catalogue


class _Texts(BaseModel):
    """The data file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    role: str
    rules: list[str]
    styles: dict[str, str]
    heads: dict[str, str]


@cache
def _texts() -> _Texts:
    return _Texts.model_validate(read_yaml("generators.users", "prompt.yaml"))


def user_prompt(card: Card, catalogue: Catalogue) -> str:
    """Return the system prompt of a model that plays the user on `card`."""
    texts = _texts()
    heads = texts.heads
    lines = [texts.role, texts.styles[card.script.style], "", *(f"- {rule}" for rule in texts.rules)]
    lines += ["", heads["request"], *(f"> {line}" for line in card.instruction.splitlines())]
    facts = [fact for fact in card.facts.all if fact.slot.told in heads]
    if facts:
        lines += ["", heads["facts"], *(f"- {_fact(card, fact)}" for fact in facts)]
    if card.consents:
        lines += ["", heads["consents"], *(f"- {line}" for line in _consents(card, catalogue))]
    return "\n".join(lines) + "\n"


def _fact(card: Card, fact: Fact) -> str:
    value = write(fact.slot.kind, card.value(fact, changed=False))
    return _filled(_texts().heads[fact.slot.told], name=fact.name.replace("_", " "), value=value)


def _consents(card: Card, catalogue: Catalogue) -> Iterator[str]:
    heads, change = _texts().heads, card.script.change
    for gate, consent in sorted(card.consents.items()):
        what = _said(gate, catalogue)
        yield _filled(heads[_kind(consent)], what=what, amount=_money(consent))
        if consent.once:
            yield _filled(heads["once"], what=what)
        if change is not None and change.gate == gate:
            yield _filled(heads["change"], what=what, message=change.message)


def _kind(consent: Consent) -> str:
    if consent.up_to_cents is not None:
        return "up_to"
    return "granted" if consent.granted else "refused"


def _money(consent: Consent) -> str:
    return "" if consent.up_to_cents is None else write("money_cents", consent.up_to_cents)


def _said(gate: str, catalogue: Catalogue) -> str:
    """Return what a gate is about, in the words of its declaration."""
    declared = catalogue.gates[gate].gate
    return declared.policy or declared.message


def _filled(form: str, **values: str) -> str:
    """Return a form with its places filled in one pass: values are never read as forms."""
    parts = form.split("{")
    found = parts[0]
    for part in parts[1:]:
        name, _, rest = part.partition("}")
        found += values[name] + rest
    return found
