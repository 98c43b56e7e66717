"""Rollouts by command, under real Prefect: any number of workers, and kill -9 on the way."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from flows.rollout_store import load_rollout
from tests.flows.rollouts import shard_bytes
from tests.flows.test_rollout import roll_out

pytestmark = pytest.mark.slow
K = 6
PATIENCE_S = 400


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    return {**kept, "PREFECT_HOME": str(tmp_path_factory.mktemp("prefect"))}


@pytest.fixture(scope="module")
def whole(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The rollout as it is without Prefect."""
    root = tmp_path_factory.mktemp("whole") / "rollout"
    roll_out(finished, root, {"k": K})
    return root


def command(run: Path, root: Path, *more: str) -> list[str]:
    pausegen = str(Path(sys.executable).parent / "pausegen")
    return [pausegen, "rollout", str(run), "-k", str(K), "--out", str(root), *more]


@pytest.mark.parametrize("workers", ["1", "2"])
def test_any_number_of_workers_makes_the_same_bytes(
    finished: Path, tmp_path: Path, env: dict[str, str], whole: Path, workers: str
) -> None:
    asked = command(finished, tmp_path / "r", "--workers", workers)
    run = subprocess.run(asked, env=env, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert "Traceback" not in run.stderr
    assert f"{26 * K} trajectories in" in run.stdout
    assert shard_bytes(tmp_path / "r") == shard_bytes(whole)


def test_after_kill_9_the_same_command_ends_like_an_undisturbed_rollout(
    finished: Path, tmp_path: Path, env: dict[str, str], whole: Path
) -> None:
    root, pipe = tmp_path / "r", subprocess.DEVNULL
    process = subprocess.Popen(command(finished, root), env=env, stdout=pipe, stderr=pipe, start_new_session=True)
    try:
        end = time.monotonic() + PATIENCE_S
        while not list(root.glob("trajectories/*.parquet")):
            assert process.poll() is None and time.monotonic() < end
            time.sleep(0.01)
    finally:
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
    found = shard_bytes(root)
    assert 0 < len([name for name in found if name.endswith(".parquet")]) < K
    again = subprocess.run(command(finished, root), env=env, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert shard_bytes(root) == shard_bytes(whole)
    known = load_rollout(root)
    assert known is not None and known.complete
