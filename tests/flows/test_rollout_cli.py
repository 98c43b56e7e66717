"""The commands around rollouts, over a real run: what they print, what they write, and how they fail."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

from flows.cli import main
from flows.rollout_store import SUMMARY
from tests.flows.rollouts import shard_bytes
from tests.flows.test_cli import HEAVY, run_and_loaded
from tests.flows.test_rollout import roll_out

Capture = pytest.CaptureFixture[str]


@pytest.fixture(scope="module")
def plain(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("cli") / "plain"
    roll_out(finished, root, {"k": 2, "subset.tasks": 6})
    return root


@pytest.fixture(scope="module")
def detour(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("cli") / "detour"
    roll_out(finished, root, {"assistant": "oracle:detour", "subset.tasks": 6})
    return root


def test_a_complete_rollout_is_shown_without_prefect_or_litellm(finished: Path, plain: Path) -> None:
    before = shard_bytes(plain)
    command = ["rollout", str(finished), "-k", "2", "--tasks", "6", "--out", str(plain)]
    out, loaded = run_and_loaded(command, plain.parent)
    assert not (HEAVY - {"pandas"}) & loaded
    assert "oracle with user scripted: 6 tasks, k 2" in out
    assert "pass^2" in out
    assert "pausegen evaluate" in out
    assert shard_bytes(plain) == before
    summary = json.loads((plain / SUMMARY).read_bytes())
    assert summary["figures"]["TC"] == {"high": 1, "low": 1, "number": 12, "value": 1}
    assert summary["figures"]["pass^2"]["number"] == 6


def test_another_rollout_in_the_folder_ends_with_2(finished: Path, plain: Path, capsys: Capture) -> None:
    assert main(["rollout", str(finished), "-k", "2", "--tasks", "5", "--out", str(plain)]) == 2
    assert "subset.tasks is 6, asked 5" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rollout"], "name the folder of a run"),
        (["rollout", "nowhere"], "no folder nowhere"),
        (["rollout", "."], "neither a run nor a release"),
        (["evaluate", "nowhere"], "no folder nowhere"),
        (["leaderboard", "nowhere"], "no folder nowhere"),
        (["leaderboard", "."], "no rollout"),
        (["play", "nowhere"], "no folder nowhere"),
    ],
)
def test_wrong_folders_end_with_2(
    arguments: list[str], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(arguments) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err
    assert len(captured.err.splitlines()) <= 3


def test_settings_that_do_not_fit_end_with_2(finished: Path, tmp_path: Path, capsys: Capture) -> None:
    out = ["--out", str(tmp_path / "r")]
    for more, said in (
        (["--assistant", "oracle:sidestep"], "there is no assistant 'oracle:sidestep'"),
        (["--assistant", "oracle:sidestep", "--fresh"], "there are oracle, oracle:detour, "),
        (["--assistant", "scripted:typo"], "there are scripted:do-nothing, "),
        (["--assistant", "scripted:skip-consnt"], "did you mean 'scripted:skip-consent'"),
        (["--assistant", "skip-consent"], "did you mean 'scripted:skip-consent'"),
        (["--assistant", "Oracle"], "did you mean 'oracle'"),
        (["--user", "script"], "did you mean 'scripted'"),
        (["--set", "budget.turns=0"], "budget.turns: Input should be greater than or equal to 1 (got 0)"),
        (["--set", "budget.turn=3"], "did you mean 'turns'"),
        (["--task-id", "u9-t9"], "no task fits"),
        (["--max-cost", "2,50"], "max_cost"),
        (["--config", "no.yaml"], "no.yaml"),
    ):
        assert main(["rollout", str(finished), *more, *out]) == 2
        assert said in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []


def test_the_assistants_are_listed(capsys: Capture) -> None:
    assert main(["rollout", "--assistants"]) == 0
    out = capsys.readouterr().out
    assert {"oracle", "oracle:detour"} <= {line.split()[0] for line in out.splitlines()}


def test_evaluate_says_that_all_is_as_stored(plain: Path, capsys: Capture) -> None:
    assert main(["evaluate", str(plain)]) == 0
    assert "evaluated 12 trajectories: 12 scored as stored, 0 differently" in capsys.readouterr().out


def test_the_leaderboard_puts_rollouts_side_by_side(plain: Path, detour: Path, tmp_path: Path, capsys: Capture) -> None:
    files = ["--csv", str(tmp_path / "board.csv"), "--plot", str(tmp_path / "board.png")]
    assert main(["leaderboard", str(plain), str(detour), *files]) == 0
    assert "pass^2" in capsys.readouterr().out
    rows = list(csv.DictReader(io.StringIO((tmp_path / "board.csv").read_text())))
    assert [row["rollout"] for row in rows] == ["detour", "plain"]
    by_name = {row["rollout"]: row for row in rows}
    assert (by_name["plain"]["TC"], by_name["plain"]["pass^2"]) == ("1.0000", "1.0000")
    assert (by_name["detour"]["pass^1"], by_name["detour"]["pass^2"]) == ("1.0000", "")
    # it looks at more than the gold does
    assert float(by_name["detour"]["P"]) < 1 == float(by_name["detour"]["R"])
    assert float(by_name["detour"]["pause.precision"]) < 1
    assert (tmp_path / "board.png").read_bytes().startswith(b"\x89PNG")


def play(monkeypatch: pytest.MonkeyPatch, capsys: Capture, lines: str, *arguments: str) -> str:
    monkeypatch.setattr("sys.stdin", io.StringIO(lines))
    assert main(["play", *arguments]) == 0
    return capsys.readouterr().out


def test_a_person_can_be_the_assistant(
    finished: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    saved = tmp_path / "talk.json"
    lines = "/tools wallet\n/policy\nget_walet\nget_wallet\nget_transactions status=pending\n/quit\n"
    out = play(monkeypatch, capsys, lines, str(finished), "--save", str(saved))
    assert "get_wallet" in out
    assert "that is no call" in out
    assert '-> {"balance"' in out
    assert "ended: agent_error (the person left the conversation)" in out
    assert "passed: no" in out
    trajectory = json.loads(saved.read_bytes())
    calls = [(event["tool"], event["arguments"]) for event in trajectory["events"] if event["event"] == "did"]
    assert calls == [("get_wallet", {}), ("get_transactions", {"status": "pending"})]
    assert trajectory["score"]["passed"] is False
    monkeypatch.setattr("sys.stdin", io.StringIO(""))
    assert main(["play", str(finished), "--save", str(saved)]) == 2


def test_a_person_can_be_the_user(finished: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    acts = "/call set_purchase_permission allow=true\n/call set_purchase_permission yes\n"
    lines = f"/script\n/tools\n{acts}/stop Thank you\n"
    out = play(monkeypatch, capsys, lines, str(finished), "--as", "user")
    assert "you asked:" in out
    assert "authorize_checkout" in out
    assert '-> {"allowed":true,"permission":"allow_purchase"}' in out
    assert "beside the script: event 3: the user calls set_purchase_permission" in out
    assert "write it as /call tool name=value" in out
    assert "ended: " in out


def test_one_task_can_be_chosen(finished: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture) -> None:
    out = play(monkeypatch, capsys, "", str(finished), "--task", "u000001-t00003")
    assert "ended: agent_error" in out
