"""What a user does beside giving consents: says yes to calls, and pays."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, cast

from language import find
from language.asking import is_about

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from generators.dialogue.parts import Hands
    from generators.users.answer import Answer
    from generators.users.person import Person
    from schemas.base import Json
    from services.runtime.catalogue import Catalogue
    from services.runtime.declare import Approval
    from services.runtime.tools import Tool

PENDING = "pending"
"""Status of a record that waits for approval."""
PAID = "completed"
"""Status of a record that needs none anymore."""


def confirm(tool: str, arguments: Mapping[str, Json], hands: Hands, person: Person, answer: Answer) -> None:
    """Say yes to a call that waits for it, if the user wants it."""
    if person.wish.accepts(tool, arguments, "assistant"):
        hands.confirm(tool, arguments)
        answer.act(person.speech.say("confirmed", answer.turn))
    else:
        answer.decline(person.speech.say("not_asked", answer.turn))


def agree_to(name: str, text: str, hands: Hands, person: Person, answer: Answer) -> bool:
    """Say in words whether the user wants a call of a tool, of which nothing more is known, and return it."""
    tool = person.catalogue.tools[name]
    calls = list(_calls(tool, text, hands, person.catalogue))
    if calls:
        wanted = any(person.wish.accepts(name, arguments, "assistant") for arguments in calls)
    else:
        wanted = tool.asking is not None and is_about(person.card.instruction, tool.asking.cues)
    if wanted:
        answer.say(person.speech.say("confirmed", answer.turn))
        answer.new = True
    else:
        answer.decline(person.speech.say("not_asked", answer.turn))
    return wanted


def _calls(tool: Tool, text: str, hands: Hands, catalogue: Catalogue) -> Iterator[dict[str, Json]]:
    """Yield the calls that a tool of one id could be made with: of a record that the text names, else of any."""
    properties = cast("Mapping[str, Json]", tool.schema["properties"])
    if len(properties) != 1 or not next(iter(properties)).endswith("_id"):
        return
    argument = next(iter(properties))
    service = next(service for service in catalogue.services.values() if tool in service.tools)
    keys = [key for table in service.tables if not table.hidden for key in hands.look(table.name)]
    named = [key for key in keys if key in text]
    for key in named or keys:
        yield {argument: key}


def pay(tool: Tool, text: str, hands: Hands, person: Person, answer: Answer) -> None:
    """Pay what a message asks to pay, if it is clear which that is and the user wants it."""
    speech = person.speech
    approval = cast("Approval", tool.approval)
    records = hands.look(approval.table)
    found = _meant(text, records, approval)
    if not found:
        # Nothing is prepared yet: they may go on.
        answer.say(speech.say("go_ahead", answer.turn))
    elif len(found) > 1:
        answer.say(speech.say("which", answer.turn))
    elif records[found[0]].get("status") == PAID:
        answer.say(speech.say("paid", answer.turn))
    elif not person.wish.accepts(tool.name, {approval.id_argument: found[0]}, "user"):
        answer.decline(speech.say("not_asked", answer.turn))
    else:
        result = hands.call(tool.name, {approval.id_argument: found[0]})
        error = result.get("error")
        line = (
            speech.say("failed", answer.turn, message=str(error.get("message", "")))
            if isinstance(error, dict)
            else speech.say("paid", answer.turn)
        )
        answer.act(line)


def _meant(text: str, records: Mapping[str, Mapping[str, Json]], approval: Approval) -> list[str]:
    """Return the ids of the records that may be meant: those named, those of an amount named, those that wait."""
    # A pattern is made only of an id that stands there at all.
    named = [key for key in records if key in text and re.search(rf"\b{re.escape(key)}\b", text)]
    waiting = [key for key, record in records.items() if record.get("status") == PENDING]
    if named:
        return [key for key in named if key in waiting] or named
    if len(waiting) > 1:
        amounts = {mention.value for mention in find("money_cents", text)}
        priced = [key for key in waiting if records[key].get(approval.amount_field) in amounts]
        return priced or waiting
    return waiting
