"""Users of an extent with their environments: made and verified, or read from the shards of their block."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import orjson

from flows.extents import BLOCK, read_name
from flows.funnel import StageCounts, tally
from flows.rows import Row, from_row, reject_row, to_row
from flows.shards import read_rows
from flows.verifying import Verifier, fault_of
from generators.environments import build_environment
from generators.profiles import make_profile
from schemas.base import Json, canonical
from schemas.environment import EnvironmentRecord
from schemas.profile import Profile

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from pathlib import Path

    from flows.verifying import Answer
    from generators.profiles import Persona
    from schemas.world import World

EARLIER, USERS = "earlier.jsonl", "users.jsonl"
Parts = dict[str, dict[str, Json]]


@dataclass(frozen=True, slots=True)
class Person:
    """A user with an environment."""

    profile: Profile
    environment: EnvironmentRecord

    def line(self) -> bytes:
        """Return both as one canonical line of a candidate file."""
        return canonical({"profile": self.profile, "environment": self.environment})


@dataclass(frozen=True, slots=True)
class People:
    """The users of an extent: who was kept, the rows of their shards, and the checks that rejected the others."""

    kept: list[Person] = field(default_factory=list[Person])
    users: list[Row] = field(default_factory=list[Row])
    environments: list[Row] = field(default_factory=list[Row])
    rejects: list[Row] = field(default_factory=list[Row])

    def counts(self) -> list[StageCounts]:
        """Return the counts of the funnel for both stages."""
        by_stage = {stage: [str(row["check"]) for row in self.rejects if row["stage"] == stage] for stage in _STAGES}
        profiles = len(self.kept) + len(by_stage["environments"])
        return [
            tally("profiles", profiles, by_stage["users"]),
            tally("environments", len(self.kept), by_stage["environments"]),
        ]


_STAGES = ("users", "environments")


def make_people(
    seed: int,
    indices: Iterable[int],
    world: World,
    judge: Verifier,
    persona: Callable[[int], Persona],
    given: Callable[[int], Mapping[str, object]],
) -> People:
    """Make users, each around its persona, and environments, and keep those on whom every verdict is good.

    `given` returns what folders of the user's own give the user of an index.
    """
    made: list[Person] = []
    for index in indices:
        profile = make_profile(seed, index, persona(index))
        made.append(Person(profile, build_environment(seed, profile, world, given(index))))
    lines = [person.line() for person in made]
    judge.ask("users", USERS, lines)
    people = People()
    for person, line, answer in zip(made, lines, judge.answers(), strict=True):
        _sort_in(people, person, cast("Parts", orjson.loads(line)), answer)
    return people


def read_people(root: Path, block: int, users: range) -> list[Person]:
    """Return the kept users of a block that stand in its shards, as far as their index is in `users`, by index."""
    profiles = [Profile.model_validate(record) for record in _stored(root, "users", block)]
    environments = {str(record["user_id"]): record for record in _stored(root, "environments", block)}
    wanted = sorted((p for p in profiles if p.index in users), key=lambda p: p.index)
    return [Person(p, EnvironmentRecord.model_validate(environments[p.user_id])) for p in wanted]


def tell_earlier(judge: Verifier, people: Iterable[Person]) -> None:
    """Let the verifier know users that were kept before, as context of what follows."""
    lines = [person.line() for person in people]
    if lines:
        judge.ask("earlier", EARLIER, lines)
        judge.answers()


def _sort_in(people: People, person: Person, parts: Parts, answer: Answer) -> None:
    profile, environment = parts["profile"], parts["environment"]
    user_id = person.profile.user_id
    check, reason = fault_of(answer["profile"])
    if check:
        people.rejects.append(reject_row("users", user_id, user_id, check, reason, profile, answer["profile"]))
        return
    check, reason = fault_of(answer["environment"])
    if check:
        named = ("environments", person.environment.environment_id, user_id, check, reason)
        people.rejects.append(reject_row(*named, environment, answer["environment"]))
        return
    people.kept.append(person)
    people.users.append(to_row("users", profile, verdicts=answer["profile"]))
    people.environments.append(to_row("environments", environment, verdicts=answer["environment"]))


def _stored(root: Path, stage: str, block: int) -> list[dict[str, Json]]:
    named = ((read_name(file.name), file) for file in sorted((root / stage).glob(f"block-{block:05d}-*.parquet")))
    files = [file for extent, file in named if extent and extent.first // BLOCK == block]
    return [from_row(stage, row)[0] for file in files for row in read_rows(file)]
