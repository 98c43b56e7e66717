"""Figures over trajectories: means, what k attempts say together, and intervals from drawing users again."""

from __future__ import annotations

import math
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from flows.rollout_figures import Figures, pass_all, pass_at
from flows.rollout_shards import Part
from flows.rollout_summary import summarize
from schemas.trajectory import EndReason
from tests.flows.rollouts import FakePlayer, Job, config_of
from tests.flows.test_rollout_store import make


@pytest.mark.parametrize("passed", [[True, False, False, True, False], [True] * 3, [False] * 2])
def test_chances_of_k_attempts_are_those_over_all_choices(passed: list[bool]) -> None:
    for k in range(1, len(passed) + 1):
        chosen = list(combinations(passed, k))
        assert pass_at(passed, k) == pytest.approx(sum(map(any, chosen)) / len(chosen))
        assert pass_all(passed, k) == pytest.approx(sum(map(all, chosen)) / len(chosen))


def test_a_mean_has_the_interval_of_independent_users() -> None:
    figures = Figures()
    for user in range(400):
        figures.add(f"u{user}", {"x": float(user % 4 == 0), **({"rare": 1.0} if user == 7 else {})})
    found = figures.figures()
    error = 1.96 * math.sqrt(0.25 * 0.75 / 400)
    assert found["x"].value == 0.25
    assert found["x"].low == pytest.approx(0.25 - error, abs=0.01)
    assert found["x"].high == pytest.approx(0.25 + error, abs=0.01)
    assert (found["rare"].value, found["rare"].low, found["rare"].high, found["rare"].number) == (1, 1, 1, 1)
    assert figures.figures() == found


def test_hand_values_and_what_there_is_no_mean_of() -> None:
    assert pass_at([True, False, False], 2) == pytest.approx(2 / 3)
    assert pass_all([True, True, False], 2) == pytest.approx(1 / 3)
    assert pass_at([True, False, False, False], 1) == 0.25
    assert Figures().figures() == {}
    for value in (math.nan, math.inf):
        with pytest.raises(ValueError, match=f"x of u is {value}"):
            Figures().add("u", {"x": value})


def test_what_one_user_did_often_is_no_more_certain() -> None:
    alone, often = Figures(), Figures()
    for user in range(30):
        alone.add(f"u{user}", {"x": float(user % 2)})
        for _ in range(20):
            often.add(f"u{user}", {"x": float(user % 2)})
    one, many = alone.figures()["x"], often.figures()["x"]
    assert (one.low, one.high) == pytest.approx((many.low, many.high))
    assert many.number == 600


def test_draws_of_users_are_even() -> None:
    from services.runtime.streams import Stream

    words = np.frombuffer(Stream(0, "bootstrap", 10).take(4 * 100_000), dtype="<u4").astype(np.uint64)
    counts = np.bincount((words * np.uint64(10) >> np.uint64(32)).astype(np.int64), minlength=10)
    assert abs(counts - 10_000).max() < 400


def test_a_summary_counts_what_happened(tmp_path: Path) -> None:
    def end(job: Job) -> EndReason:
        return {0: "done", 1: "user_fault", 2: "done" if job.part.attempt else "budget"}[job.number]  # type: ignore[return-value]

    make(tmp_path / "r", config_of(k=2), FakePlayer(3, end))
    summary = summarize(tmp_path / "r")
    assert summary.counts.ends == {"budget": 2, "done": 6, "user_fault": 4}
    assert (summary.figures["TC"].value, summary.figures["TC"].number) == (0.75, 8)
    assert summary.figures["TA"].value == (6 + 2 * 0.5) / 8
    assert (summary.figures["user_fault"].value, summary.figures["user_fault"].number) == (4 / 12, 12)
    assert (summary.figures["pass@2"].value, summary.figures["pass^2"].value) == (1, 0.5)
    assert (summary.figures["scenario"].value, summary.figures["scenario"].number) == (0.5, 4)
    assert summary.error_classes == {"data": 2}
    assert summary.families["shopping"].value == 0.75


def test_a_rollout_without_a_scored_conversation_has_a_summary(tmp_path: Path) -> None:
    make(tmp_path / "r", config_of(), FakePlayer(3, lambda job: "user_fault"))
    summary = summarize(tmp_path / "r")
    assert summary.figures.keys() == {"user_fault"}
    assert summary.counts.scored == 0


def test_parts_are_ordered_by_block_and_attempt() -> None:
    assert sorted([Part(1, 0), Part(0, 1), Part(0, 0)]) == [Part(0, 0), Part(0, 1), Part(1, 0)]
