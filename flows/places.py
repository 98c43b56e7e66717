"""One user's round on its way: what was made for it, what was said of it, and what becomes of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, cast

import orjson

from flows.earlier import Given
from flows.errors import InfrastructureError
from flows.extents import ROUND
from flows.rows import Row, reject_row, to_row
from flows.verifying import fault_of
from schemas.base import Json, canonical
from validators.selection import Candidate, Reading, Selection, duplicate_keys, reading_of, select_round

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from flows.earlier import Earlier
    from flows.people import Person
    from generators.tasks import Round, Unbound
    from validators.selection import Shelf

UNBOUND = "task.bind"
SELECTION = "selection"


@dataclass(slots=True)
class Place:
    """One user's round."""

    person: Person
    number: int
    want: range
    tasks: list[dict[str, Json]] = field(default_factory=list[dict[str, Json]])
    keys: list[tuple[str, ...]] = field(default_factory=list[tuple[str, ...]])
    """What each candidate must not share with another task of the user."""
    certificates: list[dict[str, Json]] = field(default_factory=list[dict[str, Json]])
    controls: dict[int, dict[str, Json]] = field(default_factory=dict[int, dict[str, Json]])
    """Verdicts, by check, on candidates beside those kept before them in the round; final once the round is settled."""
    readings: dict[int, Reading] = field(default_factory=dict[int, Reading])
    """How candidates read, as far as they were compared with others."""
    unbound: list[Row] = field(default_factory=list[Row])
    selection: Selection = field(default_factory=Selection)
    kept: list[Row] = field(default_factory=list[Row])
    rejects: list[Row] = field(default_factory=list[Row])

    @property
    def user_id(self) -> str:
        """Whose round it is."""
        return self.person.profile.user_id

    @property
    def short(self) -> bool:
        """Whether a wanted position is still empty."""
        return self.selection.filled < self.want.stop

    def take(self, made: Round, batch: int) -> bytes:
        """Take over the candidates of a batch, and return what the verifier is to read."""
        line = canonical({"user_id": self.user_id, "round": self.number, "tasks": made.candidates})
        tasks = cast("list[dict[str, Json]]", orjson.loads(line)["tasks"])
        self.tasks.extend(tasks)
        self.keys.extend(map(duplicate_keys, tasks))
        # like a reject, a cell without a candidate belongs to the position that was free at the time
        if min(self.selection.filled, ROUND - 1) in self.want:
            self.unbound.extend(self._unbound_row(batch, n, cell) for n, cell in enumerate(made.unbound))
        return line

    def decide(self, earlier: Earlier) -> None:
        """Select among all candidates so far.

        Tasks of the users before this one in the block, up to this round at least, have to be among the earlier ones.
        """
        candidates = [
            Candidate(number, self.keys[number], *fault_of(self._verdicts(number)), of=self._of(task))
            for number, task in enumerate(self.tasks)
        ]
        taken = earlier.taken(self.user_id, self._ordinal(0))
        self.selection = select_round(candidates, taken, self.want, ROUND, partial(self._near, earlier.shelf))

    def kept_line(self) -> bytes:
        """Return what the verifier is to read to check the chosen tasks against each other."""
        kept: list[Json] = [
            {"candidate": number, **self._named(place, number)} for place, number in enumerate(self.selection.order)
        ]
        return canonical({"user_id": self.user_id, "kept": kept})

    def settle(self, verdicts: list[list[dict[str, Json]]]) -> bool:
        """Take the verdicts on the chosen tasks, in their order; return whether all are good.

        What comes after a task that failed was judged with it as a control, and is judged again.
        """
        for number, found in zip(self.selection.order, verdicts, strict=True):
            self.controls[number] = {str(verdict["check"]): verdict for verdict in found}
            if not found or any(verdict["passed"] is not True for verdict in found):
                return False
        return True

    def given(self) -> Iterator[Given]:
        """Yield the tasks of the wanted positions, as later ones are compared with them."""
        for position, number in self.selection.kept:
            named = (self.user_id, self._ordinal(position), self._task_id(position))
            yield Given(*named, self.keys[number], self._reading(number))

    def finish(self) -> None:
        """Turn the round into rows and let go of everything else."""
        self.kept = [self._kept_row(position, number) for position, number in self.selection.kept]
        self.rejects = [
            *self.unbound,
            *(self._reject_row(r.number, r.check, r.reason) for r in self.selection.rejected),
        ]
        self.tasks, self.keys, self.certificates, self.unbound = [], [], [], []
        self.controls, self.readings = {}, {}

    def _near(self, shelf: Shelf, number: int, order: Sequence[int]) -> str:
        """Return the id of the first task that reads nearly like a candidate; those in `order` are kept before it."""
        reading = self._reading(number)
        own = (self._task_id(at) for at, other in enumerate(order) if reading.is_near(self._reading(other)))
        known = shelf.near(reading, self.user_id, self._ordinal(len(order)), self._ordinal(0))
        return known or next(own, "")

    def _reading(self, number: int) -> Reading:
        found = self.readings.get(number)
        if found is None:
            today = self.person.environment.now[:10]
            found = self.readings[number] = reading_of(self.tasks[number], today)
        return found

    def _verdicts(self, number: int) -> Json:
        """Return the verdicts on a candidate, with those beside the tasks before it in their places among them."""
        listed = cast("list[dict[str, Json]]", self.certificates[number]["verdicts"])
        controls = self.controls.get(number, {})
        names = [str(verdict["check"]) for verdict in listed]
        if any(names.count(name) != 1 for name in controls):
            raise InfrastructureError(f"the certificate of {self.tasks[number]['task_id']} lacks a check")
        return [controls.get(str(verdict["check"]), cast("Json", verdict)) for verdict in listed]

    def _of(self, task: dict[str, Json]) -> int | None:
        """Return the number of the candidate that a task comes from."""
        kin = cast("dict[str, Json] | None", task["kin"])
        return None if kin is None else [other["task_id"] for other in self.tasks].index(kin["of"])

    def _named(self, position: int, number: int) -> dict[str, Json]:
        """Return the names of a candidate in its place, and of the task that it comes from."""
        of = self._of(self.tasks[number])
        kin = None if of is None else self._task_id(self.selection.order.index(of))
        return {"ordinal": self._ordinal(position), "task_id": self._task_id(position), "kin": kin}

    def _kept_row(self, position: int, number: int) -> Row:
        task, named = self.tasks[number], self._named(position, number)
        kin = cast("dict[str, Json] | None", task["kin"])
        placed = {**task, **named, "kin": None if kin is None else {**kin, "of": named["kin"]}}
        verdicts = self._verdicts(number)
        certificate = {**self.certificates[number], "task_id": named["task_id"], "verdicts": verdicts}
        return to_row("tasks", placed, certificate=certificate)

    def _reject_row(self, number: int, check: str, reason: str) -> Row:
        stage = SELECTION if check.startswith(f"{SELECTION}.") else "tasks"
        named = (stage, f"{self._round_id()}-c{number:02d}", self.user_id, check, reason)
        return reject_row(*named, self.tasks[number], self._verdicts(number))

    def _unbound_row(self, batch: int, number: int, unbound: Unbound) -> Row:
        identity = f"{self._round_id()}-b{batch}-{number:02d}"
        cell: Json = {"intent": unbound.intent, "form": unbound.form}
        return reject_row("tasks", identity, self.user_id, UNBOUND, unbound.reason, cell, [])

    def _ordinal(self, position: int) -> int:
        return self.number * ROUND + position

    def _task_id(self, position: int) -> str:
        return f"{self.user_id}-t{self._ordinal(position):05d}"

    def _round_id(self) -> str:
        return f"{self.user_id}-r{self.number:04d}"
