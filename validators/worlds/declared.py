"""What services declare of the tables that users share: their form, what they refer to, and the rules they keep.

The rules are predicates of the goal algebra, evaluated here by the second engine.
"""

from __future__ import annotations

from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, cast

import jsonschema_rs
import msgspec

from schemas.world import PRODUCTS
from services.runtime.catalogue import installed_catalogue
from validators.engine.database import open_database
from validators.engine.goal_sql import GoalSql

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from services.runtime.declare import Table
    from validators.worlds.tables import Record, Row

_ANY_MOMENT = "2000-01-01T00:00:00"
"""Rules on worlds do not ask for the clock."""


def rows_by_table(record: Record) -> dict[str, list[Row]]:
    """Return the rows of every table. Raises KeyError or TypeError where there are none."""
    tables = record["tables"]
    if not isinstance(tables, dict):
        msg = "tables must be an object"
        raise TypeError(msg)
    for name, rows in tables.items():
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            msg = f"tables.{name} must be a list of objects"
            raise TypeError(msg)
    return cast("dict[str, list[Row]]", tables)


def _declared() -> Mapping[str, Table]:
    return installed_catalogue().world_tables


@cache
def _form(table: str) -> jsonschema_rs.Validator:
    """Return the validator of one record of a declared table."""
    (reference,), parts = msgspec.json.schema_components([_declared()[table].record], ref_template="#/$defs/{name}")
    return jsonschema_rs.validator_for({**reference, "$defs": parts})


def form_faults(record: Record) -> Iterator[str]:
    """Yield rows that do not have the form which services declare; products have a stricter one of their own."""
    for table, rows in rows_by_table(record).items():
        if table == PRODUCTS or table not in _declared():
            continue
        form = _form(table)
        for row in rows:
            if not form.is_valid(row):
                yield from (f"{table} {row.get('id')}: {error.message}" for error in form.iter_errors(row))


def key_faults(record: Record) -> Iterator[str]:
    """Yield tables that no service declares, declared ones that are missing, and ids out of order or twice."""
    tables = rows_by_table(record)
    yield from (f"no service declares the table {table!r}" for table in sorted(tables.keys() - _declared().keys()))
    yield from (f"the table {table!r} is missing" for table in sorted(_declared().keys() - tables.keys()))
    for table, rows in tables.items():
        for first, second in pairwise(str(row["id"]) for row in rows):
            if first >= second:
                yield f"{table}: {second} follows {first}, ids must ascend"


def reference_faults(record: Record) -> Iterator[str]:
    """Yield references to rows that the world does not hold."""
    tables = rows_by_table(record)
    ids = {table: {str(row["id"]) for row in rows} for table, rows in tables.items()}
    for table, rows in _known(tables):
        for field, target in _declared()[table].references.items():
            for row in rows:
                if row[field] is not None and row[field] not in ids.get(target, ()):
                    yield f"{table} {row['id']}: {field} is {row[field]!r}, which {target} does not hold"


def _known(tables: Mapping[str, list[Row]]) -> Iterator[tuple[str, Sequence[Row]]]:
    return ((table, rows) for table, rows in tables.items() if table in _declared())


def rule_faults(record: Record) -> Iterator[str]:
    """Yield the rules on worlds that do not hold."""
    database = open_database({}, _declared())
    database.load_world("", dict(_known(rows_by_table(record))))
    rules = [rule for service in installed_catalogue().services.values() for rule in service.world_rules]
    program = GoalSql(database.columns)
    (values,) = database.run(program, program.one_row([rule.holds for rule in rules]), {}, _ANY_MOMENT)
    for rule, value in zip(rules, values, strict=True):
        if value != 1:
            yield f"not so: {rule.text} ({rule.name})"
