"""Rollouts as training data and in a release, by the commands themselves, from what real players did."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from flows.cli import main
from flows.errors import ConfigError
from flows.rollout_store import read_rollout
from flows.rollouts import Rollouts, recorded_of
from flows.verification import verify
from schemas.trajectory import Offered
from tests.flows.test_rollout import roll_out
from tests.nonempty import nonempty

PLAYERS = ("oracle", "oracle:recovery", "scripted:wrong-argument")


@pytest.fixture(scope="module")
def played(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("played")
    for player in PLAYERS:
        roll_out(finished, folder / player.replace(":", "-"), {"assistant": player})
    return {player: folder / player.replace(":", "-") for player in PLAYERS}


def test_trajectories_of_several_rollouts_come_task_by_task(finished: Path, played: dict[str, Path]) -> None:
    rollouts = Rollouts(list(played.values()), finished)
    found = [(t.task_id, number) for number, t in rollouts.trajectories()]
    assert found == sorted(found)
    assert len(nonempty(found)) == sum(1 for root in played.values() for _ in read_rollout(root))


@pytest.mark.parametrize("form", ["openai", "trl", "trl-preference"])
def test_every_row_of_an_export_is_carried_out_again(
    form: str, finished: Path, played: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    roots = [str(root) for root in played.values()]
    out = tmp_path / "out"
    assert main(["export", *roots, "--format", form, "--out", str(out), "--run", str(finished)]) == 0
    told = capsys.readouterr().out
    rows = int(told.split(": ", 1)[1].split(" ", 1)[0])
    assert rows > 0
    assert f"carried out again: {rows} of {rows} rows, same results, same end" in told
    assert list(tmp_path.iterdir()) == [out]


def test_tools_offered_on_the_way_are_offered_in_the_row(
    finished: Path, played: dict[str, Path], tmp_path: Path
) -> None:
    out = tmp_path / "rows.jsonl"
    roots = [str(played["oracle"]), "--run", str(finished)]
    assert main(["export", *roots, "--format", "openai", "--out", str(out)]) == 0
    rows = {row["metadata"]["task_id"]: row for row in map(json.loads, out.read_text("utf-8").splitlines())}
    for trajectory in read_rollout(played["oracle"]):
        names = {tool["function"]["name"] for tool in rows[trajectory.task_id]["tools"]}
        for event in trajectory.events:
            if isinstance(event, Offered):
                assert {tool["function"]["name"] for tool in event.tools} <= names  # type: ignore[index,call-overload]


@pytest.mark.parametrize(
    ("options", "told"),
    [
        (["--format", "trl", "--out", "x.jsonl"], "a file of the format trl ends in .parquet"),
        (["--format", "trl", "--out", "x", "--limit", "0"], "'0' is no whole number of at least 1"),
        (["--format", "trl", "--out", "x", "--variant", "detour"], "of another variant"),
        (["--format", "trl-preference", "--out", "x"], "no task has one that passed and one that failed"),
        (["--format", "trl", "--out", "x", "--run", "nowhere"], "there is no folder nowhere"),
    ],
)
def test_a_wrong_option_is_told_and_nothing_is_written(
    options: list[str],
    told: str,
    finished: Path,
    played: dict[str, Path],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    run = [] if "--run" in options else ["--run", str(finished)]
    with_exit = [*options, *run]
    try:
        code = main(["export", str(played["oracle"]), *with_exit])
    except SystemExit as error:
        code = int(error.code or 0)
    assert code in (1, 2)
    assert told in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_a_release_with_rollouts_is_verified_from_its_files(
    finished: Path, played: dict[str, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "release"
    roots = [str(root) for root in reversed(played.values())]
    assert (
        main(["release", "build", str(finished), "--version", "1.0.0", "--out", str(out), "--trajectories", *roots])
        == 0
    )
    capsys.readouterr()
    assert verify(out, fast=True) == 0
    count = sum(1 for root in played.values() for _ in read_rollout(root))
    assert f"verified {count} of {count} trajectories" in capsys.readouterr().out


def test_rollouts_that_do_not_belong_together_are_refused(finished: Path, played: dict[str, Path]) -> None:
    root = played["oracle"]
    with pytest.raises(ConfigError, match="is named twice"):
        recorded_of([root, root], finished)
    with pytest.raises(ConfigError, match="is neither a run nor a release"):
        recorded_of([root], root.parent)
