"""Known defects of how a published pipeline evaluated its runs, each with a test that it is not repeated here."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from flows.cli import main
from flows.rollout_config import resolve
from flows.rollout_engine import Underway, make_parts
from flows.rollout_evaluate import evaluate
from flows.rollout_leaderboard import rows_of
from flows.rollout_store import load_rollout, open_rollout, read_rollout
from flows.rollout_summary import summarize
from schemas.trajectory import EndReason, Trajectory
from tests.flows.rollouts import FakePlayer, Job, config_of
from tests.flows.test_cli import pausegen
from tests.flows.test_rollout import roll_out
from validators.scoring.pause_compat import target_achievement, task_completion
from validators.scoring.pause_compat_adapter import targets_met


@pytest.fixture(scope="module")
def played(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A rollout with the settings that there are when nothing is set."""
    root = tmp_path_factory.mktemp("played") / "rollout"
    roll_out(finished, root)
    return root


def stored(root: Path) -> list[Trajectory]:
    return list(read_rollout(root))


# D5: annotation and evaluation looked for their data below their own folder and could not start.


@pytest.mark.parametrize("command", ["rollout", "evaluate", "leaderboard", "play"])
def test_defect_D5_every_command_starts_in_any_folder(command: str, tmp_path: Path) -> None:
    run = pausegen(command, "--help", cwd=tmp_path)
    assert (run.returncode, run.stderr) == (0, "")
    assert "examples:" in run.stdout


def test_defect_D5_a_rollout_is_evaluated_and_compared_from_any_folder(played: Path, tmp_path: Path) -> None:
    number = len(stored(played))
    run = pausegen("evaluate", played, cwd=tmp_path)
    assert run.returncode == 0, run.stderr
    assert f"evaluated {number} trajectories: {number} scored as stored, 0 differently" in run.stdout
    board = pausegen("leaderboard", played, "--csv", tmp_path / "board.csv", cwd=tmp_path)
    assert board.returncode == 0, board.stderr
    header, row = (tmp_path / "board.csv").read_text().splitlines()
    assert dict(zip(header.split(","), row.split(","), strict=True))["passed"] == "1.0000"


@pytest.mark.slow
def test_defect_D5_the_whole_way_is_one_command_after_the_other(finished: Path, tmp_path: Path) -> None:
    for command in (
        ["rollout", finished, "--assistant", "oracle", "--tasks", "4", "--out", "out"],
        ["evaluate", "out"],
        ["leaderboard", "out"],
    ):
        run = pausegen(*command, cwd=tmp_path)
        assert run.returncode == 0, run.stderr
    assert len(stored(tmp_path / "out")) == 4


@pytest.mark.parametrize("command", ["rollout", "evaluate", "leaderboard"])
def test_defect_D5_what_is_missing_is_named(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, "nowhere"]) == 2
    shown = capsys.readouterr().err
    assert "nowhere" in shown
    assert "Traceback" not in shown


# D6: three routes were configured where exactly two conversations were accepted, so that every task failed.


@pytest.mark.parametrize("attempts", [1, 2, 3])
def test_defect_D6_any_number_of_attempts_is_scored(finished: Path, tmp_path: Path, attempts: int) -> None:
    roll_out(finished, tmp_path / "r", {"k": attempts, "subset.tasks": 3})
    found = evaluate(tmp_path / "r")
    assert (found.trajectories, found.differing, found.lines) == (3 * attempts, 0, [])
    summary = summarize(tmp_path / "r")
    assert (summary.tasks, summary.k, summary.counts.scored) == (3, attempts, 3 * attempts)
    assert summary.figures[f"pass^{attempts}"].value == 1


def test_defect_D6_what_is_preset_is_accepted(finished: Path, played: Path) -> None:
    assert resolve(finished).k == 1
    assert {trajectory.end for trajectory in stored(played)} == {"done"}
    assert evaluate(played).differing == 0


# D42, D51: one conversation that was broken off ended the evaluation, or counted as a pass.


def made_up(root: Path, ends: dict[int, EndReason]) -> None:
    """A rollout with a conversation for each number that ends so."""

    def end(job: Job) -> EndReason:
        return ends[job.number]

    config = config_of()
    with open_rollout(root, config, {0: len(ends)}) as rollout:
        missing = rollout.missing()
        player = FakePlayer(len(ends), end)
        asyncio.run(make_parts(root, config, player, missing, Underway()))
        assert rollout.collect(missing) == []
        rollout.save()


def test_defect_D42_D51_only_what_was_scored_counts(tmp_path: Path) -> None:
    made_up(
        tmp_path, {0: "done", 1: "user_fault", 2: "user_stopped", 3: "infrastructure_error", 4: "budget", 5: "done"}
    )
    summary = summarize(tmp_path)
    # Two of the four that say something about the assistant pass.
    assert (summary.figures["passed"].value, summary.figures["passed"].number) == (0.5, 4)
    assert (summary.counts.trajectories, summary.counts.scored, summary.counts.passed) == (6, 4, 2)
    assert summary.figures["user_fault"].value == pytest.approx(1 / 6)
    assert summary.counts.ends == {
        "budget": 1,
        "done": 2,
        "infrastructure_error": 1,
        "user_fault": 1,
        "user_stopped": 1,
    }


def test_defect_D51_where_nothing_was_scored_nothing_is_claimed(tmp_path: Path) -> None:
    made_up(tmp_path, {0: "user_fault", 1: "user_fault"})
    assert "passed" not in summarize(tmp_path).figures
    ((_, cells),) = rows_of([tmp_path])
    assert (cells["passed"], cells["TC"], cells["scored"]) == ("", "", "0")


# D48: the published table could not be computed from the repository.


def test_defect_D48_the_table_follows_from_the_stored_scores(played: Path) -> None:
    scores = [trajectory.score for trajectory in stored(played)]
    met = [targets_met(score) for score in scores if score is not None]
    figures = summarize(played).figures
    assert figures["TC"].value == pytest.approx(task_completion(met))
    assert figures["TA"].value == pytest.approx(target_achievement(met))
    assert figures["F1"].value == 1
    known = load_rollout(played)
    assert known is not None
    assert {known.counts.columns[name].value for name in ("pause.score", "shopping.score", "shopping.ok")} == {1.0}


def test_defect_D48_a_worse_assistant_has_a_worse_table(finished: Path, played: Path, tmp_path: Path) -> None:
    made_up(tmp_path / "half", {0: "done", 1: "user_stopped"})
    best, worse = rows_of([tmp_path / "half", played])
    assert (best.summary.rollout, best.cells["passed"], worse.cells["passed"]) == ("rollout", "1.0000", "0.5000")
    # Of the failed one of two targets is reached: TC = 1/2, TA = (1 + 1/2) / 2.
    assert (worse.cells["TC"], worse.cells["TA"]) == ("0.5000", "0.7500")
