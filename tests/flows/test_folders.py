"""A folder of another kind than a command works on, or a place inside one, is refused and nothing is written."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.cli import main
from flows.folders import Kind, expect, kind_of
from flows.store import open_run
from tests.flows.hollow import config_of
from tests.flows.test_rollout import roll_out
from tests.nonempty import nonempty

Capture = pytest.CaptureFixture[str]
Folders = dict[str, Path]


@pytest.fixture(scope="module")
def folders(finished: Path, released: Path, tmp_path_factory: pytest.TempPathFactory) -> Folders:
    root = tmp_path_factory.mktemp("folders")
    roll_out(finished, root / "rollout", {"subset.tasks": 1})
    (root / "other").mkdir()
    (root / "other" / "notes.txt").write_text("mine")
    (root / "file").write_text("mine")
    places = {"run": finished, "release": released, "nowhere": root / "nowhere"}
    return {**places, **{name: root / name for name in ("rollout", "other", "file")}}


def contents(folders: Folders) -> dict[Path, bytes]:
    files = (file for root in folders.values() for file in [root, *root.rglob("*")] if file.is_file())
    return {file: file.read_bytes() for file in nonempty(sorted(files)) if file.name != ".lock"}


def test_a_folder_is_known_by_its_manifest(folders: Folders) -> None:
    kinds: list[Kind] = ["run", "release", "rollout"]
    for kind in kinds:
        assert kind_of(folders[kind]) == kind
        expect(folders[kind], kind)
    assert [kind_of(folders[name]) for name in ("other", "file", "nowhere")] == [None] * 3


SAYS = {
    "run": "is a run, and",
    "release": "is a release, and",
    "rollout": "is a rollout, and",
    "other": "has no manifest.json",
    "file": "is a file; give the folder of",
    "nowhere": "there is no folder",
}
READS: list[tuple[list[str], str]] = [
    (["rollout", "{}", "--out", "{out}"], "run release"),
    (["play", "{}"], "run release"),
    (["verify", "{}"], "run release"),
    (["explain", "{}"], "run rollout"),
    (["inspect", "{}"], "run"),
    (["report", "{}", "--out", "{out}"], "run"),
    (["show", "{}", "0"], "run"),
    (["release", "build", "{}", "--version", "1.0.0", "--out", "{out}"], "run"),
    (["release", "build", "{run}", "--version", "1.0.0", "--out", "{out}", "--previous", "{}"], "release"),
    (["release", "build", "{run}", "--version", "1.0.0", "--out", "{out}", "--trajectories", "{}"], "rollout"),
    (["evaluate", "{}"], "rollout"),
    (["evaluate", "{rollout}", "--run", "{}"], "run release"),
    (["leaderboard", "{rollout}", "{}"], "rollout"),
    (["rewrite", "{}", "--writer", "openai/tiny", "--out", "{out}"], "run"),
    (["export", "{}", "--format", "trl", "--out", "{out}"], "rollout"),
    (["export", "{rollout}", "--format", "trl", "--out", "{out}", "--run", "{}"], "run release"),
]


@pytest.mark.parametrize(("command", "wanted"), READS, ids=[" ".join(command) for command, _ in READS])
def test_a_folder_of_another_kind_is_named_and_what_is_wanted(
    command: list[str], wanted: str, folders: Folders, tmp_path: Path, capsys: Capture
) -> None:
    for kind, said in SAYS.items():
        if kind in wanted.split():
            continue
        names = {**{name: str(path) for name, path in folders.items()}, "out": str(tmp_path / "out")}
        arguments = [part.format(str(folders[kind]), **names) for part in command]
        assert main(arguments) == 2, kind
        captured = capsys.readouterr()
        assert captured.out == ""
        assert str(folders[kind]) in captured.err
        assert said in captured.err
        assert len(captured.err.splitlines()) == 1
        assert all(f"a {name}" in captured.err for name in wanted.split()) or kind in ("nowhere", "other")
        assert list(tmp_path.iterdir()) == []


WRITES: list[tuple[list[str], str, str]] = [
    (["rollout", "{run}", "--out"], "rollout", "--out"),
    (["rollout", "{run}", "--fresh", "--out"], "rollout", "--out"),
    (["generate", "--users", "1", "--out"], "run", "--out"),
    (["rewrite", "{run}", "--writer", "openai/tiny", "--out"], "run", "--out"),
    (["release", "build", "{run}", "--version", "1.0.0", "--out"], "release", "--out"),
    (["export", "{rollout}", "--format", "trl", "--out"], "", "--out"),
    (["play", "{run}", "--save"], "", "--save"),
]


@pytest.mark.parametrize(("command", "own", "option"), WRITES, ids=[" ".join(command) for command, _, _ in WRITES])
def test_nothing_is_written_into_a_folder_of_another_kind_or_inside_one(
    command: list[str], own: str, option: str, folders: Folders, capsys: Capture
) -> None:
    before = contents(folders)
    asked = [part.format(**{name: str(path) for name, path in folders.items()}) for part in command]
    for kind in ("run", "release", "rollout"):
        inside = folders[kind] / "new" / "place"
        assert main([*asked, str(inside)]) == 2
        assert f"{option} {inside} lies inside the {kind} {folders[kind]}" in capsys.readouterr().err
        if kind != own:
            assert main([*asked, str(folders[kind])]) == 2
            assert f"{option} {folders[kind]} is a {kind} already" in capsys.readouterr().err
        assert contents(folders) == before
        assert not inside.parent.exists()


def test_a_damaged_manifest_is_told_by_who_reads_it(tmp_path: Path, capsys: Capture) -> None:
    (tmp_path / "manifest.json").write_text("{")
    for command, said in (
        (["rollout", str(tmp_path), "--out", str(tmp_path.parent / "never")], "is damaged"),
        (["evaluate", str(tmp_path)], "is no manifest of a rollout"),
    ):
        assert main(command) in (1, 2)
        assert said in capsys.readouterr().err
    with open_run(tmp_path.with_name("run"), config_of(2, 13)) as run:
        assert kind_of(run.root) == "run"
