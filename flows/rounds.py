"""Fills the rounds of an extent with tasks: candidates, verdicts, selection, further batches for users who are short.

All rounds are made first, while the verifier is already at work on the first ones; then they are filled one by one,
since what a round may hold depends on the tasks of the rounds before it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import orjson

from flows.extents import ROUND, Extent, file_name, read_name
from flows.funnel import StageCounts, tally
from flows.rows import Row, reject_row, to_row
from flows.shards import read_rows
from flows.verifying import Verifier, fault_of
from generators.tasks import MAX_BATCHES, make_round
from schemas.base import Json, canonical
from validators.selection import Candidate, Selection, duplicate_keys, select_round

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from flows.people import Person
    from generators.tasks import Unbound
    from schemas.world import World

UNBOUND = "task.bind"
_SELECTION = "selection"


@dataclass(frozen=True, slots=True)
class Maker:
    """Where candidates come from and where they are judged."""

    seed: int
    world: World
    judge: Verifier


@dataclass(slots=True)
class Place:
    """One user's round: what was made for it, what was said of it, and what becomes of it."""

    person: Person
    number: int
    want: range
    tasks: list[dict[str, Json]] = field(default_factory=list[dict[str, Json]])
    certificates: list[dict[str, Json]] = field(default_factory=list[dict[str, Json]])
    unbound: list[Row] = field(default_factory=list[Row])
    selection: Selection = field(default_factory=Selection)

    @property
    def short(self) -> bool:
        """Whether a wanted position is still empty."""
        return self.selection.filled < self.want.stop

    def decide(self, taken: frozenset[str]) -> None:
        """Select among all candidates so far; `taken` are the keys of the user's earlier tasks."""
        pairs = enumerate(zip(self.tasks, self.certificates, strict=True))
        candidates = [
            Candidate(number, duplicate_keys(task), *fault_of(certificate["verdicts"]))
            for number, (task, certificate) in pairs
        ]
        self.selection = select_round(candidates, taken, self.want, ROUND)


@dataclass(frozen=True, slots=True)
class Filled:
    """The rows of an extent's tasks and rejects, in the order of users, rounds and candidates."""

    tasks: list[Row]
    rejects: list[Row]

    def counts(self) -> list[StageCounts]:
        """Return the counts of the funnel for tasks and selection."""
        failed, left = (
            [str(row["check"]) for row in self.rejects if row["stage"] == stage] for stage in ("tasks", _SELECTION)
        )
        return [tally("tasks", len(self.tasks) + len(left), failed), tally(_SELECTION, len(self.tasks), left)]


def fill_rounds(maker: Maker, extent: Extent, people: Sequence[Person], taken: dict[str, frozenset[str]]) -> Filled:
    """Return the tasks of an extent for its kept users; `taken` are the keys of each user's earlier tasks."""
    rounds = [[Place(person, number, want) for person in people] for number, want in extent.rounds()]
    for places in rounds:
        _ask(maker, places, 0)
    for places in rounds:
        _listen(maker, places)
    keys = {person.profile.user_id: taken.get(person.profile.user_id, frozenset[str]()) for person in people}
    for places in rounds:
        _fill(maker, places, keys)
        keys.update((place.person.profile.user_id, place.selection.keys) for place in places)
    by_user = [place for user in zip(*rounds, strict=True) for place in user]
    return Filled([row for p in by_user for row in _kept_rows(p)], [row for p in by_user for row in _reject_rows(p)])


def taken_before(root: Path, extent: Extent) -> dict[str, frozenset[str]]:
    """Return, per user of the extent's block, the keys of the tasks that stand in shards before the extent."""
    found: dict[str, set[str]] = {}
    for file in sorted((root / "tasks").glob(f"block-{extent.block:05d}-*.parquet")):
        stored = read_name(file.name)
        if stored and stored.stop <= extent.start and file.name == file_name("tasks", stored).partition("/")[2]:
            for row in read_rows(file, ["user_id", "instruction", "goal_json", "intents_json", "start_hash"]):
                found.setdefault(str(row["user_id"]), set()).update(_keys_of_row(row))
    return {user: frozenset(keys) for user, keys in found.items()}


def _ask(maker: Maker, places: Sequence[Place], batch: int) -> None:
    """Make a batch of candidates for each place and ask for verdicts on them."""
    lines: list[bytes] = []
    for place in places:
        person = place.person
        made = make_round(maker.seed, person.profile, person.environment, maker.world, place.number, batch)
        line = canonical({"user_id": person.profile.user_id, "tasks": made.candidates})
        place.tasks.extend(orjson.loads(line)["tasks"])
        if min(place.selection.filled, ROUND - 1) in place.want:
            first = len(place.unbound)
            place.unbound.extend(_unbound_row(place, first + n, left) for n, left in enumerate(made.unbound))
        lines.append(line)
    maker.judge.ask("tasks", f"tasks-{places[0].number if places else 0:05d}-{batch}.jsonl", lines)


def _listen(maker: Maker, places: Sequence[Place]) -> None:
    for place, answer in zip(places, maker.judge.answers(), strict=True):
        place.certificates.extend(cast("list[dict[str, Json]]", answer["certificates"]))


def _fill(maker: Maker, places: Sequence[Place], keys: dict[str, frozenset[str]]) -> None:
    """Decide each place of one round, with further batches for those that are short."""
    waiting = list(places)
    for batch in range(1, MAX_BATCHES + 1):
        for place in waiting:
            place.decide(keys[place.person.profile.user_id])
        waiting = [place for place in waiting if place.short]
        if not waiting or batch == MAX_BATCHES:
            return
        _ask(maker, waiting, batch)
        _listen(maker, waiting)


def _kept_rows(place: Place) -> Iterable[Row]:
    for position, number in place.selection.kept:
        ordinal = place.number * ROUND + position
        task_id = f"{place.person.profile.user_id}-t{ordinal:05d}"
        certificate = {**place.certificates[number], "task_id": task_id}
        yield to_row("tasks", {**place.tasks[number], "ordinal": ordinal, "task_id": task_id}, certificate=certificate)


def _reject_rows(place: Place) -> Iterable[Row]:
    yield from place.unbound
    for reject in place.selection.rejected:
        stage = _SELECTION if reject.check.startswith(f"{_SELECTION}.") else "tasks"
        identity = f"{_round_id(place)}-c{reject.number:02d}"
        verdicts = place.certificates[reject.number]["verdicts"]
        named = (stage, identity, place.person.profile.user_id, reject.check, reject.reason)
        yield reject_row(*named, place.tasks[reject.number], verdicts)


def _unbound_row(place: Place, number: int, unbound: Unbound) -> Row:
    identity = f"{_round_id(place)}-b{number:02d}"
    cell: Json = {"intent": unbound.intent, "form": unbound.form}
    return reject_row("tasks", identity, place.person.profile.user_id, UNBOUND, unbound.reason, cell, [])


def _round_id(place: Place) -> str:
    return f"{place.person.profile.user_id}-r{place.number:04d}"


def _keys_of_row(row: Row) -> tuple[str, str]:
    fields = {"instruction": row["instruction"], "start_hash": row["start_hash"]}
    opened = {name: json.loads(str(row[f"{name}_json"])) for name in ("goal", "intents")}
    return duplicate_keys(cast("dict[str, Json]", {**fields, **opened}))
