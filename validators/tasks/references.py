"""Slots and the text: what the user says up front reads back as exactly the slots, and each refers to one thing."""

from __future__ import annotations

from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from language.matching import agree, agreeing, find, mentions, plain_value
from validators.tasks.told import restated, spoken, stated
from validators.tasks.verdicts import verdict
from validators.tasks.vocabulary import TaskVocabulary

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from language.spans import Kind
    from schemas.certificate import Verdict
    from schemas.task import Slot
    from validators.tasks.context import TaskContext

WORDED = ("term", "name", "text")
"""Kinds that are read with a vocabulary, as one."""
KINDS: tuple[Kind, ...] = ("term", "money_cents", "count", "percent", "date", "period")
"""Kinds of which the instruction states the slots and nothing else."""


def check_references(context: TaskContext) -> Verdict:
    """Return whether the instruction states each slot, nothing else of their kinds, and each reference is unique."""
    words = TaskVocabulary(context)
    task, today = context.task, context.now[:10]
    upfront, anew = stated(context), restated(context)
    # A message is read with the words of the whole conversation, as the assistant reads it.
    vocabulary = spoken_vocabulary(context, words)
    faults = [
        *_reference_faults([*context.told, *upfront], words),
        *_round_trip_faults(task.instruction, upfront, vocabulary, today),
        *_name_faults(task.instruction, upfront, words.proper_names),
        *_early_faults(context),
    ]
    if task.script.change is not None:
        said = task.script.change.message
        faults += [
            f"changing their mind, the user: {fault}"
            for fault in (
                *_round_trip_faults(said, anew, vocabulary, today),
                *_name_faults(said, anew, words.proper_names),
            )
        ]
    return verdict("task.references", faults)


def spoken_vocabulary(context: TaskContext, words: TaskVocabulary) -> tuple[str, ...]:
    """Return the vocabulary of all that the user says of a task, put together once."""
    found = _spoken.get(context)
    if found is None:
        found = _spoken[context] = _vocabulary_of(spoken(context), words)
    return found


_spoken: WeakKeyDictionary[TaskContext, tuple[str, ...]] = WeakKeyDictionary()


def _vocabulary_of(slots: Sequence[Slot], words: TaskVocabulary) -> tuple[str, ...]:
    """Return all that the worded slots could say instead: values of the columns they refer to, or their alternatives.

    The words of all slots stand together, so that a longer phrase of one is not read as a shorter one of another. They
    are sorted, so that tasks with the same slots share the index of them.
    """
    found: set[str] = set()
    for slot in slots:
        if slot.kind in WORDED:
            refers = slot.refers_to
            others = words.column(refers.table, refers.column) if refers else slot.alternatives
            found.update(str(value) for value in (slot.value, *others))
    return tuple(sorted(found))


def _reference_faults(slots: Sequence[Slot], words: TaskVocabulary) -> Iterator[str]:
    for slot in slots:
        if slot.refers_to is None:
            if slot.kind == "name":
                yield f"slot {slot.name!r} is a name, and refers to nothing"
            continue
        column = words.column(slot.refers_to.table, slot.refers_to.column)
        meant = agreeing(slot.kind, column, slot.value)
        if meant != [slot.value]:
            where = f"{slot.refers_to.table}.{slot.refers_to.column}"
            yield f"slot {slot.name!r} ({slot.value!r}) means {len(meant)} values of {where}: {meant[:3]}"


def _round_trip_faults(text: str, slots: Sequence[Slot], vocabulary: tuple[str, ...], today: str) -> Iterator[str]:
    """Yield what of the slots is not in the text, and what is in the text and no slot."""
    for kind in KINDS:
        told = [slot for slot in slots if slot.kind == kind or (kind == "term" and slot.kind in WORDED)]
        meant = [plain_value(slot.value) for slot in told]
        said = [mention.value for mention in find(kind, text, vocabulary, today)]
        for slot, value in zip(told, meant, strict=True):
            if value not in said:
                yield f"slot {slot.name!r} ({slot.value!r}) is not in what is said"
        for value in said:
            # Where nothing is counted, "one" and "a" are words: one pack, a line.
            if value not in meant and not (kind == "count" and value == 1 and not told):
                yield f"the text says {value!r}, which is no {kind} among the slots"


def _name_faults(text: str, slots: Sequence[Slot], names: tuple[str, ...]) -> Iterator[str]:
    """Yield the proper names in the text that are no slots, and no word of one."""
    for mention in find("name", text, names):
        if not any(isinstance(slot.value, str) and agree("name", slot.value, mention.value) for slot in slots):
            yield f"the text names {mention.value!r}, which is no slot"


def _early_faults(context: TaskContext) -> Iterator[str]:
    """Yield the slots that the user keeps to themselves and says nevertheless."""
    change, today = context.task.script.change, context.now[:10]
    sayings = {"the instruction": context.task.instruction}
    if change is not None:
        sayings["what is said on changing their mind"] = change.message
    for slot in context.told:
        for where, said in sayings.items() if slot.told not in ("upfront", "by_part") else ():
            if mentions(said, slot.kind, slot.value, today=today):
                yield f"slot {slot.name!r} is told {slot.told}, and stands in {where}"
