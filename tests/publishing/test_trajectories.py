"""Recorded conversations in a release: whole, apart from what an assistant may see, and carried out again."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from flows.comparing import Fault
from flows.rollout_tasks import RunTasks
from flows.trajectory_faults import trajectory_faults
from flows.verification import verify
from generators.dialogue.messages import messages_of
from publishing.errors import ReleaseError
from publishing.manifest import MANIFEST, manifest_bytes, read_manifest, sealed
from publishing.parquet import read_rows
from publishing.reader import check_files, open_release
from publishing.release import build_release
from publishing.resealing import reseal
from publishing.trajectories import Recorded, RolloutOrigin, row_of, trajectory_of
from schemas.base import canonical, canonical_text
from schemas.rollout import Subset
from schemas.trajectory import Trajectory
from tests.nonempty import nonempty
from tests.publishing.exports.talks import called, talk
from tests.publishing.recorded import ROLLOUTS, recorded
from validators.scoring.score import score
from validators.tasks import TaskContext, UserContext

Row = dict[str, Any]


def test_a_trajectory_comes_back_as_it_was(run: Path, release: Path) -> None:
    given = {f"{t.trajectory_id}-{rollout}": t for rollout, t in recorded(run).trajectories()}
    rows = nonempty(open_release(release).trajectories())
    for row in rows:
        trajectory = given.pop(str(row["trajectory_id"]))
        assert canonical(trajectory_of(row)) == canonical(trajectory)
        assert isinstance(trajectory_of(row), Trajectory)
        wanted = messages_of(trajectory)
        found: Any = row["messages"]
        assert [(m["role"], m["content"]) for m in found] == [(m["role"], m["content"] or "") for m in wanted]
        assert [[c["arguments"] for c in m["tool_calls"]] for m in found] == [
            [c["function"]["arguments"] for c in m.get("tool_calls") or []]  # type: ignore[index,union-attr]
            for m in wanted
        ]
        assert all(m["name"] and m["tool_call_id"] for m in found if m["role"] == "tool")
        assert row["passed"] is (trajectory.score is not None and trajectory.score.passed)
    assert given == {}
    assert {row["assistant_usage"]["cost"] for row in rows} == {"0", ""}  # type: ignore[index]


def test_the_card_and_the_manifest_say_what_was_played(release: Path) -> None:
    manifest = read_manifest(release)
    assert [one.rollout for one in manifest.rollouts] == list(ROLLOUTS)
    rows = list(open_release(release).trajectories())
    for one in manifest.rollouts:
        assert Counter(row["end"] for row in rows if row["rollout"] == one.rollout) == one.ends
    card = (release / "README.md").read_text("utf-8")
    assert "| `aaaaaaaa` | oracle | scripted | 1 | 16 | 16 of 16 (100.0 %) | done 16 |" in card
    assert "| `bbbbbbbb` | some/model | scripted | 1 | 16 | 0 of 8 (0.0 %) | done 8, user_fault 8 |" in card
    assert "never an assistant under test" in card
    assert "32 trajectories" in (release / "CHANGELOG.md").read_text("utf-8")


def test_a_release_without_trajectories_says_nothing_of_them(run: Path, tmp_path: Path) -> None:
    build_release(run, "1.0.0", tmp_path / "plain")
    assert "`trajectories`" not in (tmp_path / "plain" / "README.md").read_text("utf-8")
    assert not (tmp_path / "plain" / "data" / "trajectories").exists()
    # Built in its place with other trajectories it would be another release.
    with pytest.raises(ReleaseError, match="with other trajectories; a release is never overwritten"):
        build_release(run, "1.0.0", tmp_path / "plain", recorded=recorded(run, users=1))


def test_built_again_the_bytes_are_the_same(run: Path, tmp_path: Path) -> None:
    for name in ("one", "other"):
        build_release(run, "1.0.0", tmp_path / name, recorded=recorded(run, users=1))
    one, other = (
        {p.relative_to(tmp_path / name): p.read_bytes() for p in (tmp_path / name).rglob("*") if p.is_file()}
        for name in ("one", "other")
    )
    assert one == other


@pytest.fixture(scope="module")
def real_release(real_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The release of a real run with two conversations on each of three tasks, under the scores that they get."""
    found = list(_scored(real_run))
    counts = Counter(t.end for t in found)
    origin = RolloutOrigin(
        rollout="cccccccc",
        assistant="says",
        user="replies",
        attempts=2,
        seed=0,
        settings_sha256="c" * 64,
        generator_version="1" * 64,
        trajectories=len(found),
        passed=sum(t.score is not None and t.score.passed for t in found),
        ends=dict(counts),
    )
    recorded = Recorded(
        origins=[origin],
        users=lambda: (t.user_id for t in found),
        trajectories=lambda: (("cccccccc", t) for t in found),
    )
    out = tmp_path_factory.mktemp("with-trajectories") / "out"
    return build_release(real_run, "1.0.0", out, recorded=recorded).folder


def _scored(run: Path) -> Iterator[Trajectory]:
    tasks = RunTasks(run, Subset())
    (user,) = tasks.block(0, 3)
    context = UserContext(user.environment, tasks.world())
    for task in user.tasks:
        here = TaskContext(context, task)
        wrong = [called(("get_system_settings", "no JSON"), ("get_system_settings", {}))]
        for attempt, before in enumerate(([], wrong)):
            made = talk(task, before, env=here.open(), attempt=attempt)
            made = made.changed({"trajectory_id": f"{task.task_id}-k{attempt:02d}"})
            yield made.changed({"score": score(here, made)})


