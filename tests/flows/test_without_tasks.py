"""Runs of users alone: made, verified, grown to tasks later, and published, with every array as it was."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from flows.cli import main
from flows.config import preset_names, resolve
from flows.errors import ConfigError
from flows.rows import from_row
from flows.store import manifest_of
from flows.verification import verify
from publishing.inspect import inspect_run, render_text
from publishing.parquet import read_rows
from publishing.release import build_release
from schemas.config import RunConfig
from schemas.world import World
from services import open_environment
from services.runtime.blobs import unpack, width
from tests.flows import hollow
from tests.flows.hollow import contents
from tests.flows.real import by_id, make_run, rows_of
from validators.environments import check_environment, environment_context, state_checks
from validators.wearables import CHECKS

USERS = 3


def config_of(users: int = USERS, tasks: int = 0) -> RunConfig:
    return resolve("environments-200", None, {"users": users, "tasks_per_user": tasks})


@pytest.fixture(scope="module")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("alone") / "run"
    make_run(root, config_of())
    return root


@pytest.fixture(scope="module")
def released(alone: Path) -> Path:
    out = alone.parent / "release"
    build_release(alone, "1.0.0", out)
    return out


def environments(root: Path) -> list[dict[str, Any]]:
    return [cast("dict[str, Any]", from_row("environments", row)[0]) for row in rows_of(root, "environments")]


def test_the_preset_asks_for_two_hundred_users_and_no_task() -> None:
    assert "environments-200" in preset_names()
    config = resolve("environments-200")
    assert (config.users, config.tasks_per_user) == (200, 0)
    with pytest.raises(ConfigError):
        config_of(tasks=-1)


def test_a_run_without_tasks_is_whole(alone: Path) -> None:
    known = manifest_of(alone)
    assert known.complete
    assert len(rows_of(alone, "users")) == len(rows_of(alone, "environments")) == USERS
    assert rows_of(alone, "tasks") == rows_of(alone, "rejects") == []
    for row in rows_of(alone, "environments"):
        verdicts = json.loads(str(row["verdicts_json"]))
        assert verdicts and all(verdict["passed"] for verdict in verdicts)


def test_made_again_it_has_the_same_bytes(alone: Path, tmp_path: Path) -> None:
    make_run(tmp_path / "run", config_of())
    assert contents(tmp_path / "run") == contents(alone)


def test_verify_counts_users(alone: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(alone) == 0
    assert f"verified {USERS} of {USERS} users" in capsys.readouterr().out
    assert verify(alone, fast=True) == 0


@pytest.mark.slow
def test_growing_to_tasks_gives_what_a_run_made_at_once_gives(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for users, tasks in ((1, 0), (2, 0), (2, 1), (2, 2)):
        make_run(tmp_path / "grown", config_of(users, tasks))
        assert manifest_of(tmp_path / "grown").complete
    make_run(tmp_path / "whole", config_of(2, 2))
    for stage, name in (("users", "user_id"), ("environments", "user_id"), ("tasks", "task_id")):
        grown, whole = (by_id(tmp_path / run, stage, name) for run in ("grown", "whole"))
        assert grown == whole
    assert len(rows_of(tmp_path / "grown", "tasks")) == 4
    capsys.readouterr()
    assert verify(tmp_path / "grown") == 0
    assert "verified 4 of 4" in capsys.readouterr().out


def test_a_run_with_tasks_is_not_cut(tmp_path: Path) -> None:
    hollow.make_run(tmp_path / "run", config_of(1, 1))
    with pytest.raises(ConfigError, match="tasks_per_user is 1 and can only grow, asked 0"):
        make_run(tmp_path / "run", config_of(1, 0))


def test_the_figures_say_that_there_are_no_tasks(alone: Path) -> None:
    figures = inspect_run(alone)
    assert figures["users"] == USERS
    text = render_text(figures)
    assert "environments     3     3" in text
    assert "Mutants" not in text


def test_generate_counts_users(
    alone: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(alone.parent)
    command = ["generate", "--preset", "environments-200", "--users", str(USERS), "--out", "run"]
    assert main(command) == 0
    assert f"{USERS} of {USERS} users kept in run" in capsys.readouterr().out


def test_a_release_is_verified_from_its_files(released: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert verify(released) == 0
    assert f"verified {USERS} of {USERS} users" in capsys.readouterr().out
    card = (released / "README.md").read_text("utf-8")
    assert "There are no tasks in this release." in card
    assert "config_name: tasks" not in card
    assert "config_name: environments\n  default: true" in card


def test_a_release_loads_and_its_environments_open(released: Path) -> None:
    datasets = pytest.importorskip("datasets")
    rows = [row for split in datasets.load_dataset(str(released)).values() for row in split]
    assert len(rows) == USERS
    (world,) = datasets.load_dataset(str(released), "worlds", split="shared")
    for row in rows:
        env = open_environment(row, world)
        assert "error" not in env.call("get_system_settings", {})
        assert f"{env.state_hash()}" == row["state_hash"]


def published(released: Path) -> list[dict[str, Any]]:
    found = [row for path in sorted((released / "data" / "environments").glob("*.parquet")) for row in read_rows(path)]
    fields = ("environment_id", "user_id", "world_id", "now", "seed", "state_hash")
    return [
        {name: row[name] for name in fields}
        | {name: json.loads(str(row[f"{name}_json"])) for name in ("tables", "blobs")}
        for row in found
    ]


def test_arrays_are_published_as_they_were(alone: Path, released: Path) -> None:
    made = {record["user_id"]: record for record in environments(alone)}
    found = published(released)
    assert {record["user_id"] for record in found} == set(made)
    for record in found:
        assert record == made[record["user_id"]]
        assert set(record["blobs"]) == {"steps", "mets", "intensity", "heart_rate", "calories"}
        for signal in record["tables"]["signals"]:
            raw = unpack(record["blobs"][signal["id"]], signal["count"] * width(signal["encoding"]))
            assert len(raw) == signal["count"] * width(signal["encoding"])


def test_all_checks_on_arrays_hold_of_the_published_files_and_see_a_changed_minute(released: Path) -> None:
    (row,) = read_rows(next((released / "data" / "worlds").glob("*.parquet")))
    world = World.model_validate(
        {
            "world_id": row["world_id"],
            "schema_version": row["schema_version"],
            "tables": json.loads(str(row["tables_json"])),
        }
    )
    context = environment_context(world, rebuild_required=False)
    checks = [*state_checks(), *CHECKS.fresh]
    assert {name for name, _ in checks} >= {name for name, _ in (*CHECKS.state, *CHECKS.fresh)}
    for record in published(released):
        assert all(verdict.passed for verdict in check_environment(record, context, checks))
        (day, *_) = record["tables"]["wearable_days"]
        day["azm"] += 1
        failed = {verdict.check for verdict in check_environment(record, context, checks) if not verdict.passed}
        assert failed >= {"environment.hash", "wearables.days"}
