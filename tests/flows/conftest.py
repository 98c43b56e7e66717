"""One real run for all tests of this folder that only read it."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.flows.hollow import config_of
from tests.flows.real import TASKS, USERS, make_run


@pytest.fixture(scope="session")
def finished(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("finished") / "run"
    make_run(root, config_of(USERS, TASKS))
    return root
