"""Runtime, planner, checks and flows work from what services declare: none names one, or a tool, gate or table."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from services.runtime.catalogue import installed_catalogue
from tests import scan

OWN_WORDS = frozenset({"profile"})
"""Names of tables that mean something else in the core: a stage of a run."""
OF_THE_STORE = ("pause_compat_adapter.py", "shopping_columns.py", "shopping_orders.py")
"""Files of validators/scoring that are about the store by name: columns that others publish of shopping alone."""


def core() -> list[Path]:
    """The files that must name none: what services bring lies in folders of its own."""
    root = scan.ROOT
    runtime = sorted((root / "services" / "runtime").rglob("*.py"))
    planner = sorted((root / "generators" / "tasks").glob("*.py"))
    building = [root / "generators" / "environments" / name for name in ("build.py", "seeder.py", "folders.py")]
    brought = {"solvers", "wearables", "worlds"}
    named = {root / "validators" / "scoring" / name for name in OF_THE_STORE}
    checks = [p for p in scan.sources("validators") if p.relative_to(root).parts[1] not in brought and p not in named]
    return [*runtime, *planner, *(p for p in building if p.exists()), *checks, *scan.sources("flows")]


def names() -> frozenset[str]:
    """Names of tools, gates and tables of the installed services."""
    catalogue = installed_catalogue()
    bare = {name.rpartition(">-")[2] for name in catalogue.tools}
    tables = {*catalogue.tables, *catalogue.world_tables} - OWN_WORDS
    return frozenset(bare | set(catalogue.gates) | tables)


def named_in(tree: ast.Module, known: frozenset[str], services: frozenset[str]) -> Iterator[tuple[int, str]]:
    """(line, what) of every import of a service's package, and every text that is the name of a tool, gate or table."""
    for line, name in scan.imported(tree):
        parts = name.split(".")
        if parts[0] == "services" and len(parts) > 1 and parts[1] in services:
            yield line, name
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in known:
            yield node.lineno, node.value


def test_the_core_names_no_service() -> None:
    known, services = names(), frozenset(installed_catalogue().services)
    found = {
        str(path.relative_to(scan.ROOT)): [*named_in(ast.parse(path.read_text("utf-8")), known, services)]
        for path in core()
    }
    assert len(found) > 100
    assert not {path: lines for path, lines in found.items() if lines}


@pytest.mark.parametrize(
    "source",
    [
        "from services.shopping.records import Product",
        "import services.wearables",
        "tool = 'get_daily_summary'",
        "name = 'get_intraday_steps'",
        "if gate == 'BALANCE': pass",
        "rows = tables['workouts']",
    ],
)
def test_a_name_is_seen(source: str) -> None:
    assert [*named_in(ast.parse(source), names(), frozenset(installed_catalogue().services))]


def test_what_is_no_name_is_not_seen() -> None:
    source = "from services.runtime.state import Base\nfrom services.functions import merge_expectations\nx = 'table'"
    assert not [*named_in(ast.parse(source), names(), frozenset(installed_catalogue().services))]
