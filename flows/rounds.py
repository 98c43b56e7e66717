"""Fills the rounds of an extent with tasks: candidates, verdicts, selection, further batches for users who are short.

Rounds are filled one by one, since what a round may hold depends on the tasks of the rounds before it; the candidates
of the next round are made while the verifier is at work on those of this one.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from flows.extents import ROUND, Extent, file_name, read_name
from flows.funnel import StageCounts, tally
from flows.places import SELECTION, Place
from flows.rows import Row
from flows.shards import read_rows
from flows.verifying import Verifier
from generators.tasks import MAX_BATCHES, Share, make_round
from validators.selection import duplicate_keys

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from flows.people import Person
    from schemas.base import Json
    from schemas.world import World


_KEY_COLUMNS = ("user_id", "ordinal", "instruction", "goals_json", "intents_json", "kin_json", "start_hash")


@dataclass(frozen=True, slots=True)
class Maker:
    """Where candidates come from and where they are judged."""

    seed: int
    world: World
    judge: Verifier
    share: Share = field(default_factory=Share)

    def make(self, places: Sequence[Place], batch: int) -> list[bytes]:
        """Make a batch of candidates for each place, and return what the verifier is to read."""
        return [self._make_one(place, batch) for place in places]

    def _make_one(self, place: Place, batch: int) -> bytes:
        person = place.person
        made = make_round(
            self.seed,
            person.profile,
            person.environment,
            self.world,
            place.number,
            batch,
            self.share,
        )
        return place.take(made, batch)

    def check(self, places: Sequence[Place], batch: int, lines: list[bytes]) -> None:
        """Ask for verdicts on a batch; `hear` takes them."""
        number = places[0].number if places else 0
        self.judge.ask("tasks", f"tasks-{number:05d}-{batch}.jsonl", lines)

    def hear(self, places: Sequence[Place]) -> None:
        """Take the certificates on the batch that was asked for last."""
        for place, answer in zip(places, self.judge.answers(), strict=True):
            place.certificates.extend(cast("list[dict[str, Json]]", answer["certificates"]))

    def control(self, places: Sequence[Place]) -> list[Place]:
        """Check what each place would keep against each other; return the places where a task failed that."""
        name = f"controls-{places[0].number if places else 0:05d}.jsonl"
        self.judge.ask("controls", name, [place.kept_line() for place in places])
        answers = zip(places, self.judge.answers(), strict=True)
        return [
            place
            for place, answer in answers
            if not place.settle(cast("list[list[dict[str, Json]]]", answer["verdicts"]))
        ]


@dataclass(frozen=True, slots=True)
class Filled:
    """The rows of an extent's tasks and rejects, in the order of users, rounds and candidates."""

    tasks: list[Row] = field(default_factory=list[Row])
    rejects: list[Row] = field(default_factory=list[Row])

    def counts(self) -> list[StageCounts]:
        """Return the counts of the funnel for tasks and selection."""
        failed, left = (
            [str(row["check"]) for row in self.rejects if row["stage"] == stage] for stage in ("tasks", SELECTION)
        )
        return [tally("tasks", len(self.tasks) + len(left), failed), tally(SELECTION, len(self.tasks), left)]


def fill_rounds(maker: Maker, extent: Extent, people: Sequence[Person], taken: dict[str, frozenset[str]]) -> Filled:
    """Return the tasks of an extent for its kept users; `taken` are the keys of each user's earlier tasks."""
    keys = {person.profile.user_id: taken.get(person.profile.user_id, frozenset[str]()) for person in people}
    rounds = [[Place(person, number, want) for person in people] for number, want in extent.rounds()]
    lines = maker.make(rounds[0], 0)
    for places, following in zip(rounds, [*rounds[1:], None], strict=True):
        maker.check(places, 0, lines)
        lines = maker.make(following, 0) if following else []
        maker.hear(places)
        _fill(maker, places, keys)
        keys.update((place.user_id, place.selection.keys) for place in places)
        for place in places:
            place.finish()
    by_user = [place for user in zip(*rounds, strict=True) for place in user]
    return Filled([row for p in by_user for row in p.kept], [row for p in by_user for row in p.rejects])


def taken_before(root: Path, extent: Extent) -> dict[str, frozenset[str]]:
    """Return, per user of the extent's block, the keys of the stored tasks of the rounds before the extent's first one.

    The extent's first round is selected as a whole again, also when its first positions are in shards already.
    """
    first = extent.start // ROUND * ROUND
    found: dict[str, set[str]] = {}
    for file in sorted((root / "tasks").glob(f"block-{extent.block:05d}-*.parquet")):
        stored = read_name(file.name)
        if stored and stored.stop <= extent.start and file.name == file_name("tasks", stored).partition("/")[2]:
            for row in read_rows(file, _KEY_COLUMNS):
                if cast("int", row["ordinal"]) < first:
                    found.setdefault(str(row["user_id"]), set()).update(_keys_of_row(row))
    return {user: frozenset(keys) for user, keys in found.items()}


def _fill(maker: Maker, places: Sequence[Place], keys: dict[str, frozenset[str]]) -> None:
    """Decide each place of one round, with further batches for those that are short."""
    waiting = list(places)
    for batch in range(1, MAX_BATCHES + 1):
        open_places = waiting
        while open_places:
            for place in open_places:
                place.decide(keys[place.user_id])
            open_places = maker.control(open_places)
        waiting = [place for place in waiting if place.short]
        if not waiting or batch == MAX_BATCHES:
            return
        maker.check(waiting, batch, maker.make(waiting, batch))
        maker.hear(waiting)


def _keys_of_row(row: Row) -> tuple[str, ...]:
    fields = {"instruction": row["instruction"], "start_hash": row["start_hash"]}
    opened = {name: json.loads(str(row[f"{name}_json"])) for name in ("goals", "intents", "kin")}
    return duplicate_keys(cast("dict[str, Json]", {**fields, **opened}))
