"""Fills the rounds of an extent with tasks: candidates, verdicts, selection, further batches for users who are short.

Rounds are filled one by one, since what a round may hold depends on the tasks of the rounds before it; the candidates
of the next round are made while the verifier is at work on those of this one.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

from flows.funnel import StageCounts, tally
from flows.places import SELECTION, Place
from flows.rows import Row
from flows.verifying import Verifier
from generators.tasks import MAX_BATCHES, Share, make_round

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flows.earlier import Earlier
    from flows.extents import Extent
    from flows.people import Person
    from schemas.base import Json
    from schemas.world import World


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

    def control(self, place: Place) -> bool:
        """Check what a place would keep against each other; return whether all tasks are good."""
        self.judge.ask("controls", f"controls-{place.number:05d}.jsonl", [place.kept_line()])
        (answer,) = self.judge.answers()
        return place.settle(cast("list[list[dict[str, Json]]]", answer["verdicts"]))


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


def fill_rounds(maker: Maker, extent: Extent, people: Sequence[Person], earlier: Earlier) -> Filled:
    """Return the tasks of an extent for its kept users, and add them to the earlier ones of the block."""
    rounds = [[Place(person, number, want) for person in people] for number, want in extent.rounds()]
    if not rounds:
        return Filled()
    lines = maker.make(rounds[0], 0)
    for places, following in zip(rounds, [*rounds[1:], None], strict=True):
        maker.check(places, 0, lines)
        lines = maker.make(following, 0) if following else []
        maker.hear(places)
        for place in places:
            _fill(maker, place, earlier)
            place.finish()
    by_user = [place for user in zip(*rounds, strict=True) for place in user]
    return Filled([row for p in by_user for row in p.kept], [row for p in by_user for row in p.rejects])


def _fill(maker: Maker, place: Place, earlier: Earlier) -> None:
    """Decide one place, with further batches while it is short.

    Users are settled one after the other: what one keeps decides what the next may keep.
    """
    for batch in range(1, MAX_BATCHES + 1):
        place.decide(earlier)
        while not maker.control(place):
            place.decide(earlier)
        if not place.short or batch == MAX_BATCHES:
            break
        maker.check([place], batch, maker.make([place], batch))
        maker.hear([place])
    for task in place.given():
        earlier.add(task)
