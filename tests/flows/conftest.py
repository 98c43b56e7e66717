"""One real run for all tests of this folder that only read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from publishing.release import build_release
from tests.flows.hollow import config_of
from tests.flows.real import TASKS, USERS, make_run


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("finished") / "run"
    make_run(root, config_of(USERS, TASKS))
    return root


@pytest.fixture(scope="session")
def released(finished: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The run as a release."""
    return build_release(finished, "0.1.0", tmp_path_factory.mktemp("released") / "release").folder
