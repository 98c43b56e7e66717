"""What the user of a task says and when, and what a task has to do with the one that it came from, in words."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from language import write
from schemas.base import canonical_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from language import Kind
    from schemas.base import Json
    from schemas.task import Consent, Slot, Task

Record = dict[str, "Json"]


def told(task: Task) -> Iterator[str]:
    """Yield one line for each part with its facts, and for what else the user will say or do."""
    for use in task.intents:
        facts = [_fact(task, use.prefix, slot) for slot in use.slots]
        yield f"- {use.prefix}{use.intent}/{use.form}: " + (", ".join(facts) or "nothing further")
    if task.script.consents:
        yield f"- when asked, the user {', '.join(map(_consent, task.script.consents))}"
    change = task.script.change
    if change is not None:
        yield f'- asked about {change.gate} for the first time, the user changes their mind: "{change.message}"'
    if task.setup:
        yield f"- the start differs from the user's environment in {len(task.setup)} records"


def _fact(task: Task, prefix: str, slot: Slot) -> str:
    first = task.script.change.first if task.script.change else {}
    aside = {
        "upfront": f"at first {shown(slot.kind, first[prefix + slot.name])}" if prefix + slot.name in first else "",
        "on_request": "told when asked",
        "implicit": "in a text of the user's",
        "by_part": f"what {slot.source} turns out to be",
    }[slot.told]
    return f"{slot.name} = {shown(slot.kind, slot.value)}" + (f" ({aside})" if aside else "")


def shown(kind: str, value: Json) -> str:
    """Return a slot's value as text."""
    return write(cast("Kind", kind), value)


def _consent(consent: Consent) -> str:
    limit = "" if consent.up_to_cents is None else f" up to {shown('money_cents', consent.up_to_cents)}"
    return f"{'grants' if consent.granted else 'refuses'} {consent.gate}{limit}" + (
        ", for this request only" if consent.once else ""
    )


# --- kin -----------------------------------------------------------------------------------------------------------


def kinship(task: Task, first: Task, tables: Mapping[str, list[Record]]) -> str:
    """Return what a task has to do with `first`, which it came from; `tables` are the records of the environment."""
    if task.kin is None:
        return ""
    if task.kin.kind == "twin":
        found = [*_other_records(task, first, tables), *_other_consents(task, first)]
        return f"Twin of {first.task_id}: the user says the same, but {'; '.join(found)}, so something else is right."
    ways = f"Here the user {_way(task)}, there {_way(first)}."
    return f"Variation of {first.task_id}: the same wish at the same start, in other words. {ways}"


def _way(task: Task) -> str:
    """Return how the user of a task tells things."""
    later = [f"{use.prefix}{s.name}" for use in task.intents for s in use.slots if s.told == "on_request"]
    ways = [f"keeps back {', '.join(later)}"] if later else []
    ways += [f"changes their mind about {', '.join(task.script.change.first)}"] if task.script.change else []
    return " and ".join(ways) or "says all at once"


def _other_records(task: Task, first: Task, tables: Mapping[str, list[Record]]) -> Iterator[str]:
    """Yield the records that stand otherwise at the start, with the fields in which they do."""
    here, there = ({(patch.table, patch.id): patch.record for patch in each.setup} for each in (task, first))
    for table, key in sorted(here.keys() | there.keys()):
        made = {str(record["id"]): record for record in tables.get(table, [])}.get(key)
        one, other = here.get((table, key), made), there.get((table, key), made)
        if one != other:
            yield f"{table} {key} " + _other_fields(one or {}, other or {})


def _other_fields(one: Mapping[str, Json], other: Mapping[str, Json]) -> str:
    names = [name for name in sorted(one.keys() | other.keys()) if one.get(name) != other.get(name)]
    fields = [f"{n} = {canonical_text(one.get(n))} (there {canonical_text(other.get(n))})" for n in names]
    return f"has {', '.join(fields)}"


def _other_consents(task: Task, first: Task) -> Iterator[str]:
    """Yield what the two users answer differently."""
    there = {consent.gate: consent for consent in first.script.consents}
    for consent in task.script.consents:
        other = there.get(consent.gate)
        if other is not None and other != consent:
            yield f"the user {_consent(consent)} (there {_consent(other)})"
