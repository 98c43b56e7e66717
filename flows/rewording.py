"""Decides which requests that a model wrote are used: those with which every check on their tasks passes again."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from flows.extents import ROUND
from flows.writer import Fault, Wanted
from generators.tasks.rewriting import repair_messages
from schemas.base import Json
from validators.selection import Reading, duplicate_keys, reading_of
from validators.tasks import TASK_CHECKS, TaskContext, UserContext, check_task
from validators.tasks.rewording import rewording_faults

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flows.rows import Record
    from generators.rewriting import Messages
    from schemas.task import Task

TEXT_CHECKS = [pair for pair in TASK_CHECKS if pair[0] in ("task.references", "task.leaks")]
"""Those that depend on the words alone, and cost next to nothing."""
SENSE, NEAR, SAME = "rewrite.sense", "selection.near_duplicate", "selection.duplicate"


@dataclass(slots=True)
class Item:
    """A stored task, as it stands by now."""

    task: Task
    record: Record
    certificate: Json
    reading: Reading


@dataclass(slots=True)
class Person:
    """A user with their tasks, by ordinal."""

    context: UserContext
    items: list[Item]

    @property
    def today(self) -> str:
        """Return the day on which the user writes."""
        return self.context.now[:10]


@dataclass(slots=True, kw_only=True)
class Request(Wanted):
    """A request to be put in other words: that of a task, and of its twins, which say the same."""

    person: Person
    members: list[Item]
    judge: Judge

    def decide(self) -> None:
        """Use the text for all members, or say what is wrong with it."""
        self.judge.decide(self)

    def again(self, reasons: str) -> Messages:
        """Return the messages that ask for the text again."""
        return repair_messages(self.text, reasons)

    @property
    def first(self) -> Item:
        """Return the task that came first."""
        return self.members[0]


class Judge:
    """Decides which texts are used in one block. What was decided stays."""

    def __init__(self, people: Sequence[Person]) -> None:
        """Know how every task of the block reads as it was made: any of them may stay so."""
        self._readings = [item.reading for person in people for item in person.items]
        self._keys: dict[str, set[str]] = {}
        for person in people:
            for item in person.items:
                self._note(item.task, item.record)

    def decide(self, one: Request) -> None:
        """Use a text, for all tasks that are to have it, or say what is wrong with it."""
        made = [_reworded(item, one.text, one.person.today) for item in one.members]
        one.fault = self._fault(one, made)
        if one.fault is not None:
            return
        for item, new in zip(one.members, made, strict=True):
            item.task, item.record, item.certificate, item.reading = new.task, new.record, new.certificate, new.reading
            self._readings.append(new.reading)
            self._note(new.task, new.record)

    def _fault(self, one: Request, made: Sequence[Item]) -> Fault | None:
        task = one.first.task
        turned = list(rewording_faults(one.first.record, one.text, one.person.today))
        if turned:
            return Fault(SENSE, "; ".join(turned))
        if not self._keys[task.user_id].isdisjoint(key for item in made for key in _text_keys(item.record)):
            return Fault(SAME, "it reads as a request does that is there already")
        if any(new.reading.is_near(other) for new in made for other in self._readings):
            return Fault(NEAR, "it reads nearly like another request; put it in other words")
        return self._check_fault(one.person, made)

    def _check_fault(self, person: Person, made: Sequence[Item]) -> Fault | None:
        """Return the first check that a task fails with its new text; the certificates are taken where none does.

        Each has the tasks before it in its round beside it, as `verify` looks at it.
        """
        instead = {item.task.task_id: item.task for item in made}
        now = [instead.get(item.task.task_id, item.task) for item in person.items]
        for new in made:
            first, last = new.task.ordinal // ROUND * ROUND, new.task.ordinal
            before = [task for task in now if first <= task.ordinal < last]
            # what depends on the words alone is looked at first: it costs next to nothing
            for checks in (TEXT_CHECKS, TASK_CHECKS):
                certificate = check_task(TaskContext(person.context, new.task, before, new.record), checks)
                failed = [verdict for verdict in certificate.verdicts if not verdict.passed]
                if failed:
                    return Fault(failed[0].check, "; ".join(verdict.reason for verdict in failed))
                new.certificate = cast("Json", certificate.model_dump(mode="json"))
        return None

    def _note(self, task: Task, record: Record) -> None:
        self._keys.setdefault(task.user_id, set()).update(_text_keys(record))


def _text_keys(record: Record) -> tuple[str, ...]:
    """Return the keys over the words of a request, which twins share."""
    return tuple(key for key in duplicate_keys(record) if key.startswith("text "))


def _reworded(item: Item, text: str, today: str) -> Item:
    """Return a task with another text; its certificate is still to be made."""
    record: Record = {**item.record, "instruction": text}
    task = item.task.model_copy(update={"instruction": text})
    return Item(task, record, None, reading_of(record, today))