def test_every_trajectory_of_a_release_is_carried_out_again(
    real_release: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert verify(real_release, fast=True) == 0
    assert capsys.readouterr().out == "verified 10 of 10\nverified 6 of 6 trajectories\n"


def in_json(column: str, change: Callable[[Any], None]) -> Callable[[Row], None]:
    def apply(row: Row) -> None:
        content = orjson.loads(row[column])
        change(content)
        assert canonical_text(content) != row[column]
        row[column] = canonical_text(content)

    return apply


def consistent(change: Callable[[Trajectory], Trajectory]) -> Callable[[Row], None]:
    """A change of the trajectory itself, so that all columns of the row agree."""

    def apply(row: Row) -> None:
        row.update(row_of(row["rollout"], change(trajectory_of(row))))

    return apply


def other_result(trajectory: Trajectory) -> Trajectory:
    at = next(at for at, event in enumerate(trajectory.events) if event.event == "did")
    events = list(trajectory.events)
    events[at] = events[at].model_copy(update={"result": {"made": "up"}})
    return trajectory.changed({"events": events})


def other_arguments(trajectory: Trajectory) -> Trajectory:
    at = next(at for at, event in enumerate(trajectory.events) if event.event == "did" and event.arguments is None)
    events = list(trajectory.events)
    events[at] = events[at].model_copy(update={"arguments": {}})
    return trajectory.changed({"events": events})


def other_hash(trajectory: Trajectory) -> Trajectory:
    at = max(at for at, event in enumerate(trajectory.events) if event.event == "did")
    events = list(trajectory.events)
    events[at] = events[at].model_copy(update={"state_hash": "0" * 32})
    return trajectory.changed({"events": events})


def other_score(trajectory: Trajectory) -> Trajectory:
    assert trajectory.score is not None
    return trajectory.changed({"score": trajectory.score.changed({"passed": not trajectory.score.passed})})


def other_message(row: Row) -> None:
    row["messages"][1]["content"] += "!"


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (consistent(other_result), "trajectory.platform: event"),
        (consistent(other_arguments), "trajectory.platform: event"),
        (consistent(other_hash), "trajectory.replay: event"),
        (consistent(lambda t: t.changed({"end_hash": "0" * 32})), "trajectory.replay: it ends at"),
        (consistent(lambda t: t.changed({"start_hash": "0" * 32})), "trajectory.form: its start_hash is"),
        (consistent(other_score), "trajectory.score: passed is"),
        (consistent(lambda t: t.changed({"score": None})), "trajectory.score: it has no score"),
        (consistent(lambda t: t.changed({"task_id": "u000000-t00999"})), "trajectory.task: there is no task"),
        (other_message, "trajectory.columns"),
        (in_json("events_json", lambda events: events[0].update(text="Other words.")), "trajectory.columns"),
        (in_json("events_json", lambda events: events[0].update(event="unknown")), "trajectory.form"),
        (lambda row: row.update(end="budget"), "trajectory.counts"),
    ],
)
def test_what_was_altered_is_found(
    real_release: Path, tmp_path: Path, change: Callable[[Row], None], told: str
) -> None:
    folder = altered(real_release, tmp_path, change)
    lines = [fault.line() for fault in faults_of(folder)]
    assert any(told in line for line in lines)
    assert len({fault.record for fault in faults_of(folder)} - {"cccccccc"}) == 1


def test_verifying_finds_what_was_altered_when_the_checksums_were_renewed(
    real_release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = altered(real_release, tmp_path, consistent(other_score))
    reseal(folder)
    assert check_files(folder) == []
    assert verify(folder, fast=True) == 1
    out = capsys.readouterr().out
    assert "trajectory.score: passed is" in out
    assert out.endswith("verified 10 of 10\nverified 5 of 6 trajectories\n")


def altered(release: Path, tmp_path: Path, change: Callable[[Row], None]) -> Path:
    """A copy of a release in which one trajectory is another one."""
    folder = tmp_path / "altered"
    shutil.copytree(release, folder)
    (path,) = (folder / "data" / "trajectories").glob("*.parquet")
    rows = list(read_rows(path))
    change(rows[3])
    pq.write_table(pa.Table.from_pylist(rows, pq.read_schema(path)), path)
    return folder


def faults_of(folder: Path) -> list[Fault]:
    release = open_release(folder)
    (world,) = release.worlds()
    return [fault for _, faults in trajectory_faults(release, world) for fault in faults]


def test_a_trajectory_that_was_taken_away_is_missed(real_release: Path, tmp_path: Path) -> None:
    folder = tmp_path / "altered"
    shutil.copytree(real_release, folder)
    manifest = read_manifest(folder)
    fewer = [one.model_copy(update={"trajectories": 7}) for one in manifest.rollouts]
    other = sealed(manifest.model_copy(update={"rollouts": fewer}))
    (folder / MANIFEST).write_bytes(manifest_bytes(other))
    assert [(fault.record, fault.check) for fault in faults_of(folder)] == [("cccccccc", "trajectory.counts")]
