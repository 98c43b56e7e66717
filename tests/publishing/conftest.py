"""A small run, a real run and a release of the small one for all tests of this folder; none of them changes any."""

from __future__ import annotations

from pathlib import Path

import pytest

from flows.config import resolve
from generators.tasks import Share
from publishing.release import build_release
from tests.flows.real import make_run
from tests.publishing import small_run
from tests.publishing.recorded import recorded

REAL_TASKS = 10


@pytest.fixture(scope="session")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return small_run.make(tmp_path_factory.mktemp("small"))


@pytest.fixture(scope="session")
def told_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with facts kept back, changes of mind, twins and variations."""
    return small_run.make(tmp_path_factory.mktemp("telling"), users=12, tasks=10, share=Share(2, 2, 40))


@pytest.fixture(scope="session")
def release(run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Files are cut short, so that most splits have several."""
    out = tmp_path_factory.mktemp("release") / "small"
    rows = {"tasks": 4, "gold": 5, "trajectories": 3, "users": 2, "environments": 3, "tools": 10}
    build_release(run, "1.0.0", out, file_rows=rows, recorded=recorded(run))
    return out


@pytest.fixture(scope="session")
def real_run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One user, made and validated as the flow does it."""
    folder = tmp_path_factory.mktemp("real") / "run"
    config = resolve("quickstart", options={"users": 1, "tasks_per_user": REAL_TASKS})
    make_run(folder, config)
    return folder
