"""Rollout folders: what is written comes back, what differs is refused, and what is missing is made."""

from __future__ import annotations

import asyncio
from pathlib import Path

import orjson
import pyarrow.parquet as pq
import pytest

from flows.errors import BudgetError, ConfigError, StoreError, UnreachableError
from flows.rollout_config import differences
from flows.rollout_engine import PATIENCE, Player, Underway, in_order, make_parts
from flows.rollout_shards import GROUP, Part, Scored, from_row, read_name, to_row
from flows.rollout_store import RolloutFolder, load_rollout, open_rollout, read_rollout
from llm.errors import BudgetReached
from schemas.base import canonical
from schemas.models import Tally, Usage
from schemas.rollout import RolloutConfig
from tests.flows.rollouts import FakePlayer, Job, config_of, shard_bytes, trajectory_of

BLOCKS = {0: 3, 2: 3}


def make(root: Path, config: RolloutConfig, player: Player[Job], underway: Underway | None = None) -> int:
    """Make everything that is missing, and return how many shards were written."""
    with open_rollout(root, config, BLOCKS) as rollout:
        missing = rollout.missing()
        try:
            return asyncio.run(make_parts(root, config, player, missing, underway or Underway()))
        finally:
            rollout.collect(missing)
            rollout.save()


def test_a_row_gives_its_trajectory_back() -> None:
    for end in ("done", "user_stopped", "user_fault"):
        trajectory = trajectory_of(end=end)
        row = to_row(trajectory)
        assert canonical(from_row(row)) == canonical(trajectory)
        assert row["end"] == end
        assert orjson.loads(str(row["events_json"]))[1]["result"] == {"cost": 25, "name": "crème"}


def test_names_of_shards_are_read_back() -> None:
    part = Part(12, 3)
    assert part.path == "trajectories/block-00012-k03.parquet"
    assert read_name("block-00012-k03.parquet") == part
    assert read_name("block-12.parquet") is None


def test_all_trajectories_come_back_attempt_after_attempt(tmp_path: Path) -> None:
    assert make(tmp_path / "r", config_of(k=2), FakePlayer(3)) == 4
    found = [t.trajectory_id for t in read_rollout(tmp_path / "r")]
    users = ("u000000", "u000020")
    assert found == [f"{u}-t{t:05d}-k{k:02d}" for k in range(2) for u in users for t in range(3)]
    known = load_rollout(tmp_path / "r")
    assert known is not None
    assert (known.complete, known.wanted, known.counts.trajectories, known.counts.passed) == (True, 12, 12, 12)
    assert known.counts.columns["pause.f1"].value == 0.5


def test_a_long_shard_is_written_group_by_group_and_read_back(tmp_path: Path) -> None:
    config = config_of()
    with open_rollout(tmp_path / "r", config, {0: GROUP * 2 + 1}) as rollout:
        asyncio.run(make_parts(rollout.root, config, FakePlayer(GROUP * 2 + 1), rollout.missing(), Underway()))
        assert rollout.collect(rollout.missing()) == []
        rollout.save()
    assert pq.ParquetFile(tmp_path / "r" / Part(0, 0).path).num_row_groups == 3
    assert len(list(read_rollout(tmp_path / "r"))) == GROUP * 2 + 1


def test_the_same_again_makes_nothing_and_more_attempts_only_add(tmp_path: Path) -> None:
    make(tmp_path / "r", config_of(), FakePlayer(3))
    before = shard_bytes(tmp_path / "r")
    again = FakePlayer(3)
    assert make(tmp_path / "r", config_of(), again) == 0
    assert again.played == []
    assert make(tmp_path / "r", config_of(k=2), FakePlayer(3)) == 2
    assert before.items() < shard_bytes(tmp_path / "r").items()
    make(tmp_path / "whole", config_of(k=2), FakePlayer(3))
    assert shard_bytes(tmp_path / "whole") == shard_bytes(tmp_path / "r")


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"seed": 1}, "seed is 0, asked 1"),
        ({"budget": {"turns": 7}}, "budget.turns is 40, asked 7"),
        ({"assistant": "oracle:detour"}, "assistant is 'oracle', asked 'oracle:detour'"),
        ({"source": {"path": "run", "digest": "1" * 64}}, "source is"),
        ({"k": 1}, "k is 2 and can only grow, asked 1"),
    ],
)
def test_another_rollout_in_the_folder_is_refused(tmp_path: Path, changes: dict[str, object], said: str) -> None:
    make(tmp_path / "r", config_of(k=2), FakePlayer(3))
    before = shard_bytes(tmp_path / "r")
    with (
        pytest.raises(ConfigError, match=said.replace(".", r"\.")),
        open_rollout(tmp_path / "r", config_of(**{"k": 2, **changes}), BLOCKS),
    ):
        pass
    assert shard_bytes(tmp_path / "r") == before


def test_fresh_deletes_what_the_rollout_owns_and_nothing_else(tmp_path: Path) -> None:
    make(tmp_path / "r", config_of(), FakePlayer(3))
    (tmp_path / "r" / "notes.txt").write_text("mine")
    with open_rollout(tmp_path / "r", config_of(seed=1), BLOCKS, fresh=True) as rollout:
        assert len(rollout.missing()) == 2
        assert (rollout.root / "notes.txt").read_text() == "mine"


def test_a_folder_with_something_else_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(ConfigError, match="holds no rollout"), open_rollout(tmp_path, config_of(), BLOCKS):
        pass
    assert [file.name for file in tmp_path.iterdir()] == ["notes.txt"]


