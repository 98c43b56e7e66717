"""The run folder: what resumes, what grows, what is refused, and what is never deleted."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from flows.errors import ConfigError, StoreError
from flows.extents import Extent
from flows.manifest import load, own_digest
from flows.shards import write_shard
from flows.store import WORK, WORLD_FILE, companions, footer_of, manifest_of, open_run
from schemas.config import RunConfig
from tests.flows.hollow import config_of, contents, make_run, profile_rows, write_extent, write_world


def shards(root: Path) -> dict[str, bytes]:
    return {path: data for path, data in contents(root).items() if path.endswith(".parquet")}


def test_a_run_is_complete_when_everything_is_there(tmp_path: Path) -> None:
    make_run(tmp_path / "run", config_of(12, 20))
    known = manifest_of(tmp_path / "run")
    assert known.complete
    assert known.digest == own_digest(known)
    assert [entry.path for entry in known.files] == sorted(shards(tmp_path / "run"))


def test_opening_again_changes_no_byte(tmp_path: Path) -> None:
    make_run(tmp_path / "run", config_of())
    before = contents(tmp_path / "run")
    with open_run(tmp_path / "run", config_of()) as run:
        assert run.missing() == []
    assert contents(tmp_path / "run") == before


@pytest.mark.parametrize("files", range(5))
def test_a_run_killed_after_any_file_ends_like_one_that_was_not(tmp_path: Path, files: int) -> None:
    config = config_of(12, 20)
    make_run(tmp_path / "whole", config)
    with open_run(tmp_path / "killed", config) as run:
        write_world(run)
        write_extent(run, Extent(10, 12, 0, 20))
        write_extent(run, Extent(0, 10, 0, 20), files)
        (run.root / "tasks").mkdir(exist_ok=True)
        (run.root / "tasks" / ".block-00000-u000000-000010-t00000-00020.parquet.7.part").write_bytes(b"half")
        (run.root / WORK / "block-x").mkdir(parents=True)
    with open_run(tmp_path / "killed", config) as run:
        made = [Extent(10, 12, 0, 20), *([Extent(0, 10, 0, 20)] if files == 4 else ())]
        assert run.done == {user: extent for extent in made for user in extent.users}
        assert set(shards(run.root)) == set(run.entries)
    make_run(tmp_path / "killed", config)
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")


def test_without_a_readable_list_the_manifest_is_made_from_the_shards(tmp_path: Path) -> None:
    config = config_of()
    with open_run(tmp_path / "run", config) as run:
        write_world(run)
        write_extent(run, Extent(0, 8, 0, 20))
    assert not manifest_of(tmp_path / "run").complete
    with open_run(tmp_path / "run", config) as run:
        assert run.save().complete
        assert run.funnel().of("tasks").made == 3


def test_an_extent_of_another_cut_does_not_double_users(tmp_path: Path) -> None:
    with open_run(tmp_path / "run", config_of(8, 20)) as run:
        write_extent(run, Extent(0, 8, 0, 20), files=2)
    make_run(tmp_path / "run", config_of(16, 20))
    users = [path for path in shards(tmp_path / "run") if path.startswith("users/")]
    assert users == ["users/block-00000-u000000-000010.parquet", "users/block-00001-u000010-000016.parquet"]


@pytest.mark.parametrize("sizes", list(itertools.pairwise([(8, 0), (8, 20), (8, 35), (16, 35), (23, 140)])))
def test_growing_only_adds(tmp_path: Path, sizes: tuple[tuple[int, int], tuple[int, int]]) -> None:
    make_run(tmp_path / "run", config_of(*sizes[0]))
    before = shards(tmp_path / "run")
    make_run(tmp_path / "run", config_of(*sizes[1]))
    after = shards(tmp_path / "run")
    assert before.items() <= after.items()
    assert manifest_of(tmp_path / "run").complete


def test_a_lost_first_extent_is_made_again_with_all_that_stood_on_it(tmp_path: Path) -> None:
    make_run(tmp_path / "run", config_of(8, 20))
    make_run(tmp_path / "run", config_of(8, 40))
    before = shards(tmp_path / "run")
    (tmp_path / "run" / companions(Extent(0, 8, 0, 20))[0]).unlink()
    with open_run(tmp_path / "run", config_of(8, 40)) as run:
        assert run.done == {}
        assert set(shards(run.root)) == {WORLD_FILE}
    make_run(tmp_path / "run", config_of(8, 40))
    assert len(shards(tmp_path / "run")) == 5 < len(before)


@pytest.mark.parametrize(
    ("config", "said"),
    [
        (config_of(8, 20, "seed=9"), r"seed is 20260101, asked 9"),
        (config_of(8, 20, "products=400"), r"products is 360, asked 400"),
        (config_of(7, 20), r"users is 8 and can only grow, asked 7"),
        (config_of(8, 19), r"tasks_per_user is 20 and can only grow, asked 19"),
    ],
)
def test_any_other_difference_is_refused_by_name(tmp_path: Path, config: RunConfig, said: str) -> None:
    make_run(tmp_path / "run", config_of())
    before = contents(tmp_path / "run")
    with pytest.raises(ConfigError, match=said), open_run(tmp_path / "run", config):
        pass
    assert contents(tmp_path / "run") == before


def test_another_generator_is_refused_by_the_part_that_changed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_run(tmp_path / "run", config_of())
    monkeypatch.setattr(
        "flows.store.generator_parts", lambda: {**manifest_of(tmp_path / "run").generator, "services": "x"}
    )
    with pytest.raises(ConfigError, match="generator part services changed"), open_run(tmp_path / "run", config_of()):
        pass


def test_workers_out_and_logging_may_differ(tmp_path: Path) -> None:
    make_run(tmp_path / "run", config_of())
    before = shards(tmp_path / "run")
    make_run(tmp_path / "run", config_of(8, 20, "workers=2", "out=x", "logging.level=debug"))
    assert shards(tmp_path / "run") == before


def test_a_folder_that_is_no_run_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "letter.txt").write_text("dear")
    for fresh in (False, True):
        with pytest.raises(ConfigError, match="holds no run"), open_run(tmp_path, config_of(), fresh=fresh):
            pass
    assert contents(tmp_path) == {"letter.txt": b"dear"}


def test_fresh_deletes_what_the_run_owns_and_nothing_else(tmp_path: Path) -> None:
    root = tmp_path / "run"
    make_run(root, config_of())
    foreign = {
        "tasks/notes.txt": b"mine",
        "tasks/block-00007-u000070-000080-t00000-00020.parquet": b"mine too",
        "x": b"y",
    }
    for path, data in foreign.items():
        (root / path).write_bytes(data)
    other = config_of(8, 20, "seed=2")
    stray = Extent(20, 22, 0, 20)
    kept = write_shard(root, companions(stray)[0], profile_rows(stray), footer_of(other, "users", stray))
    with pytest.raises(StoreError, match="block-00007"), open_run(root, config_of(4, 5), fresh=True):
        pass
    left = contents(root)
    assert foreign.items() <= left.items()
    assert set(shards(root)) == {kept.path, "tasks/block-00007-u000070-000080-t00000-00020.parquet"}


def test_fresh_starts_with_other_settings(tmp_path: Path) -> None:
    make_run(tmp_path / "run", config_of())
    with open_run(tmp_path / "run", config_of(4, 5, "seed=3"), fresh=True) as run:
        assert shards(run.root) == {}
        assert run.missing() == [[Extent(0, 4, 0, 5)]]


def test_a_shard_of_another_run_is_refused(tmp_path: Path) -> None:
    make_run(tmp_path / "run", config_of())
    stray = Extent(8, 9, 0, 20)
    footer = footer_of(config_of(8, 20, "seed=2"), "users", stray)
    write_shard(tmp_path / "run", companions(stray)[0], profile_rows(stray), footer)
    with pytest.raises(ConfigError, match="belongs to another run"), open_run(tmp_path / "run", config_of()):
        pass


def test_two_processes_never_write_to_one_run(tmp_path: Path) -> None:
    with (
        open_run(tmp_path / "run", config_of()),
        pytest.raises(ConfigError, match="another process"),
        open_run(tmp_path / "run", config_of()),
    ):
        pass


def test_a_damaged_manifest_is_named(tmp_path: Path) -> None:
    make_run(tmp_path / "run", config_of())
    (tmp_path / "run" / "manifest.json").write_text("{")
    with pytest.raises(StoreError, match=r"manifest\.json"):
        load(tmp_path / "run")
