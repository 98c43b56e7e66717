"""A run that grows holds what a run of its size made at once holds, also where requests are rejected as too much alike.

Candidates, selection and the cutting into extents are real; which candidates fail a check, alone or beside others, is
drawn, so that the rounds are filled along many different ways.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import cast

import orjson
import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from flows import extents, record_checks, rounds
from flows.earlier import Earlier, earlier_of
from flows.extents import ROUND, Extent, missing
from flows.people import Person
from flows.rounds import Maker, fill_rounds
from flows.rows import Record, Row
from flows.store import load_funnel
from flows.verification import verify
from flows.verifying import Answer, Verifier
from generators.tasks import Round, Share, make_round
from schemas.base import Json, canonical, digest
from schemas.task import Task
from services.runtime.streams import Stream
from tests.effort import amount
from tests.flows.hollow import config_of
from tests.flows.real import by_id, make_run, rows_of
from tests.generators.tasks.scenes import SEED, user, world
from validators.selection import near, reading_of

USERS, TASKS = 3, 20
SHARE = Share(twins=2, variations=1)
Kept = dict[str, Row]
Steps = list[tuple[int, int]]
"""Sizes that a run grows to, as users and tasks per user."""


class Drawn:
    """Answers in the form of the verifier process; what fails is drawn."""

    def __init__(self, salt: int) -> None:
        self.salt = salt
        self.seen: Counter[tuple[str, int]] = Counter()
        self.pending: deque[list[Answer]] = deque()

    def ask(self, kind: str, file: str, lines: Sequence[bytes]) -> None:
        answer = {"tasks": self.tasks, "controls": self.controls}[kind]
        self.pending.append([answer(orjson.loads(line)) for line in lines])

    def answers(self) -> list[Answer]:
        return self.pending.popleft()

    def tasks(self, record: Record) -> Answer:
        place = str(record["user_id"]), cast("int", record["round"])
        certificates: list[Json] = []
        for task in cast("list[Record]", record["tasks"]):
            bad = Stream(self.salt, "alone", *place, self.seen[place]).chance(1, 3)
            certificates.append({"task_id": task["task_id"], "verdicts": [self.verdict(bad)], "tool_calls": 0})
            self.seen[place] += 1
        return {"certificates": certificates}

    def controls(self, record: Record) -> Answer:
        verdicts: list[Json] = []
        before = -1
        for kept in cast("list[dict[str, int]]", record["kept"]):
            stream = Stream(self.salt, "beside", str(record["user_id"]), kept["ordinal"], kept["candidate"], before)
            verdicts.append([self.verdict(stream.chance(1, 20))])
            before = kept["candidate"]
        return {"verdicts": verdicts}

    def verdict(self, bad: bool) -> Json:
        return {"check": "task.other_gold", "passed": not bad, "reason": "drawn" if bad else "", "counts": {}}


@cache
def batch(index: int, number: int, extra: int) -> Round:
    """A real batch, without the parts of its tasks that selection does not look at."""
    made = make_round(SEED, *user(index), world(), number, extra, SHARE)
    plain = [cast("Record", orjson.loads(canonical(task))) for task in made.candidates]
    light = [{**task, "goals": digest(task["goals"]), "plan": None, "expectation": None} for task in plain]
    return Round(cast("list[Task]", light), made.unbound)


def grow(salt: int, steps: Steps) -> tuple[Kept, Kept]:
    """Tasks and rejects by id of a run that grew in these steps; each starts from the rows of those before it."""
    people = [Person(*user(index)) for index in range(USERS)]
    days = {person.profile.user_id: person.environment.now[:10] for person in people}
    done: dict[int, Extent] = {}
    tasks: list[Row] = []
    rejects: list[Row] = []
    for users, count in steps:
        earlier = earlier_of(tasks, days)
        for extent in (extent for block in missing(done, users, count) for extent in block):
            maker = Maker(SEED, world(), cast("Verifier", Drawn(salt)), SHARE)
            with pytest.MonkeyPatch.context() as patch:
                patch.setattr(rounds, "make_round", lambda _s, who, _e, _w, n, extra, _h: batch(who.index, n, extra))
                filled = fill_rounds(maker, extent, people[extent.first : extent.last], earlier)
            tasks += filled.tasks
            rejects += filled.rejects
            done.update(dict.fromkeys(extent.users, extent))
    by_task, by_reject = ({str(row[name]): row for row in rows} for name, rows in (("task_id", tasks), ("id", rejects)))
    assert (len(by_task), len(by_reject)) == (len(tasks), len(rejects))
    return by_task, by_reject


def growing(drawn: Steps) -> Steps:
    """The steps without those that would let a run shrink, up to the full size."""
    steps: Steps = [(1, 1)]
    for users, tasks in drawn:
        steps.append((max(users, steps[-1][0]), max(tasks, steps[-1][1])))
    return [*steps[1:], (USERS, TASKS)]


STEPS = st.lists(st.tuples(st.integers(1, USERS), st.integers(1, TASKS)), min_size=1, max_size=3).map(growing)


@settings(max_examples=amount(15, 60))
@given(st.integers(0, 1000), st.sampled_from([0.0, 0.2, 0.4]), STEPS, st.booleans())
def test_growing_in_any_steps_keeps_and_rejects_the_same(salt: int, threshold: float, steps: Steps, cut: bool) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(near, "NEAR", threshold)
        fresh = grow(salt, [(USERS, TASKS)])
        patch.setattr(extents, "SHARD_TASKS", ROUND if cut else extents.SHARD_TASKS)
        assert grow(salt, steps) == fresh
    found = Counter(str(row["check"]) for row in fresh[1].values())
    event(f"near-duplicates: {min(found['selection.near_duplicate'], 9)}")


def test_the_drawn_runs_are_full_of_near_duplicates_of_every_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near, "NEAR", 0.0)
    tasks, rejects = grow(7, [(USERS, TASKS)])
    pairs = [(r, str(r["reason"])) for r in rejects.values() if r["check"] == "selection.near_duplicate"]
    assert all(other in tasks for _, other in pairs)
    own = [other.startswith(str(row["user_id"])) for row, other in pairs]
    assert {True, False} == set(own)
    for row, other in pairs:
        record, kept = orjson.loads(str(row["record_json"])), tasks[other]
        assert record["template"] == kept["template"]
        assert record["scenario"] != kept["scenario"]
        assert other < f"{row['user_id']}-t99999"


def test_users_after_one_make_no_difference_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near, "NEAR", 0.0)
    first, _ = grow(3, [(1, TASKS)])
    whole, _ = grow(3, [(USERS, TASKS)])
    assert first == {name: row for name, row in whole.items() if row["user_id"] == "u000000"}


@pytest.mark.slow
def test_a_real_run_grown_in_both_ways_equals_one_made_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(near, "NEAR", 0.0)
    once, grown = tmp_path / "once", tmp_path / "grown"
    make_run(once, config_of(2, 20))
    for users, tasks in ((1, 3), (2, 20)):
        make_run(grown, config_of(users, tasks))
    assert len(rows_of(once, "tasks")) == 40
    for stage, name in (("users", "user_id"), ("environments", "user_id"), ("tasks", "task_id"), ("rejects", "id")):
        assert by_id(grown, stage, name) == by_id(once, stage, name)
    assert load_funnel(grown) == load_funnel(once)
    assert load_funnel(once).of("selection").reasons["selection.near_duplicate"] > 0
    assert verify(grown) == 0


def test_verify_finds_two_tasks_that_read_alike(
    finished: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(near, "NEAR", 0.0)
    # As if all were of one template, since so few tasks may hold no two of one.
    monkeypatch.setattr(record_checks, "reading_of", lambda task, day: replace(reading_of(task, day), template="one"))
    assert verify(finished, fast=True) == 1
    faults = [line for line in capsys.readouterr().out.splitlines() if line.startswith("FAILED")]
    assert {line.split()[2] for line in faults} == {"selection.near_duplicate:"}
    assert all(line.split()[1] > line.split()[-1] for line in faults)


def test_nothing_is_taken_before_there_is_a_task() -> None:
    assert Earlier().taken("u000000", 10) == frozenset()
