"""Questions to a user, as an assistant puts them: for facts, consents, confirmations and payments.

`generators.users.reading` understands each of them as exactly what it is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.phrases import PLACE
from generators.tasks.voice import capital
from generators.users.facts import facts_of
from language import Manner, say
from language.terms import plural

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.users.facts import Fact, Facts
    from schemas.base import Json
    from schemas.task import Task
    from services.runtime.declare import Asking, Gate
    from services.runtime.streams import Stream
    from services.runtime.tools import Tool

_PLAIN = Manner()
_MANY = "_s"
"""Ends a place that takes a value for several of its things."""


def forms_about_slot(task: Task, slot_name: str) -> list[str]:
    """Return every question for a slot of a task, filled; those that name what it is about, where it is one of several.

    Raise KeyError when the task has no such slot.
    """
    facts = facts_of(task)
    fact = facts.by_name[slot_name]
    values = _said(facts, fact, () if task.script.change is None else tuple(task.script.change.first))
    fitting = _fitting(fact.questions.forms, values)
    several = [other for other in facts.all if other.base == fact.base]
    if len(several) > 1 and not fact.kept_back:
        # Who asks for one of several facts that were told has to say which.
        fitting = [form for form in fitting if PLACE.search(form)] or fitting
    return [_filled(form, values) for form in fitting]


def question_about_slot(task: Task, slot_name: str, stream: Stream) -> str:
    """Return a question for a slot, its name with prefix. Raise KeyError when the task has no such slot."""
    return stream.choice(forms_about_slot(task, slot_name))


def forms_about_gate(gate: Gate, values: Mapping[str, Json]) -> list[str]:
    """Return every question for the consent of a gate that names all of `values` that it can, filled."""
    said = {name: _argument(value) for name, value in values.items()}
    return _asked(_asking(gate.asking, gate.name), said)


def question_about_gate(gate: Gate, values: Mapping[str, Json], stream: Stream) -> str:
    """Return a question for the consent of a gate; `values` are what it names, such as an amount in currency units.

    Raise ValueError when the gate does not say how one asks.
    """
    return stream.choice(forms_about_gate(gate, values))


def question_to_confirm(tool: Tool, what: str, stream: Stream) -> str:
    """Return a question for the user's yes to a call; `what` says in words which record or change it is about."""
    return stream.choice(_asked(_asking(tool.asking, tool.name), {"what": what}))


def question_to_pay(tool: Tool, what: str, amount_cents: int, transaction_id: str, stream: Stream) -> str:
    """Return a question for the user to pay a transaction; `what` says in words what it is for."""
    said = {"what": what, "amount": say("money_cents", amount_cents, _PLAIN), "transaction_id": transaction_id}
    return stream.choice(_asked(_asking(tool.asking, tool.name), said))


def _asking(asking: Asking | None, name: str) -> Asking:
    if asking is None:
        msg = f"{name} does not declare how the user is asked"
        raise ValueError(msg)
    return asking


def _asked(asking: Asking, said: Mapping[str, str]) -> list[str]:
    """Return the forms filled that name the most of what can be named."""
    fitting = _fitting(asking.forms, said)
    most = max(len(set(PLACE.findall(form))) for form in fitting)
    return [capital(_filled(form, said)) for form in fitting if len(set(PLACE.findall(form))) == most]


def _argument(value: Json) -> str:
    """Return an argument in words: a number is an amount of money."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return say("money_cents", round(value * 100), _PLAIN)
    return str(value).replace("_", " ")


def _said(facts: Facts, fact: Fact, changed: Sequence[str]) -> dict[str, str]:
    """Return what can stand at the places of a question: what the request states of the same part."""
    said: dict[str, str] = {}
    for other in facts.all:
        slot = other.slot
        if other.prefix == fact.prefix and slot.told == "upfront" and other.name not in changed:
            said[slot.name] = say(slot.kind, slot.value, _PLAIN)
            said[slot.name + _MANY] = plural(said[slot.name])
    return said


def _fitting(forms: Sequence[str], said: Mapping[str, str]) -> list[str]:
    return [form for form in forms if all(name in said for name in PLACE.findall(form))]


def _filled(form: str, said: Mapping[str, str]) -> str:
    return PLACE.sub(lambda place: said[place.group(1)], form)
