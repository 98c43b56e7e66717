"""A contract made ready for judging; what could not be judged, or never met, is refused here."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping, Sequence
from operator import eq, ge, le
from typing import TYPE_CHECKING, NamedTuple

from schemas.contract import Equal, Range, Ref
from validators.contract.changes import Row
from validators.contract.patterns import Pattern, compile_change, equals
from validators.contract.values import InvalidContract, is_number

if TYPE_CHECKING:
    from schemas.contract import Change, Contract, Total
    from services.runtime.declare import Table

_COMPARE: Mapping[str, Callable[[int | float, int], bool]] = {"eq": eq, "le": le, "ge": ge}


class CompiledTotal(NamedTuple):
    """One total: whether what `sum` gives for the created records of `table` compares to `value`."""

    table: str
    sum: Callable[[Sequence[Row]], int | float]
    compare: Callable[[int | float, int], bool]
    value: int
    missed: str


class CompiledContract(NamedTuple):
    """A contract whose rules are functions."""

    required: tuple[Pattern, ...]
    patterns: tuple[Pattern, ...]
    """The required ones, then the allowed ones."""
    by_table: Mapping[str, tuple[tuple[int, Pattern], ...]]
    """The required ones of each table, with their numbers."""
    refers: bool
    """Whether a required one refers to a created record."""
    totals: tuple[CompiledTotal, ...]
    ledgers: frozenset[str]
    """Ledgers whose new entries are free, because a total speaks of them."""
    relations: tuple[str, ...]


def demands(contract: Contract) -> bool:
    """Return whether a contract fails when nothing was done."""
    return bool(contract.changes) or any(not _COMPARE[total.fn](0, total.value) for total in contract.totals)


def compile_contract(contract: Contract, tables: Mapping[str, Table], now: str) -> CompiledContract:
    """Return the contract ready for judging; `now` is the clock at the start.

    Raises:
        InvalidContract: the contract names what is not declared, is ambiguous, or cannot be met.
    """
    changes = [*contract.changes, *(allowed.change for allowed in contract.allowed)]
    for change in changes:
        if change.table not in tables:
            raise InvalidContract(f"the table {change.table!r} is not declared")
        _check_stamps(change, tables[change.table], now)
    used = _used_variables(contract, changes, tables)
    bounds = [*(1 for _ in contract.changes), *(allowed.at_most for allowed in contract.allowed)]
    every = [compile_change(c, tables[c.table], n) for c, n in zip(changes, bounds, strict=True)]
    patterns = tuple(p if p.var in used else p._replace(var="") for p in every)
    required = patterns[: len(contract.changes)]
    records = [pattern.key[1:] for pattern in required if pattern.key[2]]
    if len(set(records)) < len(records):
        raise InvalidContract("two changes of the same record are required: state them as one")
    totals = tuple(_compile_total(total, tables) for total in contract.totals)
    ledgers = frozenset(total.table for total in totals if tables[total.table].ledger)
    refers = any(pattern.refs for pattern in required)
    return CompiledContract(required, patterns, _by_table(required), refers, totals, ledgers, tuple(contract.relations))


def _by_table(required: Sequence[Pattern]) -> dict[str, tuple[tuple[int, Pattern], ...]]:
    found: dict[str, list[tuple[int, Pattern]]] = {}
    for number, pattern in enumerate(required):
        found.setdefault(pattern.key[1], []).append((number, pattern))
    return {table: tuple(patterns) for table, patterns in found.items()}


def _compile_total(total: Total, tables: Mapping[str, Table]) -> CompiledTotal:
    if total.table not in tables:
        raise InvalidContract(f"a total is taken over the table {total.table!r}, which is not declared")
    fields = tables[total.table].record.__struct_fields__
    unknown = [name for name in (*total.where, total.column) if name and name not in fields]
    if unknown:
        raise InvalidContract(f"a total over {total.table!r} names {unknown[0]!r}, which is no field of it")
    what = f"the sum of {total.column!r}" if total.column else "the count"
    missed = f"{what} over new records in {total.table!r} is not {total.fn} {total.value}"
    return CompiledTotal(total.table, _sum_of(total), _COMPARE[total.fn], total.value, missed)


def _sum_of(total: Total) -> Callable[[Sequence[Row]], int | float]:
    matches, column = equals(total.where), total.column

    def compute(rows: Sequence[Row]) -> int | float:
        found = [row for row in rows if matches(row)]
        if not column:
            return len(found)
        values = [row[column] for row in found]
        numbers = [value for value in values if is_number(value)]
        if len(numbers) < len(values):
            raise TypeError(f"cannot sum {column!r}: not every value is a number")
        return sum(numbers)

    return compute


def _used_variables(contract: Contract, changes: Sequence[Change], tables: Mapping[str, Table]) -> set[str]:
    """Return the variables that `ref` rules name, after checking that each is bound by one change, to one id."""
    binders = {change.var: change for change in changes if change.var}
    if len(binders) < sum(bool(change.var) for change in changes):
        raise InvalidContract("two changes bind the same variable")
    used = {rule.var for change in changes for rule in change.fields.values() if isinstance(rule, Ref)}
    for var in sorted(used):
        if var not in binders:
            raise InvalidContract(f"no change binds the variable {var!r}")
        if tables[binders[var].table].view is not None:
            raise InvalidContract(f"{var!r} stands for a row of a view, which has no id to refer to")
    for allowed in contract.allowed:
        if allowed.at_most < 1 or (allowed.at_most > 1 and allowed.change.var in used):
            raise InvalidContract("an allowed change is allowed once or more, and once only where its variable is used")
    return used


def _check_stamps(change: Change, table: Table, now: str) -> None:
    """Refuse a rule for the time of a write that depends on the order of calls, or that no write can meet."""
    for field in table.stamps:
        rule, where = change.fields.get(field), f"{change.table}.{field}"
        if isinstance(rule, Equal) and rule.value is not None:
            raise InvalidContract(f"{where} is the time of a write and cannot be one value")
        if isinstance(rule, Range) and (str(rule.high) < now or str(rule.low) > _a_day_after(now)):
            raise InvalidContract(f"{where} cannot lie in [{rule.low!r}, {rule.high!r}]: it is now {now}")


def _a_day_after(now: str) -> str:
    return (dt.datetime.fromisoformat(now) + dt.timedelta(days=1)).isoformat()
