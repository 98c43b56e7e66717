"""The changelog: computed from what differs between two releases."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from publishing.changelog import Previous, write_changelog
from publishing.errors import ReleaseError
from publishing.manifest import read_manifest
from publishing.release import build_release
from tests.publishing import small_run


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("first")
    run = small_run.make(root, users=2, tasks=2)
    return build_release(run, "1.0.0", root / "out").folder


def test_the_first_version_is_the_first_release(first: Path) -> None:
    text = (first / "CHANGELOG.md").read_text()
    assert text.endswith("\n## 1.0.0\n\n- first release: 2 users, 4 tasks\n")


def test_a_later_version_says_what_was_added_and_keeps_the_history(first: Path, tmp_path: Path) -> None:
    run = small_run.make(tmp_path, users=3, tasks=2)
    out = build_release(run, "1.1.0", tmp_path / "out", previous=first).folder
    text = (out / "CHANGELOG.md").read_text()
    assert "- 3 users, 6 tasks (before, in 1.0.0: 2 users, 4 tasks)\n" in text
    assert "- `gold`: 2 added, 4 unchanged\n" in text
    assert "- `users`: 1 added, 2 unchanged\n" in text
    assert "`tools`" not in text
    assert text.index("## 1.1.0") < text.index("## 1.0.0")
    assert text.count("first release") == 1


def test_removed_and_changed_records_and_columns_are_told(first: Path, tmp_path: Path) -> None:
    older = tmp_path / "older"
    shutil.copytree(first, older)
    manifest = read_manifest(older)
    gold, users = manifest.configs["gold"], manifest.configs["users"]
    configs = {
        **manifest.configs,
        "gold": gold.model_copy(update={"schema_sha256": "0" * 64}),
        "users": users.model_copy(update={"splits": {}}),
    }
    del configs["scripts"]
    origin = manifest.run.model_copy(update={"generator_version": "another", "seed": 1})
    previous = Previous(older, manifest.model_copy(update={"configs": configs, "run": origin}))
    text = write_changelog(first, manifest.model_copy(update={"version": "2.0.0"}), previous)
    assert "- made with another seed, generator version\n" in text
    assert "- `gold`: the form of its rows changed, see `schemas/gold.json`\n" in text
    assert "- `scripts`: new config\n" in text
    assert "- `users`: 2 unchanged\n" in text


def test_fewer_records_are_told_as_removed(first: Path, tmp_path: Path) -> None:
    run = small_run.make(tmp_path, users=1, tasks=1)
    out = build_release(run, "2.0.0", tmp_path / "out", previous=first).folder
    text = (out / "CHANGELOG.md").read_text()
    assert "- `tasks`: 1 unchanged, 3 removed\n" in text
    assert "- `environments`: 1 unchanged, 1 removed\n" in text


@pytest.mark.parametrize("version", ["1.0.0", "0.9.0", "1.0.0-rc.1"])
def test_the_version_must_grow(first: Path, tmp_path: Path, version: str) -> None:
    run = small_run.make(tmp_path, users=1, tasks=1)
    with pytest.raises(ReleaseError, match=r"must be later than 1\.0\.0"):
        build_release(run, version, tmp_path / "out", previous=first)
