"""What the oracle says when it asks the user for something, and what it can say of its deeds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from generators.agents.reports import Deed, amount_of, items_of, listed, report_forms
from generators.users.asking import question_about_gate, question_about_slot, question_to_confirm, question_to_pay
from language import Manner, say
from schemas.base import content
from schemas.plan import Ask, Call, Question

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from schemas.base import Json
    from schemas.plan import Confirm
    from schemas.task import Task
    from services.runtime.catalogue import Catalogue
    from services.runtime.streams import Stream


@dataclass(frozen=True)
class Seen:
    """A call that succeeded, of the assistant or the user."""

    tool: str
    arguments: Mapping[str, Json]
    result: Mapping[str, Json]

    @cached_property
    def text(self) -> bytes:
        """Its result as JSON, which tells quickly what it does not hold."""
        return content(self.result)


def asked_words(
    task: Task,
    about: Ask | Question | Confirm | Call,
    seen: Sequence[Seen],
    catalogue: Catalogue,
    stream: Stream,
    *,
    at_length: bool = False,
) -> str:
    """Return the message that asks for a consent, a fact, a yes to a call or a call of the user's own.

    Before a payment `at_length`, it says what has been put together.
    """
    if isinstance(about, Ask):
        return question_about_gate(catalogue.gates[about.gate].gate, about.values, stream)
    if isinstance(about, Question):
        return question_about_slot(task, about.slot, stream)
    tool = catalogue.tools[about.tool]
    if isinstance(about, Call) and tool.approval is not None:
        key = str(about.arguments[tool.approval.id_argument])
        made = find_record(seen, key)
        amount = None if made is None else amount_of(made[1])
        if made is not None and amount is not None:
            asked = question_to_pay(tool, _payment(*made), amount, key, stream)
            return f"{_summary(*made, stream)} {asked}" if at_length else asked
        return question_to_confirm(tool, report_forms().payments["default"], stream)
    return question_to_confirm(tool, _what(about.arguments, seen), stream)


def find_record(seen: Sequence[Seen], key: str) -> tuple[str, Mapping[str, Json]] | None:
    """Return the first record in results that has `key` as one of its values, and the tool that showed it."""
    text = content(key)
    for one in seen:
        # Most results are long and do not hold it.
        record = _record_with(one.result, key) if text in one.text else None
        if record is not None:
            return one.tool, record
    return None


def _record_with(value: Json | Mapping[str, Json], key: Json) -> Mapping[str, Json] | None:
    if isinstance(value, list):
        return next((found for item in value if (found := _record_with(item, key)) is not None), None)
    if isinstance(value, dict):
        if key in value.values():
            return value
        inner = (item for item in value.values() if isinstance(item, (list, dict)))
        return next((found for item in inner if (found := _record_with(item, key)) is not None), None)
    return None


def _payment(tool: str, record: Mapping[str, Json]) -> str:
    """Return what is to be paid, in words."""
    names = report_forms().payments
    items = items_of(record)
    return f"the order of {listed(items)}" if items else names.get(tool, names["default"])


def _summary(tool: str, record: Mapping[str, Json], stream: Stream) -> str:
    """Return a sentence that says what is about to be paid, before it is asked for."""
    forms = report_forms()
    what = listed(items_of(record)) if items_of(record) else forms.payments.get(tool, forms.payments["default"])
    return stream.choice(forms.summaries).format(what=what)


def _what(arguments: Mapping[str, Json], seen: Sequence[Seen]) -> str:
    """Return what a call is about: the record that it names by its day, or what it would put in."""
    for value in arguments.values():
        made = find_record(seen, value) if isinstance(value, str) else None
        day = (
            None
            if made is None
            else next((made[1][name] for name in ("time", "date", "start") if name in made[1]), None)
        )
        if isinstance(day, str):
            return f"of {say('date', day[:10], Manner(relative=False))}"
    return ", ".join(f"{name.replace('_', ' ')} {value}" for name, value in arguments.items())


def deeds_of(seen: Sequence[Seen], catalogue: Catalogue) -> list[Deed]:
    """Return what was done for good: writes, and what was paid; not what was only prepared, or taken back."""
    tools = catalogue.tools
    undone = {(undo.tool, one.result.get(undo.field)) for one in seen if (undo := tools[one.tool].undo) is not None}
    ids = {tool.approval.id_argument for tool in tools.values() if tool.approval is not None}
    known = report_forms().deeds
    done: list[Deed] = []
    for one in seen:
        tool = tools[one.tool]
        if tool.approval is not None:
            made = find_record(seen, str(one.arguments[tool.approval.id_argument]))
            done += [] if made is None else [Deed(*made)]
        elif tool.side == "assistant" and tool.write and one.tool in known and ids.isdisjoint(one.result):
            takes_back = any((one.tool, value) in undone for value in one.arguments.values())
            done += [] if takes_back else [Deed(one.tool, one.result)]
    return done
