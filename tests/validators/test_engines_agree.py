"""The direct engine and the SQL engine give the same values for any well-typed goal over any state."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest
from hypothesis import HealthCheck, given, settings

from schemas.base import Json, canonical
from schemas.goal import Goal
from services.runtime.algebra import Row, evaluate_goal
from tests.effort import amount
from tests.validators.goal_strategies import NOW, TABLES, Record, Rel, goals, slot_values, states
from validators.engine.database import Database
from validators.engine.evaluate import evaluate_goal as evaluate_in_sql

LARGE = [HealthCheck.too_slow, HealthCheck.data_too_large]
DB = Database({name: tuple(columns) for name, columns in TABLES.items()}, {})


class Tables:
    """A state as the direct engine reads it."""

    def __init__(self, tables: Mapping[str, list[Record]]) -> None:
        self._tables = tables

    def rows(self, table: str, prefix: str) -> Sequence[Row]:
        return [{f"{prefix}.{name}": value for name, value in row.items()} for row in self._tables[table]]

    def one(self, table: str, key: str, prefix: str) -> Row | None:
        return next((row for row in self.rows(table, prefix) if row[f"{prefix}.id"] == key), None)

    def columns(self, table: str) -> tuple[str, ...]:
        return tuple(TABLES[table])


def agree(drawn: tuple[Goal, dict[str, Rel]], tables: dict[str, list[Record]], slots: dict[str, Json]) -> None:
    goal, relations = drawn
    scope = evaluate_goal(goal, Tables(tables), slots, NOW)
    DB.load_environment("", tables)
    values = evaluate_in_sql(goal, slots, NOW, DB, list(relations))
    for node in goal.nodes:
        if node.name not in relations:
            assert canonical(values.scalars[node.name]) == canonical(scope.nodes[node.name]), node
            continue
        direct = [canonical(row) for row in scope.nodes[node.name]]  # pyright: ignore[reportGeneralTypeIssues, reportUnknownVariableType]
        in_sql = [canonical(row) for row in values.rows[node.name]]
        if relations[node.name].ordered:
            assert in_sql == direct, node
        else:
            assert sorted(in_sql) == sorted(direct), node


def test_engines_agree() -> None:
    settings(max_examples=amount(60, 200), suppress_health_check=LARGE)(given(goals(), states(), slot_values)(agree))()


@pytest.mark.slow
def test_engines_agree_on_many_goals() -> None:
    settings(max_examples=3000, suppress_health_check=LARGE)(given(goals(), states(), slot_values)(agree))()
