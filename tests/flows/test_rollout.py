"""Rollouts of a real run: the oracle passes everything, again and again with the same bytes."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from flows.errors import ConfigError
from flows.rollout_config import folder_name, resolve
from flows.rollout_engine import Underway, make_parts
from flows.rollout_evaluate import evaluate
from flows.rollout_players import playing
from flows.rollout_shards import Part, from_row, read_shard, to_row, writing
from flows.rollout_store import footer_of, load_rollout, open_rollout, read_rollout
from flows.rollout_tasks import blocks_of, open_tasks
from schemas.base import Json
from schemas.rollout import RolloutConfig
from tests.flows.rollouts import shard_bytes


def roll_out(run: Path, root: Path, options: dict[str, Json] | None = None) -> RolloutConfig:
    """Play what is missing of a rollout, without Prefect."""
    config = resolve(run, options=options)
    blocks = blocks_of(open_tasks(run, config.subset), config.subset)

    with open_rollout(root, config, blocks) as rollout:
        missing, underway = rollout.missing(), Underway.after(rollout.usage)

        async def play() -> None:
            sizes = {part: blocks[part.block] for part in missing}
            async with playing(root, config, sizes, underway.ledger) as player:
                await make_parts(root, config, player, missing, underway)

        try:
            asyncio.run(play())
        finally:
            left = rollout.collect(missing)
            rollout.usage = underway.ledger.tallies()
            rollout.save()
        assert left == []
    return config


@pytest.fixture(scope="module")
def oracle(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("rollout") / "oracle"
    roll_out(finished, root, {"k": 2})
    return root


def test_the_oracle_with_the_scripted_user_passes_every_task(oracle: Path) -> None:
    failed = {
        t.trajectory_id: (t.end, t.score and t.score.reason)
        for t in read_rollout(oracle)
        if t.score is None or not t.score.passed
    }
    assert failed == {}
    known = load_rollout(oracle)
    assert known is not None
    assert (known.complete, known.counts.trajectories, known.counts.faulty) == (True, 52, 0)
    assert known.counts.ends == {"done": 52}


def test_rows_come_back_as_they_were(oracle: Path) -> None:
    for row in read_shard(oracle / Part(0, 0).path):
        assert to_row(from_row(row)) == row


def test_playing_again_gives_the_same_bytes(finished: Path, oracle: Path, tmp_path: Path) -> None:
    roll_out(finished, tmp_path / "again")
    first = Part(0, 0).path.rpartition("/")[2]
    assert shard_bytes(tmp_path / "again")[first] == shard_bytes(oracle)[first]


def test_evaluating_again_finds_the_same_scores(oracle: Path) -> None:
    before = shard_bytes(oracle)
    found = evaluate(oracle)
    assert (found.trajectories, found.differing, found.lines) == (52, 0, [])
    assert shard_bytes(oracle) == before


def test_a_stored_score_counts_for_nothing(finished: Path, tmp_path: Path) -> None:
    root = tmp_path / "r"
    config = roll_out(finished, root, {"subset.tasks": 3})
    part = Part(0, 0)
    stored = [from_row(row) for row in read_shard(root / part.path)]
    score = stored[1].score
    assert score is not None
    wrong = stored[1].changed({"score": score.changed({"passed": False, "reached": 0})})
    from flows.rollout_shards import Scored

    with writing(root, part, footer_of(config, part)) as writer:
        for trajectory in (stored[0], wrong, stored[2]):
            writer.add(Scored(trajectory, {}, []))
    known = load_rollout(root)
    assert known is not None
    with open_rollout(root, config, {0: 3}) as rollout:
        rollout.collect([part])
        rollout.save()
    found = evaluate(root)
    assert found.differing == 1
    assert found.lines == [f"{wrong.trajectory_id}: passed was False, is True; reached was 0, is {score.reached}"]
    evaluate(root, write=True)
    assert evaluate(root).differing == 0
    known = load_rollout(root)
    assert known is not None and known.counts.passed == 3


def test_a_rollout_is_evaluated_beside_a_run_that_was_moved(finished: Path, oracle: Path, tmp_path: Path) -> None:
    (tmp_path / "moved").symlink_to(finished)
    assert evaluate(oracle, tmp_path / "moved").differing == 0
    with pytest.raises(ConfigError, match="there is no folder"):
        evaluate(oracle, tmp_path / "nowhere")


def test_a_subset_is_played_in_the_order_of_the_run(finished: Path, oracle: Path, tmp_path: Path) -> None:
    every = [t.task_id for t in read_rollout(oracle)][:26]
    roll_out(finished, tmp_path / "first", {"subset.tasks": 4})
    assert [t.task_id for t in read_rollout(tmp_path / "first")] == every[:4]
    roll_out(finished, tmp_path / "named", {"subset.task_ids": [every[9], every[20]]})
    assert [t.task_id for t in read_rollout(tmp_path / "named")] == [every[9], every[20]]
    with pytest.raises(ConfigError, match="1 of 2 named tasks"):
        roll_out(finished, tmp_path / "missing", {"subset.task_ids": [every[9], "u9-t9"]})
    with pytest.raises(ConfigError, match="no task fits"):
        roll_out(finished, tmp_path / "none", {"subset.families": ["gardening"]})


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"assistant": "oracle:sidestep"}, "there is no assistant 'oracle:sidestep'"),
        ({"assistant": "scripted:nobody"}, "there is no assistant 'scripted:nobody'"),
        ({"user": "oracle"}, "can be `scripted` or a model"),
        ({"k": 0}, "greater than or equal to 1"),
        ({"kk": 1}, "did you mean 'k'"),
        ({"budget.turn": 1}, "did you mean 'turns'"),
        ({"budget.turns": 0}, r"budget\.turns: .* greater than or equal to 1"),
        ({"budget.calls": -1}, r"budget\.calls: .* greater than or equal to 1"),
        ({"budget.tokens": 0}, r"budget\.tokens: .* greater than or equal to 1"),
        ({"budget.seconds": 0}, r"budget\.seconds: .* greater than 0"),
        ({"budget.seconds": float("inf")}, r"budget\.seconds: .* finite"),
        ({"budget.cost": "0.0"}, r"budget\.cost: .* no money"),
        ({"budget.cost": "2,50"}, r"budget\.cost: "),
        ({"subset.tasks": 0}, r"subset\.tasks: .* greater than or equal to 1"),
        ({"workers": 0}, r"workers: .* greater than or equal to 1"),
        ({"models.limits.max_tokens": 0}, r"limits\.max_tokens: .* greater than or equal to 1"),
        ({"models.limits.concurrency": 0}, r"limits\.concurrency: .* greater than or equal to 1"),
    ],
)
def test_wrong_settings_are_named(finished: Path, tmp_path: Path, options: dict[str, Json], said: str) -> None:
    with pytest.raises(ConfigError, match=said):
        roll_out(finished, tmp_path / "r", options)


def test_models_may_stand_in_a_file(finished: Path, tmp_path: Path) -> None:
    file = tmp_path / "models.yaml"
    file.write_text("assistant:\n  model: openai/small\nlimits:\n  max_cost: '1.5'\nk: 3\n")
    config = resolve(finished, file, {"k": 2})
    assert (config.assistant, config.k, config.with_models) == ("openai/small", 2, True)
    assert config.models.limits.max_cost == "1.5"
    assert folder_name(config, finished) == f"{finished.name}-openai-small"


def test_a_key_in_a_file_is_not_shown(finished: Path, tmp_path: Path) -> None:
    file = tmp_path / "models.yaml"
    file.write_text("models:\n  assistant:\n    model: openai/small\n    api_key: sk-secret\n")
    with pytest.raises(ConfigError) as error:
        resolve(finished, file)
    assert "sk-secret" not in str(error.value)
