"""What the user cannot know before the assistant has looked: answers, the gold end, what only the plan reads."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias

from schemas import provenance as o
from schemas.contract import Equal
from schemas.plan import Call, Tell
from validators.tasks.graph import inputs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from language.spans import Kind
    from schemas.base import Json
    from validators.tasks.context import TaskContext
    from validators.tasks.vocabulary import TaskVocabulary

_DAY = re.compile(r"\d{4}-\d\d-\d\d(?:T[\d:]+)?")
_ANSWERS: dict[str, Kind] = {"names": "name", "reason": "term", "decimal": "count"}
"""Kind of text that states an answer, where it is not the answer's own kind."""


Unit: TypeAlias = Literal["cents", "count", "shown"]
"""What a number may be: cents, a count, or, where tools show it, an amount in currency units as well as a count."""


class Secret(NamedTuple):
    """One value, as a text may state it."""

    kind: Kind
    value: int | float | str
    what: str
    """What it is, for the reason."""


def secrets_of(context: TaskContext, words: TaskVocabulary) -> set[Secret]:
    """Return the values that the instruction must not state. None, truth, 0 and 1 tell nothing, but for answers."""
    found = {secret for secret in _told(context) if secret.value != ""}
    found |= set(_details(context))
    for value, unit, what in (*_read(context), *_changed(context), *_hidden(context)):
        found.update(_secret(value, unit, what, words))
    return found


def _told(context: TaskContext) -> Iterator[Secret]:
    for answer in context.task.expectation.answers:
        kind: Kind = _ANSWERS.get(answer.kind, answer.kind)  # type: ignore[arg-type]  # pyright: ignore[reportAssignmentType]
        for value in answer.value if isinstance(answer.value, list) else [answer.value]:
            if isinstance(value, (int, str)) and not isinstance(value, bool):
                yield Secret(kind, value, f"the answer {answer.name!r}")


def _read(context: TaskContext) -> Iterator[tuple[Json, Unit, str]]:
    """Yield the arguments and answers of the plan that rest on a result."""
    plan = context.task.plan
    rests = resting_on_results(plan.nodes)
    for step in plan.steps:
        if isinstance(step, Call):
            for path, node in step.origins.items():
                if rests[node] and path in step.arguments:
                    yield step.arguments[path], "shown", f"the argument {path!r} of {step.tool}"
        elif isinstance(step, Tell):
            for name, node in step.origins.items():
                if rests[node] and isinstance(step.answers.get(name), str):
                    yield step.answers[name], "count", f"the answer {name!r}"


def _details(context: TaskContext) -> Iterator[Secret]:
    """Yield the numbers with a fraction that reads show of what the plan then acts on: measures of a product, say."""
    steps = [step for step in context.task.plan.steps if isinstance(step, Call)]
    tools = context.catalogue.tools
    acted = {value for s in steps if tools[s.tool].write for value in s.arguments.values() if isinstance(value, str)}
    for step in steps:
        if not tools[step.tool].write and any(
            value in acted for value in step.arguments.values() if isinstance(value, str)
        ):
            for number in _fractions(step.result):
                yield Secret("count", number, f"a number that {step.tool} shows")


def _fractions(value: Json) -> Iterator[float]:
    if isinstance(value, float) and not value.is_integer():
        yield value
    elif isinstance(value, (list, dict)):
        for item in value.values() if isinstance(value, dict) else value:
            yield from _fractions(item)


def resting_on_results(nodes: Sequence[o.Origin]) -> list[bool]:
    """Return for each node whether a tool result enters it."""
    rests: list[bool] = []
    for origin in nodes:
        rests.append(isinstance(origin, o.Result) or any(rests[node] for node in inputs(origin)))
    return rests


def _changed(context: TaskContext) -> Iterator[tuple[Json, Unit, str]]:
    """Yield the values of the gold end."""
    for contract in context.task.expectation.any_of:
        for change in contract.changes:
            if change.id:
                yield change.id, "count", f"the record that changes in {change.table}"
            for field, rule in change.fields.items():
                if isinstance(rule, Equal):
                    yield rule.value, unit_of(field), f"{field!r} at the end"
        for total in contract.totals:
            yield abs(total.value), unit_of(total.column), f"the total of {total.column!r}"


def _hidden(context: TaskContext) -> Iterator[tuple[Json, Unit, str]]:
    for name, table in context.catalogue.tables.items():
        for field, value in _different(context.tables[name].values()) if table.hidden else ():
            # A record of a day has its date as id: that there was such a day is no secret.
            if field != "id" or not _DAY.fullmatch(str(value)):
                yield value, unit_of(field), f"{field!r} of the hidden table {name}"


def _different(rows: Iterable[Mapping[str, Json]]) -> Iterator[tuple[str, Json]]:
    """Yield the fields of records with their values, what is said of many of them once."""
    seen: set[tuple[str, type[object], object]] = set()
    for row in rows:
        for field, value in row.items():
            if isinstance(value, (list, dict)):
                yield field, value
            elif (said := (field, type(value), value)) not in seen:
                seen.add(said)
                yield field, value


def unit_of(column: str) -> Unit:
    """Return the unit of a number in a column of the state."""
    return "cents" if column.endswith("_cents") else "count"


def _secret(value: Json, unit: Unit, what: str, words: TaskVocabulary) -> Iterable[Secret]:
    if isinstance(value, list):
        return [secret for item in value for secret in _secret(item, unit, what, words)]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        amount = Secret("money_cents", round(value * 100) if unit == "shown" else round(value), what)
        number = [Secret("count", value, what)] if isinstance(value, int) and unit != "cents" else []
        return [] if value in (0, 1) else number if unit == "count" else [amount, *number]
    if not isinstance(value, str):
        return []
    if _DAY.fullmatch(value):
        return [Secret("date", value[:10], what)]
    named = [Secret("name", name, f"the name of {what}") for name in sorted(words.names_of(value))]
    return [*named, Secret("name", value, what)] if words.is_free_text(value) else named
