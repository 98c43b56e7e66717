"""A release can be played like the run that it was built from: same tasks, same conversations, same scores."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from flows.cli import main
from flows.errors import ConfigError
from flows.rollout_config import resolve
from flows.rollout_store import read_rollout
from flows.rollout_tasks import blocks_of, open_tasks
from schemas.base import Json, canonical
from schemas.rollout import Subset
from tests.flows.test_rollout import roll_out

Capture = pytest.CaptureFixture[str]
EVERY: dict[str, Json] = {"k": 2}
SOME = 9
"""Tasks, more than one user's."""


@pytest.fixture(scope="module")
def of_release(released: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("of-release") / "oracle"
    roll_out(released, root, EVERY)
    return root


def test_a_release_is_played_as_its_run_is(finished: Path, of_release: Path, tmp_path: Path) -> None:
    roll_out(finished, tmp_path / "of-run", EVERY)
    played = [canonical(trajectory) for trajectory in read_rollout(of_release)]
    assert played == [canonical(trajectory) for trajectory in read_rollout(tmp_path / "of-run")]
    assert len(played) == 52
    assert all(trajectory.score and trajectory.score.passed for trajectory in read_rollout(of_release))


def test_the_same_tasks_of_a_release_fit_a_subset(finished: Path, released: Path) -> None:
    for subset in (Subset(), Subset(tasks=SOME), Subset(tasks=20, levels=["hard"]), Subset(families=["notes"])):
        blocks = blocks_of(open_tasks(finished, subset), subset)
        assert blocks_of(open_tasks(released, subset), subset) == blocks
        for index, size in blocks.items():
            chosen = [
                [task.task_id for user in open_tasks(place, subset).block(index, size) for task in user.tasks]
                for place in (finished, released)
            ]
            assert chosen[0] == chosen[1]
            assert len(chosen[0]) == size


def test_a_rollout_of_a_release_is_evaluated_shown_and_exported(
    released: Path, of_release: Path, tmp_path: Path, capsys: Capture
) -> None:
    assert main(["evaluate", str(of_release)]) == 0
    assert "evaluated 52 trajectories: 52 scored as stored, 0 differently" in capsys.readouterr().out
    assert main(["leaderboard", str(of_release)]) == 0
    assert "100.0" in capsys.readouterr().out
    assert main(["explain", str(of_release), "u000000-t00000-k01"]) == 0
    assert "Passed" in capsys.readouterr().out
    assert main(["export", str(of_release), "--format", "trl", "--out", str(tmp_path / "rows")]) == 0
    assert "same results, same end" in capsys.readouterr().out
    # The release may have been moved, and another one is another source.
    (tmp_path / "moved").symlink_to(released)
    assert main(["evaluate", str(of_release), "--run", str(tmp_path / "moved")]) == 0


def test_a_rollout_of_a_release_is_resumed_by_the_same_command(released: Path, tmp_path: Path, capsys: Capture) -> None:
    roll_out(released, tmp_path / "r", {"subset.tasks": 2})
    assert main(["rollout", str(released), "--tasks", "2", "--out", str(tmp_path / "r")]) == 0
    assert "2 trajectories in" in capsys.readouterr().out


def test_a_run_is_not_the_release_that_was_played(finished: Path, of_release: Path, capsys: Capture) -> None:
    assert main(["evaluate", str(of_release), "--run", str(finished)]) == 2
    assert "is not what was played" in capsys.readouterr().err


def test_a_person_plays_a_task_of_a_release(released: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:

    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["play", str(released), "--task", "u000001-t00003"]) == 0
    assert "ended: agent_error" in capsys.readouterr().out


def test_a_wrong_setting_over_a_release_is_named(released: Path) -> None:
    with pytest.raises(ConfigError, match="there is no assistant 'oracle:sidestep'"):
        resolve(released, options={"assistant": "oracle:sidestep"})
