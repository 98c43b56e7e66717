"""Runs over exports of wearers: environments hold their minutes, and the run no longer needs the folder."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from flows.cli import main
from flows.config import resolve
from flows.errors import ConfigError
from flows.inputs import look_through
from flows.rows import from_row
from flows.verification import verify
from generators.environments import given_to
from generators.environments.wearables.export_files import read_wearables
from schemas.config import RunConfig
from services.runtime.blobs import unpack
from tests.flows.hollow import contents
from tests.flows.real import by_id, make_run, rows_of
from tests.generators.physiology.test_export_files import export, heart, sleep

Capture = pytest.CaptureFixture[str]
WEARERS = ("1503960366", "1624580081")


def config(root: Path, folder: Path | None, users: int = 3, tasks: int = 0) -> RunConfig:
    given: dict[str, Any] = {"users": users, "tasks_per_user": tasks, "seed": 4, "out": str(root)}
    return resolve("environments-200", None, given | ({} if folder is None else {"wearables": str(folder)}))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export(tmp_path_factory.mktemp("worn") / "exports", days=9, ids=WEARERS)


@pytest.fixture(scope="module")
def made(folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("made") / "run"
    make_run(root, config(root, folder))
    return root


def environments(root: Path) -> list[dict[str, Any]]:
    return [cast("dict[str, Any]", from_row("environments", row)[0]) for row in rows_of(root, "environments")]


def test_environments_hold_the_minutes_of_the_wearers_in_turn(folder: Path, made: Path) -> None:
    wearables = read_wearables(folder)
    found = environments(made)
    assert len(found) == 3
    for index, record in enumerate(found):
        signals = given_to(record)["wearables"]([], None)  # type: ignore[operator]
        days = [day.date for day in signals.days]
        assert days[-1] == record["now"][:10]
        steps = unpack(record["blobs"]["steps"], 1_440 * 30)
        assert steps == signals.joined("steps")
        whole = {day.steps for day in wearables.of(index).days}
        worn = [day for day in signals.days if day.device is not None]
        assert worn and all(day.steps in whole for day in worn if day.minutes == 1_440)
        assert not record["tables"]["workouts"]
        assert [row["id"] for row in record["tables"]["wearable_days"]] == [day.date for day in worn]


def test_a_run_over_exports_verifies_without_them(made: Path, folder: Path, capsys: Capture, tmp_path: Path) -> None:
    hidden = tmp_path / "hidden"
    folder.rename(hidden)
    try:
        assert verify(made) == 0
    finally:
        hidden.rename(folder)
    assert "verified 3 of 3 users" in capsys.readouterr().out


def test_daily_summaries_are_kept_and_built_again(tmp_path: Path, capsys: Capture) -> None:
    worn = export(tmp_path / "exports", days=9)
    heart(worn)
    sleep(worn)
    make_run(tmp_path / "run", config(tmp_path / "run", worn, users=1))
    assert verify(tmp_path / "run") == 0, capsys.readouterr().out
    (record,) = environments(tmp_path / "run")
    assert [night["asleep"] for night in record["tables"]["nights"]] == [450]
    told = [day for day in record["tables"]["wearable_days"] if not day["by_minute"]]
    assert [(day["resting_rate"], day["average_rate"]) for day in told] == [(53, 713)]
    window = given_to(record)["wearables"]([], None)  # type: ignore[operator]
    assert [day.heart for day in window.days if day.heart] == [
        day.heart for day in read_wearables(worn).of(0).days if day.heart
    ]


def test_what_is_modelled_is_not_given(tmp_path: Path) -> None:
    make_run(tmp_path / "run", config(tmp_path / "run", None, users=1))
    (record,) = environments(tmp_path / "run")
    assert given_to(record) == {}


@pytest.mark.slow
def test_a_run_over_exports_grows_like_one_made_at_once(folder: Path, made: Path, tmp_path: Path) -> None:
    for users in (1, 3):
        make_run(tmp_path / "run", config(tmp_path / "run", folder, users=users))
    assert by_id(tmp_path / "run", "environments", "user_id") == by_id(made, "environments", "user_id")


def test_other_exports_are_another_run(folder: Path, tmp_path: Path, capsys: Capture) -> None:
    worn = export(tmp_path / "exports", days=2)
    settings = config(tmp_path / "run", worn, users=1)
    make_run(tmp_path / "run", settings)
    before = contents(tmp_path / "run")
    heart(worn)
    with pytest.raises(ConfigError, match="is not the file that the run was begun with"):
        list(look_through(settings))
    command = ["generate", "--preset", "environments-200", "--users", "1", "--seed", "4", "--out"]
    assert main([*command, str(tmp_path / "run"), "--wearables", str(worn)]) == 2
    assert "wearables is {" in capsys.readouterr().err
    assert contents(tmp_path / "run") == before


def test_a_bad_row_is_told_in_one_message_and_nothing_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    worn = export(tmp_path / "exports", days=1)
    file = worn / "minute_steps.csv"
    lines = file.read_text().splitlines()
    file.write_text("\n".join([*lines[:5], lines[5].rpartition(",")[0] + ",many", *lines[6:]]) + "\n")
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    for command in (["generate", "--users", "1", "--tasks-per-user", "0", "--out", "run"], ["look"]):
        assert main([*command, "--wearables", str(worn)]) == 2
        captured = capsys.readouterr()
        assert captured.out == ""
        assert captured.err.startswith("pausegen: minute_steps.csv: row 6: Steps: 'many' is not a number; ")
        assert len(captured.err.splitlines()) == 1
    (worn / "minute_mets.csv").unlink()
    for command in (["generate", "--users", "1", "--tasks-per-user", "0", "--out", "run"], ["look"]):
        assert main([*command, "--wearables", str(worn)]) == 2
        assert "holds no minute_mets.csv" in capsys.readouterr().err
    assert sorted(tmp_path.rglob("*")) == [path for path in before if path.name != "minute_mets.csv"]


def test_look_tells_who_wore_what(folder: Path, capsys: Capture) -> None:
    assert main(["look", "--wearables", str(folder)]) == 0
    first, *others = capsys.readouterr().out.splitlines()
    assert first == f"{folder}: 2 wearers, 18 whole days, 0 nights"
    said = "2016-04-01 to 2016-04-09, 9 whole days, 0 nights, heart rates of 0 days"
    assert others == [f"wearer {name}: {said}" for name in WEARERS]


def test_the_configuration_holds_the_digest(folder: Path) -> None:
    given = config(Path("run"), folder).wearables
    assert given is not None
    assert given.sha256 == read_wearables(folder).sha256
    assert json.loads(json.dumps(config(Path("run"), folder).content()))["wearables"] == {"sha256": given.sha256}