def test_two_processes_do_not_write_at_once(tmp_path: Path) -> None:
    with (
        open_rollout(tmp_path / "r", config_of(), BLOCKS),
        pytest.raises(ConfigError, match="another process"),
        open_rollout(tmp_path / "r", config_of(), BLOCKS),
    ):
        pass


def test_an_altered_file_is_noticed(tmp_path: Path) -> None:
    make(tmp_path / "r", config_of(), FakePlayer(3))
    file = tmp_path / "r" / Part(0, 0).path
    file.write_bytes(file.read_bytes()[:-1] + b"x")
    with pytest.raises(StoreError, match="SHA-256"):
        list(read_rollout(tmp_path / "r"))


def test_half_a_shard_is_never_there(tmp_path: Path) -> None:
    class Breaking(FakePlayer):
        async def play(self, job: Job) -> Scored:
            if job == Job(Part(2, 0), 1):
                raise RuntimeError("broke")
            return await super().play(job)

    with pytest.raises(RuntimeError, match="broke"):
        make(tmp_path / "r", config_of(), Breaking(3))
    assert list(shard_bytes(tmp_path / "r")) == ["block-00000-k00.parquet"]
    again = FakePlayer(3)
    assert make(tmp_path / "r", config_of(), again) == 1
    assert {job.part for job in again.played} == {Part(2, 0)}


def test_conversations_side_by_side_are_written_in_order(tmp_path: Path) -> None:
    class Uneven(FakePlayer):
        running = 0
        most = 0

        async def play(self, job: Job) -> Scored:
            self.running += 1
            self.most = max(self.most, self.running)
            await asyncio.sleep(0.02 if job.number == 0 else 0.001)
            self.running -= 1
            return await super().play(job)

    player = Uneven(3, width=4)
    make(tmp_path / "wide", config_of(k=2), player)
    make(tmp_path / "one", config_of(k=2), FakePlayer(3))
    assert player.most == 4
    assert shard_bytes(tmp_path / "wide") == shard_bytes(tmp_path / "one")


def test_few_conversations_are_begun_ahead_of_a_long_one() -> None:
    begun: list[int] = []

    async def play(job: int) -> int:
        begun.append(job)
        await asyncio.sleep(0.05 if job == 0 else 0)
        return job

    async def run() -> None:
        async for job, found in in_order(iter(range(1000)), play, 4):
            assert job == found
            if job == 0:
                assert len(begun) <= 16

    asyncio.run(run())
    assert begun == list(range(1000))


def test_a_model_that_cannot_be_reached_stops_the_rollout_and_keeps_what_is_whole(tmp_path: Path) -> None:
    player = FakePlayer(3, lambda job: "infrastructure_error" if job.part.block else "done")
    config = config_of(k=4)
    with pytest.raises(UnreachableError, match="no answer"):
        make(tmp_path / "r", config, player)
    assert len(player.played) <= 3 * 4 + PATIENCE
    names = list(shard_bytes(tmp_path / "r"))
    assert "block-00000-k00.parquet" in names


def test_one_conversation_without_a_model_is_recorded_and_tried_again_the_next_time(tmp_path: Path) -> None:
    failing = FakePlayer(3, lambda job: "infrastructure_error" if job == Job(Part(0, 0), 1) else "done")
    assert make(tmp_path / "r", config_of(), failing) == 2
    known = load_rollout(tmp_path / "r")
    assert known is not None
    assert (known.complete, known.counts.ends) == (False, {"done": 5, "infrastructure_error": 1})
    assert known.counts.scored == 5
    again = FakePlayer(3)
    assert make(tmp_path / "r", config_of(), again) == 1
    assert {job.part for job in again.played} == {Part(0, 0)}
    known = load_rollout(tmp_path / "r")
    assert known is not None and known.complete


def test_a_budget_that_is_reached_ends_with_its_message(tmp_path: Path) -> None:
    class Spending(FakePlayer):
        async def play(self, job: Job) -> Scored:
            if job.part.block:
                raise BudgetReached("the budget is reached: --max-cost is 1\nrun again with a higher --max-cost")
            return await super().play(job)

    with pytest.raises(BudgetError, match="higher --max-cost") as error:
        make(tmp_path / "r", config_of(), Spending(3, width=3))
    assert error.value.exit_code == 4
    assert list(shard_bytes(tmp_path / "r")) == ["block-00000-k00.parquet"]


def test_usage_of_models_is_kept_from_call_to_call(tmp_path: Path) -> None:
    used = Tally(usage=Usage(calls=2, input_tokens=5, cost="0.5"), attempts=2)
    with open_rollout(tmp_path / "r", config_of(), BLOCKS) as rollout:
        rollout.usage = {"assistant": used}
        rollout.save()
    with open_rollout(tmp_path / "r", config_of(), BLOCKS) as rollout:
        assert Underway.after(rollout.usage).ledger.total().cost == "0.5"


def test_differences_are_named_by_dotted_keys() -> None:
    assert differences({"a": {"b": 1, "c": 2}}, {"a": {"b": 1, "c": 3}}) == ["a.c is 2, asked 3"]


def test_what_a_stop_left_out_is_missing(tmp_path: Path) -> None:
    config = config_of()
    with open_rollout(tmp_path / "r", config, BLOCKS) as rollout:
        stop = iter([False] * 4 + [True] * 9)
        parts = rollout.missing()
        assert asyncio.run(make_parts(rollout.root, config, FakePlayer(3), parts, Underway(), lambda: next(stop))) == 1
        assert missing_of(rollout) == [Part(2, 0)]


def missing_of(rollout: RolloutFolder) -> list[Part]:
    return rollout.collect(rollout.parts())
