"""The final report of an assistant that carried out a plan: reasons, answers and deeds, in hand-written sentences."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, NamedTuple, cast

from pydantic import BaseModel, ConfigDict

from generators.data_files import read_yaml
from generators.tasks.voice import capital
from language import Manner, say
from schemas.goal import Reason  # a model's field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from language import Kind
    from schemas.base import Json
    from schemas.contract import Answer
    from schemas.task import Task
    from services.runtime.streams import Stream

_PLACE = re.compile(r"\{([a-z_]+)\}")
_SEVERAL = re.compile(r"\{value\} \w+s\b")
"""A form that speaks of several things."""
_STATED = frozenset({"money_cents", "name", "names"})
"""Kinds of answers beside which a deed names no amounts and no names, so that no value stands beside another."""


class ReportForms(BaseModel):
    """The data file; its head says what the parts are."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    subjects: dict[str, str]
    reasons: dict[Reason, list[str]]
    refusals: dict[Reason, list[str]]
    answers: dict[str, list[str]]
    deeds: dict[str, list[str]]
    payments: dict[str, str]
    openings: list[str]
    closings: list[str]
    again: str
    failed: str
    undone: str
    open_questions: list[str]
    summaries: list[str]


class Deed(NamedTuple):
    """Something that was done, and what is known of it."""

    tool: str
    facts: Mapping[str, Json]


@cache
def report_forms() -> ReportForms:
    """Return the sentence forms."""
    return ReportForms.model_validate(read_yaml("generators.agents", "reports.yaml"))


def write_report(
    task: Task, told: Mapping[str, Json], deeds: Sequence[Deed], stream: Stream, *, at_length: bool = False
) -> str:
    """Return the report that tells these answers and deeds of a task; declines `at_length` are explained."""
    forms = report_forms()
    manner = Manner(day=stream.choice(("day_first", "month_first", "ordinal", "iso")), relative=False)
    answers = [answer for answer in task.expectation.answers if answer.name in told]
    sentences = [stream.choice(forms.openings)]
    for use in task.intents:
        subject = forms.subjects.get(use.intent, forms.subjects["default"])
        own = [a for a in answers if a.name.startswith(use.prefix)]
        for answer in own:
            if answer.kind == "reason":
                reason = cast("Reason", told[answer.name])
                sentences.append(stream.choice(forms.reasons[reason]).format(subject=subject))
                sentences += [stream.choice(forms.refusals[reason])] if at_length else []
        sentences += [_answer(a, told[a.name], manner, stream) for a in own if a.kind != "reason"]
    plain = any(answer.kind in _STATED for answer in answers)
    for deed in deeds:
        sentence = _deed(deed, plain=plain, stream=stream)
        sentences += [sentence] if sentence not in sentences else []
    if not any(sentences):
        # An empty message would be no message.
        sentences.append(stream.choice(forms.deeds["default"]))
    sentences.append(stream.choice(forms.closings))
    return " ".join(sentence for sentence in sentences if sentence)


def reported_answers(task: Task, told: Mapping[str, Json]) -> list[Json]:
    """Return the same answers as the tool `report` takes them: money in currency units, names as lists."""
    return [
        {"what": answer.cue, "value": _typed(answer, told[answer.name])}
        for answer in task.expectation.answers
        if answer.name in told
    ]


def _typed(answer: Answer, value: Json) -> Json:
    if answer.kind == "money_cents" and isinstance(value, int):
        return float(Decimal(value) / 100)
    return value


def _answer(answer: Answer, value: Json, manner: Manner, stream: Stream) -> str:
    options = report_forms().answers
    forms = options.get(answer.cue, options["default"])
    if value == 1:
        forms = [form for form in forms if not _SEVERAL.search(form)] or forms
    form = stream.choice(forms)
    said = said_answer(answer.kind, value, manner)
    return capital(_PLACE.sub(lambda place: answer.cue if place[1] == "cue" else said, form))


def said_answer(kind: str, value: Json, manner: Manner) -> str:
    """Return an answer in words."""
    if isinstance(value, list):
        return listed([str(one) for one in value])
    if kind == "decimal":
        return f"{Decimal(str(value)).normalize():f}"
    return say(cast("Kind", kind), value, manner)


def listed(names: Sequence[str]) -> str:
    """Return names as one enumeration."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def amount_of(facts: Mapping[str, Json]) -> int | None:
    """Return what is to be paid, in cents; None where that is not known."""
    found = next((facts[name] for name in ("final_total", "total", "fee", "price", "amount") if name in facts), None)
    return round(Decimal(str(found)) * 100) if isinstance(found, (int, float)) else None


def items_of(facts: Mapping[str, Json]) -> list[str]:
    """Return the names of what an order holds, each once."""
    items = facts.get("items")
    rows = [item for item in items if isinstance(item, dict)] if isinstance(items, list) else []
    return list(dict.fromkeys(str(row["name"]) for row in rows if "name" in row))


def _deed(deed: Deed, *, plain: bool, stream: Stream) -> str:
    """Return a sentence about a deed; a `plain` one states no value."""
    options = report_forms().deeds
    forms = options.get(deed.tool, options["default"])
    amount, items = amount_of(deed.facts), items_of(deed.facts)
    known: dict[str, str] = {} if not items else {"items": listed(items)}
    if amount is not None:
        known["final_total"] = say("money_cents", amount, Manner())
    places = {form: _PLACE.findall(form) for form in forms}
    fitting = [form for form in forms if all(name in known for name in places[form])]
    # Whoever can name what was done does so.
    fitting = [form for form in fitting if bool(places[form]) != plain] or fitting
    return _PLACE.sub(lambda place: known[place[1]], stream.choice([f for f in fitting if not (plain and places[f])]))
