"""The order of the packages, what core code may load, and that no source of chance or time is used in it."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterable

import pytest

from tests import scan

BASE = {"schemas", "language", "llm", "services"}
MAKERS = BASE | {"generators", "validators"}
MAY_IMPORT: dict[str, set[str]] = {
    "schemas": set(),
    "language": {"schemas"},
    "llm": {"schemas"},
    "services": {"schemas", "language", "llm"},
    "generators": BASE,
    "validators": BASE,
    "publishing": MAKERS,
    "serving": MAKERS,
    "flows": MAKERS | {"publishing", "serving"},
}
CORE = ("schemas", "language", "llm", "services", "generators", "validators")
HEAVY = frozenset({"datasets", "huggingface_hub", "litellm", "matplotlib", "pandas", "prefect"})
CHANCE_AND_TIME = frozenset(
    """
    random secrets numpy.random os.urandom hash uuid.uuid1 uuid.uuid4
    time.time time.time_ns time.localtime time.gmtime
    datetime.datetime.now datetime.datetime.today datetime.datetime.utcnow datetime.date.today
    """.split()
)


def wrong_layer(package: str, names: Iterable[tuple[int, str]]) -> list[tuple[int, str]]:
    """Imports of a package of ours that `package` may not import, relative imports included."""
    allowed = MAY_IMPORT[package] | {package}
    return [(line, n) for line, n in names if n.startswith(".") or n.split(".")[0] in set(MAY_IMPORT) - allowed]


def within(names: Iterable[tuple[int, str]], roots: frozenset[str]) -> list[tuple[int, str]]:
    """Names that are one of the roots or lie under one."""
    return [(line, n) for line, n in names if any(n == root or n.startswith(root + ".") for root in roots)]


def trees(package: str) -> dict[str, ast.Module]:
    return {str(p.relative_to(scan.ROOT)): ast.parse(p.read_text("utf-8")) for p in scan.sources(package)}


def test_every_package_has_a_layer() -> None:
    assert set(CORE) <= set(scan.packages()) <= set(MAY_IMPORT)


@pytest.mark.parametrize("package", scan.packages())
def test_imports_run_one_way(package: str) -> None:
    found = {path: wrong_layer(package, scan.imported(tree)) for path, tree in trees(package).items()}
    assert not {path: names for path, names in found.items() if names}


@pytest.mark.parametrize("package", CORE)
def test_core_modules_load_nothing_heavy(package: str) -> None:
    found = {path: within(scan.imported_on_load(tree), HEAVY) for path, tree in trees(package).items()}
    assert not {path: names for path, names in found.items() if names}


@pytest.mark.parametrize("package", CORE)
def test_core_loads_nothing_heavy_through_others(package: str) -> None:
    modules = [scan.module_name(path) for path in scan.sources(package)]
    program = f"import importlib, sys\nfor m in {modules!r}: importlib.import_module(m)\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", program], cwd=scan.ROOT, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stderr
    assert package in run.stdout.split()
    assert not HEAVY & set(run.stdout.split())


@pytest.mark.parametrize("package", CORE)
def test_core_uses_no_chance_and_no_wall_clock(package: str) -> None:
    found = {path: within(scan.named(tree), CHANCE_AND_TIME) for path, tree in trees(package).items()}
    assert not {path: names for path, names in found.items() if names}


@pytest.mark.parametrize("package", [*scan.packages(), "tests", "benchmarks"])
def test_files_stay_short(package: str) -> None:
    lengths = {str(p.relative_to(scan.ROOT)): len(p.read_text("utf-8").splitlines()) for p in scan.sources(package)}
    assert not {path: n for path, n in lengths.items() if n >= 400}


@pytest.mark.parametrize(
    ("package", "source"),
    [
        ("validators", "from generators.tasks import planner"),
        ("generators", "def f():\n    import validators.tasks"),
        ("generators", "import importlib\nimportlib.import_module('validators.tasks')"),
        ("schemas", "if TYPE_CHECKING:\n    from language import numbers"),
        ("services", "import flows"),
        ("services", "from .runtime import state"),
        ("publishing", "import serving.gym"),
    ],
)
def test_a_wrong_import_is_seen(package: str, source: str) -> None:
    assert wrong_layer(package, scan.imported(ast.parse(source)))


def test_a_right_import_is_not_flagged() -> None:
    source = "from schemas.goal import Select\nfrom services import runtime\nimport json\nimport generators.worlds"
    assert not wrong_layer("generators", scan.imported(ast.parse(source)))


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("import prefect", True),
        ("try:\n    from datasets import Dataset\nexcept ImportError:\n    pass", True),
        ("class A:\n    import litellm.utils", True),
        ("def f():\n    import prefect", False),
        ("if TYPE_CHECKING:\n    import prefect", False),
        ("import datasets_of_ours", False),
    ],
)
def test_a_heavy_import_is_seen_when_it_runs_on_load(source: str, seen: bool) -> None:
    assert bool(within(scan.imported_on_load(ast.parse(source)), HEAVY)) is seen


@pytest.mark.parametrize(
    ("source", "seen"),
    [
        ("import random", True),
        ("from random import choice", True),
        ("import numpy as np\nnp.random.default_rng()", True),
        ("from datetime import datetime\nx = datetime.now()", True),
        ("import datetime as dt\nx = dt.date.today()", True),
        ("import datetime\nclock = datetime.datetime.utcnow", True),
        ("from time import time", True),
        ("import time\ntime.time()", True),
        ("import uuid\nuuid.uuid4()", True),
        ("x = hash('a')", True),
        ("import hashlib\nhashlib.sha256(b'')", False),
        ("def now(env):\n    return env.now", False),
        ("import time\ntime.perf_counter()", False),
        ("class A:\n    def state_hash(self):\n        return self.hash", False),
    ],
)
def test_chance_and_time_are_seen(source: str, seen: bool) -> None:
    assert bool(within(scan.named(ast.parse(source)), CHANCE_AND_TIME)) is seen
