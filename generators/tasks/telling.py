"""How the user tells things: at once, when asked, or otherwise after a change of mind."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from generators.tasks.expect import slot_values
from generators.tasks.phrases import forms_for
from language.assumed import is_assumed
from schemas.base import canonical

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from generators.tasks.compose import Bound
    from generators.tasks.intent import Binding
    from schemas.base import Json
    from schemas.task import Slot
    from services.runtime.streams import Stream

HIDE_CHANCE = (1, 6)
"""Share of the requests that can be told with a fact kept back in which one is."""
CHANGE_CHANCE = (1, 2)
"""Share of the requests in which a change of mind is tried, of those that meet a consent on which it could come up."""


@dataclass(frozen=True, slots=True)
class ChangeOfMind:
    """Another first wish: one slot of one part had another value, until the user is asked about a gate."""

    gate: str
    part: int
    slot: str
    value: Json


@dataclass(frozen=True, slots=True)
class Telling:
    """What the user says when. Values stand under the names that programs use: a period as two."""

    upfront: Mapping[str, Json]
    """Value name -> value that the request states."""
    kept_back: Mapping[str, tuple[str, Json]] = field(default_factory=dict[str, "tuple[str, Json]"])
    """Value name -> the slot to ask for, and its value."""
    found: Mapping[str, str] = field(default_factory=dict[str, str])
    """Value name -> the answer of an earlier part that it is."""
    facts: Mapping[str, Json] = field(default_factory=dict[str, "Json"])
    """Slot kept back -> its value as the user says it."""
    changed: Mapping[str, Json] = field(default_factory=dict[str, "Json"])
    """Value name -> value that is told with the answer about `change_gate`."""
    change_gate: str = ""
    change_prefix: str = ""
    first: dict[str, Json] = field(default_factory=dict[str, "Json"])
    """Slot about which the user changes their mind -> the value that the request states."""


def telling_of(parts: Sequence[Bound], change: ChangeOfMind | None) -> Telling:
    """Return what the user says when, in a task of these parts."""
    upfront: dict[str, Json] = {}
    kept_back: dict[str, tuple[str, Json]] = {}
    facts: dict[str, Json] = {}
    found: dict[str, str] = {}
    for part in parts:
        for slot in part.binding.slots:
            values = slot_values({part.prefix + slot.name: slot.value})
            if slot.told == "on_request":
                facts[part.prefix + slot.name] = slot.value
                kept_back |= {name: (part.prefix + slot.name, value) for name, value in values.items()}
            elif slot.told == "by_part":
                found |= dict.fromkeys(values, slot.source)
            else:
                upfront |= values
    if change is None:
        return Telling(upfront, kept_back, found, facts)
    part = parts[change.part]
    name = part.prefix + change.slot
    (slot,) = (slot for slot in part.binding.slots if slot.name == change.slot)
    upfront |= slot_values({name: change.value})
    changed = slot_values({name: slot.value})
    return Telling(upfront, kept_back, found, facts, changed, change.gate, part.prefix, {name: change.value})


def first_wish(part: Bound, change: ChangeOfMind | None) -> Bound:
    """Return a part as the user wanted it at first."""
    if change is None or change.part != part.index:
        return part
    return replace(part, binding=_with_slots(part.binding, {change.slot: {"value": change.value}}))


def hidable(part: Bound) -> list[Slot]:
    """Return the slots of a part that its sentence forms can keep back."""
    # What anyone would assume needs no question.
    able = (slot for slot in part.binding.slots if slot.told == "upfront" and not is_assumed(slot.kind, slot.value))
    if any(slot.told == "by_part" for slot in part.binding.slots):
        # The forms that take up what another part finds state the rest, but for what is worked in by the way.
        able = (slot for slot in able if slot.name in part.intent.phrases.extras)
    return [slot for slot in able if forms_for(part.intent.phrases.hidden, slot.name, part.binding)]


def keep_back(parts: Sequence[Bound], stream: Stream) -> list[Bound]:
    """Return the parts with one fact of one of them kept back, where a sentence form does without it."""
    spoken = _all_spoken(parts)
    # What another slot states as well would not be kept back.
    able = [(part, slots) for part in parts if (slots := [s for s in hidable(part) if spoken[_spoken(s)] == 1])]
    if not able:
        return list(parts)
    chosen, slots = stream.choice(able)
    slot = stream.choice(slots)
    told = replace(chosen, binding=_with_slots(chosen.binding, {slot.name: {"told": "on_request"}}))
    return [told if part is chosen else part for part in parts]


def _all_spoken(parts: Sequence[Bound]) -> Counter[tuple[str, bytes]]:
    """Return how many slots state each value."""
    return Counter(_spoken(slot) for part in parts for slot in part.binding.slots if slot.told == "upfront")


def _spoken(slot: Slot) -> tuple[str, bytes]:
    return slot.kind, canonical(slot.value)


def all_told(parts: Sequence[Bound]) -> list[Bound]:
    """Return the parts with nothing kept back that the assistant could ask for."""
    found: list[Bound] = []
    for part in parts:
        asked = {slot.name: {"told": "upfront"} for slot in part.binding.slots if slot.told == "on_request"}
        found.append(replace(part, binding=_with_slots(part.binding, asked)))
    return found


def draw_change(parts: Sequence[Bound], standing: Collection[str], stream: Stream) -> ChangeOfMind | None:
    """Return another first wish that may come up with a consent that is asked for; None where no form tells it.

    It comes up at one of the gates `standing`, which do not turn on what is called: at others, such as a missing
    amount, it would be too late. Only a request that is fulfilled changes on the way: in a decline nothing is written
    either way.
    """
    options = [
        (gate, part, slot)
        for part in parts
        if part.binding.cell.form == "fulfil"
        for gate in part.binding.cell.closed
        if gate in standing
        for slot in part.binding.slots
        if slot.alternatives
        and slot.told == "upfront"
        and forms_for(part.intent.phrases.changes, slot.name, part.binding)
    ]
    if not options:
        return None
    gate, part, slot = stream.choice(options)
    # Who takes back what another part says too would leave open whether that part is meant as well.
    others = _all_spoken([other for other in parts if other is not part])
    first = [value for value in slot.alternatives if (slot.kind, canonical(value)) not in others]
    return ChangeOfMind(gate, part.index, slot.name, stream.choice(first)) if first else None


def _with_slots(binding: Binding, changes: Mapping[str, Mapping[str, object]]) -> Binding:
    slots = tuple(slot.changed(changes[slot.name]) if slot.name in changes else slot for slot in binding.slots)
    return replace(binding, slots=slots)
