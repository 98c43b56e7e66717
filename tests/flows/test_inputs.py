"""Runs from files of the user's own: what is taken, what is refused, and that the run no longer needs the files."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from flows.cli import main
from flows.config import resolve
from flows.errors import ConfigError
from flows.inputs import look_through, personas_of, world_of
from flows.rows import from_row
from flows.verification import verify
from generators.profiles import make_profile, persona_of
from schemas.config import RunConfig
from schemas.profile import Profile
from tests.flows.hollow import contents
from tests.flows.real import make_run, rows_of
from tests.generators.catalogue_files import catalogue, product_id, write_json

Capture = pytest.CaptureFixture[str]
ORDINARY = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"
REAL = Path(os.environ.get("PAUSEGEN_REFERENCE_DATA", ORDINARY)) / "pause" / "product_details.json"
DESCRIPTIONS = (
    "Maria Lopez is a 52-year-old teacher who has type 2 diabetes and enjoys swimming and yoga.",
    "A 34-year-old nurse from Leeds who follows a vegan diet.",
    "I am a woman in my late forties. I live with my husband and two kids.",
)


def write_personas(folder: Path, *texts: str) -> Path:
    path = folder / "people.jsonl"
    path.write_text("".join(json.dumps({"persona": text}) + "\n" for text in texts), "utf-8")
    return path


def config(folder: Path, users: int = 2, tasks: int = 2, **files: Path) -> RunConfig:
    options: dict[str, Any] = {"users": users, "tasks_per_user": tasks, "seed": 4, "out": str(folder / "run")}
    return resolve("quickstart", None, {**options, **{name: str(path) for name, path in files.items()}})


def test_a_run_from_both_files_verifies_without_them(tmp_path: Path, capsys: Capture) -> None:
    shop, people = write_json(tmp_path, catalogue()), write_personas(tmp_path, *DESCRIPTIONS)
    settings = config(tmp_path, users=3, tasks=1, catalogue=shop, personas=people)
    root = tmp_path / "run"
    make_run(root, settings)
    profiles = [Profile.model_validate(from_row("users", row)[0]) for row in rows_of(root, "users")]
    assert [profile.name.given for profile in profiles][:1] == ["Maria"]
    assert profiles[1].dietary_restrictions == ["vegan"]
    assert (profiles[2].gender, profiles[2].household.children) == ("female", 2)
    assert 47 <= profiles[2].age <= 49
    assert [make_profile(4, profile.index, persona_of(profile)) for profile in profiles] == profiles
    (world,) = rows_of(root, "worlds")
    assert world["world_id"] == world_of(settings)[0].world_id
    shop.unlink()
    people.unlink()
    assert verify(root) == 0
    assert "verified 3 of 3" in capsys.readouterr().out


@pytest.mark.slow
def test_a_run_grows_from_the_same_file_like_one_made_at_once(tmp_path: Path) -> None:
    people = write_personas(tmp_path, *DESCRIPTIONS)
    for users in (1, 3):
        make_run(tmp_path / "grown", config(tmp_path, users=users, tasks=1, personas=people))
    make_run(tmp_path / "whole", config(tmp_path, users=3, tasks=1, personas=people))
    for stage in ("users", "environments", "tasks"):
        assert rows_of(tmp_path / "grown", stage) == rows_of(tmp_path / "whole", stage)


def test_a_changed_file_is_another_run(tmp_path: Path, capsys: Capture, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    people = write_personas(tmp_path, *DESCRIPTIONS)
    make_run(tmp_path / "run", config(tmp_path, users=1, tasks=0, personas=people))
    before = contents(tmp_path / "run")
    write_personas(tmp_path, *reversed(DESCRIPTIONS))
    command = ["generate", "--users", "3", "--tasks-per-user", "0", "--seed", "4", "--out", "run"]
    assert main([*command, "--personas", str(people)]) == 2
    assert "personas is {" in capsys.readouterr().err
    assert main(command) == 2
    assert contents(tmp_path / "run") == before


def test_a_file_that_changes_under_a_run_is_noticed(tmp_path: Path) -> None:
    shop, people = write_json(tmp_path, catalogue()), write_personas(tmp_path, *DESCRIPTIONS)
    settings = config(tmp_path, catalogue=shop, personas=people)
    assert personas_of(settings)(1).ages == (34, 34)
    write_personas(tmp_path, *DESCRIPTIONS, "I am 20.")
    with pytest.raises(ConfigError, match="is not the file that the run was begun with"):
        personas_of(settings)
    entries = catalogue()
    entries[product_id(0)]["name"] = "Another Name"
    write_json(tmp_path, entries)
    with pytest.raises(ConfigError, match="is not the file that the run was begun with"):
        world_of(settings)


def broken_catalogue(folder: Path) -> list[str]:
    entries = catalogue()
    entries[product_id(3)]["packaging"]["nutrition_per_serving"]["fat_g"] = "much"
    return ["--catalogue", str(write_json(folder, entries))]


def small_catalogue(folder: Path) -> list[str]:
    return ["--catalogue", str(write_json(folder, dict(list(catalogue().items())[:30])))]


def broken_personas(folder: Path) -> list[str]:
    return ["--personas", str(write_personas(folder, "I am 34.", "A 9-year-old girl."))]


def few_personas(folder: Path) -> list[str]:
    return ["--personas", str(write_personas(folder, "I am 34."))]


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (broken_catalogue, f"product '{product_id(3)}': packaging.nutrition_per_serving.fat_g: 'much' is not a number"),
        (small_catalogue, "30 products are in a category of 3 or more"),
        (broken_personas, "line 2: persona: says an age of 9"),
        (few_personas, "1 personas for 2 users"),
    ],
)
def test_a_broken_file_ends_with_2_and_writes_nothing(
    make: Callable[[Path], list[str]], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: Capture
) -> None:
    given = make(tmp_path)
    monkeypatch.chdir(tmp_path)
    before = sorted(tmp_path.rglob("*"))
    assert main(["generate", "--users", "2", "--tasks-per-user", "2", "--out", "run", *given]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert said in captured.err
    assert len(captured.err.splitlines()) == 1
    assert sorted(tmp_path.rglob("*")) == before


def test_what_was_found_in_the_files_is_told_in_a_line_each(tmp_path: Path) -> None:
    shop, people = write_json(tmp_path, catalogue()), write_personas(tmp_path, *DESCRIPTIONS)
    first, second = look_through(config(tmp_path, users=3, catalogue=shop, personas=people))
    assert first.startswith(f"{shop}: 60 products of 3 brands in 6 categories; ")
    assert second == f"{people}: 3 descriptions, 15 facts taken from them, 0 left out, 0 without any"
    assert list(look_through(config(tmp_path))) == []


def test_look_says_what_would_be_taken(tmp_path: Path, capsys: Capture) -> None:
    shop, people = (
        write_json(tmp_path, catalogue()),
        write_personas(tmp_path, *DESCRIPTIONS, "He was vegan.", "I am 34. I am 35."),
    )
    before = sorted(tmp_path.rglob("*"))
    assert main(["look", "--catalogue", str(shop), "--personas", str(people)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{shop}: 60 products of 3 brands in 6 categories; ")
    assert "line 2: age.from 34, age.to 34, dietary_restrictions vegan" in lines
    assert lines[-3:] == ["line 4: gender male", "line 5: nothing is taken", "  left out: age: said as 34 and as 35"]
    assert sorted(tmp_path.rglob("*")) == before
    assert main(["look"]) == 2
    assert main(["look", "--catalogue", str(people)]) == 2
    assert "is no known form of a catalogue" in capsys.readouterr().err


@pytest.mark.slow
@pytest.mark.skipif(not REAL.is_file(), reason="the published catalogue is not here")
def test_eight_users_with_twenty_tasks_each_live_in_the_published_catalogue(tmp_path: Path, capsys: Capture) -> None:
    make_run(tmp_path / "run", config(tmp_path, users=8, tasks=20, catalogue=REAL))
    assert len(rows_of(tmp_path / "run", "tasks")) == 160
    assert [row["check"] for row in rows_of(tmp_path / "run", "rejects") if row["stage"] != "tasks"] == [
        row["check"] for row in rows_of(tmp_path / "run", "rejects") if str(row["check"]).startswith("selection.")
    ]
    assert verify(tmp_path / "run") == 0
    assert "verified 160 of 160" in capsys.readouterr().out
