"""The changes a contract names, compiled to tests of single facts.

A pattern looks for its facts under one key: an update or deletion of a record under the record's id, everything else
under (operation, table). What ties records together, the `ref` rules, is left to the matching of all patterns.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache
from operator import itemgetter
from typing import TYPE_CHECKING, NamedTuple, TypeAlias, cast

from schemas.contract import Change, Equal, Ref
from services.runtime.records import fields_of
from validators.contract.changes import Fact, Op, Row
from validators.contract.values import InvalidContract, check_of, same

if TYPE_CHECKING:
    from schemas.base import Json
    from schemas.contract import Rule
    from services.runtime.declare import Table
    from services.runtime.records import Record

Key: TypeAlias = tuple[Op, str, str]
RowCheck: TypeAlias = Callable[[Row], bool]


class Pattern(NamedTuple):
    """One required or allowed change."""

    key: Key
    """Operation, table and record id; the id is empty for a created record and for a row of a view."""
    holds: Callable[[Fact], bool]
    """Whether a fact under the key is this change, as far as the fact alone can tell."""
    refs: tuple[tuple[str, str], ...]
    """Field -> variable of the record whose id it must hold."""
    var: str
    """Variable bound to the created record; empty when no `ref` needs it."""
    at_most: int
    """How many facts may be this change; 1 for a required one."""
    missing: str
    """What to say when nothing is this change."""


def compile_change(change: Change, table: Table, at_most: int = 1) -> Pattern:
    """Return the pattern of one change.

    Raises:
        InvalidContract: a create leaves a field open, a field does not exist, an id is missing or given where none
            belongs.
    """
    where = f"{change.op} in {change.table!r}"
    if (change.op == "create" or table.view is not None) == bool(change.id):
        raise InvalidContract(f"{where}: an id is given for updates and deletions of records, and for nothing else")
    fields = _fields(change, table, where)
    checks = _row_check({name: rule for name, rule in change.fields.items() if not isinstance(rule, Ref)})
    return Pattern(
        key=(change.op, change.table, change.id),
        holds=_fact_check(change, checks, [name for name in fields if name not in change.fields]),
        refs=tuple((name, rule.var) for name, rule in change.fields.items() if isinstance(rule, Ref)),
        var=change.var,
        at_most=at_most,
        missing=f"no {change.op} as required in {change.table!r}" + (f" of {change.id!r}" if change.id else ""),
    )


def _fields(change: Change, table: Table, where: str) -> tuple[str, ...]:
    """Return the compared fields of the change's table, after checking that the change names what it must."""
    view, named = table.view, set(change.fields)
    fields = _compared(table.record) if view is None else (*view.keys, *view.sums)
    if named - set(fields):
        raise InvalidContract(f"{where}: there is no field {min(named - set(fields))!r} to compare")
    needed = set(fields) if change.op == "create" else set(view.keys) if view else set[str]()
    if needed - named:
        raise InvalidContract(f"{where}: no rule for the field {min(needed - named)!r}")
    if change.op == "update" and named == needed:
        raise InvalidContract(f"{where}: names no field that changes")
    if change.op == "delete" and named != needed:
        raise InvalidContract(f"{where}: a deletion has no new values")
    if change.var and change.op != "create":
        raise InvalidContract(f"{where}: only a created record can be bound to the variable {change.var!r}")
    return fields


@lru_cache(maxsize=256)
def _compared(record: type[Record]) -> tuple[str, ...]:
    return fields_of(record)[1:]


def _fact_check(change: Change, checks: RowCheck, rest: list[str]) -> Callable[[Fact], bool]:
    match change.op:
        case "create":
            return lambda fact: checks(cast("Row", fact.after))
        case "delete":
            return lambda fact: checks(cast("Row", fact.before))
        case "update":
            kept = unchanged(rest)
            return lambda fact: (
                checks(cast("Row", fact.after)) and kept(cast("Row", fact.before), cast("Row", fact.after))
            )


def _row_check(rules: Mapping[str, Rule]) -> RowCheck:
    """Return whether a row satisfies all rules; equalities of scalars are compared in one step, for speed."""
    flat = {n: r.value for n, r in rules.items() if isinstance(r, Equal) and not isinstance(r.value, (list, dict))}
    rest = [(name, check_of(rule)) for name, rule in rules.items() if name not in flat]
    equal = equals(flat)
    if not rest:
        return equal
    return lambda row: equal(row) and all(check(row[name]) for name, check in rest)


def equals(values: Mapping[str, Json]) -> RowCheck:
    """Return whether a row has these scalar values. Raise KeyError on a row without one of the fields."""
    if not values:
        return lambda row: True
    if len(values) == 1:
        ((only, value),) = values.items()
        return lambda row: same(row[only], value)
    expected = tuple(values.values())
    read = itemgetter(*values)
    # Only these compare equal to something of another type: true to 1 and false to 0.
    confusable = [(name, isinstance(value, bool)) for name, value in values.items() if value in (0, 1)]
    if not confusable:
        return lambda row: read(row) == expected
    return lambda row: read(row) == expected and all(isinstance(row[name], bool) == truth for name, truth in confusable)


def unchanged(fields: list[str]) -> Callable[[Row, Row], bool]:
    """Return whether two rows have the same values in `fields`."""
    if not fields:
        return lambda before, after: True
    read = cast("Callable[[Row], tuple[Json, ...]]", itemgetter(*fields, fields[0]))

    def check(before: Row, after: Row) -> bool:
        old, new = read(before), read(after)
        if old != new:
            return _alike(old, new)
        types = list(map(type, new))
        return (types == list(map(type, old)) and list not in types) or _alike(old, new)

    return check


def _alike(old: tuple[Json, ...], new: tuple[Json, ...]) -> bool:
    return all(map(same, old, new))
