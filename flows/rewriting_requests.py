"""The requests of a block, read from the run as it was made, and what has become of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from flows.funnel import REWRITE
from flows.rewording import Item, Judge, Person, Request
from flows.rows import from_row, to_row
from flows.shards import read_rows
from generators.tasks.rewriting import FIELD, rewriting_messages
from schemas.environment import EnvironmentRecord
from schemas.task import Task
from validators.selection import reading_of
from validators.tasks import UserContext

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from flows.rows import Record, Row
    from flows.writer import Fault
    from schemas.world import World


class Requests:
    """Those of the tasks of one block."""

    stage, counts = "tasks", REWRITE

    def __init__(self, source: Path, world: World, block: int) -> None:
        """Read them. Raise StoreError when a shard is damaged."""
        people = _people(source, world, block)
        judge = Judge(people)
        self.wanted = [request for person in people for request in _requests(person, judge)]
        self._items = {item.task.task_id: item for person in people for item in person.items}
        self._of = {item.task.task_id: request for request in self.wanted for item in request.members}

    def row(self, row: Row) -> Row:
        """Return the row of a task as it stands now."""
        item = self._items[str(row["task_id"])]
        return to_row("tasks", item.record, certificate=item.certificate)

    def fault(self, row: Row) -> Fault | None:
        """Return why a task kept its request."""
        return self._of[str(row["task_id"])].fault


def _people(source: Path, world: World, block: int) -> list[Person]:
    """Return the users of a block with their tasks."""

    def rows(stage: str) -> Iterator[tuple[Record, Record]]:
        for file in sorted((source / stage).glob(f"block-{block:05d}-*.parquet")):
            yield from (from_row(stage, row) for row in read_rows(file))

    tasks: dict[str, list[tuple[Record, Record]]] = {}
    for record, extra in sorted(rows("tasks"), key=lambda pair: cast("int", pair[0]["ordinal"])):
        tasks.setdefault(str(record["user_id"]), []).append((record, extra))
    people: list[Person] = []
    for record, _ in sorted(rows("environments"), key=lambda pair: str(pair[0]["user_id"])):
        context = UserContext(EnvironmentRecord.of_parsed(record), world)
        items = [
            Item(Task.of_parsed(task), task, extra["certificate"], reading_of(task, context.now[:10]))
            for task, extra in tasks.get(str(record["user_id"]), [])
        ]
        people.append(Person(context, items))
    return people


def _requests(person: Person, judge: Judge) -> Iterator[Request]:
    """Yield the requests of a user: one for a task and its twins."""
    groups: dict[str, list[Item]] = {}
    for item in person.items:
        kin = item.task.kin
        name = kin.of if kin is not None and kin.kind == "twin" else item.task.task_id
        groups.setdefault(name, []).append(item)
    for members in groups.values():
        task = members[0].task
        messages = rewriting_messages(task, person.today)
        yield Request(name=task.task_id, field=FIELD, messages=messages, person=person, members=members, judge=judge)
