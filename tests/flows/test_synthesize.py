"""The flow under real Prefect: workers, kill -9, Ctrl-C; one Prefect home for all, its database is slow to make."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from flows.prefect_settings import DEFAULTS
from flows.store import manifest_of
from tests.flows.hollow import config_of, contents
from tests.flows.real import by_id, make_run

pytestmark = pytest.mark.slow
USERS, TASKS = 12, 6
PATIENCE_S = 400


@pytest.fixture(scope="module")
def env(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PREFECT_")}
    return {**kept, "PREFECT_HOME": str(tmp_path_factory.mktemp("prefect"))}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run as it is without Prefect."""
    root = tmp_path_factory.mktemp("whole") / "run"
    make_run(root, config_of(USERS, TASKS))
    return root


def command(root: Path, *more: str) -> list[str]:
    size = ("--users", str(USERS), "--tasks-per-user", str(TASKS))
    return [str(Path(sys.executable).parent / "pausegen"), "generate", *size, "--out", str(root), *more]


def records(root: Path) -> dict[str, str]:
    return {entry.path: entry.records for entry in manifest_of(root).files}


def shards(root: Path) -> dict[str, bytes]:
    return {path: data for path, data in contents(root).items() if path.endswith(".parquet")}


def wait_for(process: subprocess.Popen[str], root: Path, pattern: str) -> None:
    """Wait until a file is there; fail when the process ends first."""
    end = time.monotonic() + PATIENCE_S
    while not list(root.glob(pattern)):
        assert time.monotonic() < end
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)


@pytest.fixture
def started(tmp_path: Path, env: dict[str, str]) -> Iterator[list[subprocess.Popen[str]]]:
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for process in processes:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def start(root: Path, env: dict[str, str], *more: str) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(command(root, *more), env=env, stdout=pipe, stderr=pipe, text=True, start_new_session=True)


def helpers_of(root: Path) -> list[str]:
    """Command lines of processes that still work on the run: verifiers name its folder."""
    lines: list[str] = []
    for file in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = file.read_text("utf-8").replace("\0", " ")
        except OSError:
            continue
        if str(root) in text:
            lines.append(text)
    return lines


@pytest.mark.parametrize("workers", ["1", "2"])
def test_any_number_of_workers_makes_the_same_bytes(
    tmp_path: Path, env: dict[str, str], whole: Path, workers: str
) -> None:
    run = subprocess.run(
        command(tmp_path / "run", "--workers", workers), env=env, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stderr
    assert f"{USERS * TASKS} of {USERS * TASKS} tasks kept" in run.stdout
    assert shards(tmp_path / "run") == shards(whole)
    assert records(tmp_path / "run") == records(whole)
    assert "Traceback" not in run.stderr


@pytest.mark.parametrize(
    ("workers", "moment"), [("1", "users/*.parquet"), ("2", "users/*.parquet"), ("1", "tasks/*.parquet")]
)
def test_after_kill_9_the_same_command_ends_like_an_undisturbed_run(
    tmp_path: Path, env: dict[str, str], whole: Path, started: list[subprocess.Popen[str]], workers: str, moment: str
) -> None:
    root = tmp_path / "run"
    process = start(root, env, "--workers", workers)
    started.append(process)
    wait_for(process, root, moment)
    process.kill()
    process.wait()
    end = time.monotonic() + 30
    while helpers_of(root) and time.monotonic() < end:
        time.sleep(0.1)
    assert not helpers_of(root)
    again = subprocess.run(command(root, "--workers", workers), env=env, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert shards(root) == shards(whole)
    assert records(root) == records(whole)


def test_ctrl_c_finishes_what_is_in_work_and_says_how_to_go_on(
    tmp_path: Path, env: dict[str, str], whole: Path, started: list[subprocess.Popen[str]]
) -> None:
    root = tmp_path / "run"
    process = start(root, env)
    started.append(process)
    wait_for(process, root, "users/*.parquet")
    os.killpg(process.pid, signal.SIGINT)
    _, said = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 130
    assert "the same command resumes the run" in said
    assert "Traceback" not in said
    assert by_id(root, "tasks", "task_id").items() <= by_id(whole, "tasks", "task_id").items()
    again = subprocess.run(command(root), env=env, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert shards(root) == shards(whole)


def test_what_the_user_has_set_for_prefect_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    from flows.prefect_settings import prepare

    for name in (*DEFAULTS, "PREFECT_LOGGING_LEVEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PREFECT_LOGGING_LEVEL", "INFO")
    prepare("info")
    assert os.environ["PREFECT_LOGGING_LEVEL"] == "INFO"
    assert os.environ["PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS"] == "180"
