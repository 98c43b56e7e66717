"""What mutants are made from: the gold outcome, the state it started from, and what the contract says of each change.

Nothing here asks the judge: which rule a gold change has to satisfy is found anew.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeVar, cast

from schemas.base import Model, canonical
from schemas.contract import Equal
from schemas.goal import Col
from schemas.goal import Table as Rows
from services.runtime.identity import by_identity
from validators.contract.alter import State, admitted
from validators.contract.changes import Delta, Pair, Row, op_of

if TYPE_CHECKING:
    from schemas.base import Json
    from schemas.contract import Change, Contract, Expectation, Rule
    from schemas.goal import Pred
    from services.runtime.declare import Table

T = TypeVar("T")


class Gold(NamedTuple):
    """The gold outcome, and the state it started from."""

    delta: Delta
    answers: Mapping[str, Json]
    asks: tuple[str, ...]
    start: State


class Required(NamedTuple):
    """One gold change that the contract requires."""

    table: Table
    id: str
    pair: Pair
    rules: Mapping[str, Rule]
    """Rules of the fields whose values decide; a wrong value of one of them breaks the contract."""


class Allowance(NamedTuple):
    """A change that may happen beside the gold ones."""

    change: Change
    at_most: int


@dataclass(frozen=True, slots=True)
class Scene:
    """All that the operators look at."""

    gold: Gold
    expectation: Expectation
    tables: Mapping[str, Table]
    turn: int
    """Rotates every choice, so that different tasks are mutated in different places."""
    contract: Contract
    """The contract that the gold outcome meets."""
    required: tuple[Required, ...]
    allowances: tuple[Allowance, ...]
    amounts: Mapping[str, tuple[str, ...]]
    """Ledger -> its columns that a total or relation sums."""

    def records(self, table: str) -> Mapping[str, Row]:
        """Return the records of a table at the start."""
        return self.gold.start.get(table, {})

    def untouched(self, table: str) -> Iterator[tuple[str, Row]]:
        """Yield the records that the gold leaves alone and that may not change, from a place set by `turn` on."""
        may_change = {item.change.id for item in self.allowances if item.change.table == table}
        touched, records = self.gold.delta.get(table, {}), self.records(table)
        yield from ((key, records[key]) for key in self.turned(records) if key not in touched and key not in may_change)

    def may_create(self, table: str, row: Row) -> bool:
        """Return whether creating a record like `row` is allowed."""
        changes = [change for change, _ in self.allowances if change.op == "create" and change.table == table]
        return any(all(admitted(rule, row[name]) for name, rule in change.fields.items()) for change in changes)

    def turned(self, items: Iterable[T]) -> list[T]:
        """Return the items in order, starting at a place set by `turn`."""
        listed = list(items)
        first = self.turn % len(listed) if listed else 0
        return listed[first:] + listed[:first]

    def column(self, table: str, field: str) -> Iterator[Json]:
        """Yield the values of a column at the start."""
        return (row[field] for row in self.records(table).values())

    def edited(self, *edits: tuple[str, str, Pair | None]) -> Delta:
        """Return the gold delta with entries replaced; None removes one, and one that changes nothing is left out."""
        delta = dict(self.gold.delta)
        for table, key, pair in edits:
            records = dict(delta.get(table, {}))
            records.pop(key, None)
            if pair is not None and pair[0] != pair[1]:
                records[key] = pair
            delta[table] = records
        return {table: records for table, records in delta.items() if records}


def make_scene(
    gold: Gold, expectation: Expectation, tables: Mapping[str, Table], relations: Mapping[str, Pred], turn: int
) -> Scene:
    """Return the scene of a task; `relations` are the predicates of the relations that its contracts name."""
    candidates = [(contract, _required(contract, gold, tables)) for contract in expectation.any_of]
    contract, required = min(candidates, key=lambda one: _distance(*one, gold, tables))
    own = {canonical(change) for change in contract.changes} if len(candidates) > 1 else set[bytes]()
    others = {
        canonical(change): Allowance(change, 1)
        for other in expectation.any_of
        if other is not contract
        for change in other.changes
        if canonical(change) not in own
    }
    allowed = [Allowance(item.change, item.at_most) for item in contract.allowed]
    return Scene(
        gold=gold,
        expectation=expectation,
        tables=tables,
        turn=turn,
        contract=contract,
        required=tuple(required),
        allowances=(*allowed, *others.values()),
        amounts=_amounts(contract, tables, relations),
    )


def _distance(contract: Contract, required: Sequence[Required], gold: Gold, tables: Mapping[str, Table]) -> int:
    """Return how many required changes the gold lacks, plus how many gold changes are not required."""
    compared = sum(len(records) for name, records in gold.delta.items() if not tables[name].ledger)
    return len(contract.changes) + compared - 2 * len(required)


def _required(contract: Contract, gold: Gold, tables: Mapping[str, Table]) -> list[Required]:
    """Return the gold changes that `contract` requires."""
    open_changes = list(contract.changes)
    found: list[Required] = []
    claimed: set[int] = set()
    for name, records in gold.delta.items():
        table = tables[name]
        for key, pair in records.items():
            number = next((n for n, c in enumerate(open_changes) if _is(c, table, key, pair, n in claimed)), None)
            if number is not None:
                claimed.add(number)
                found.append(Required(table, key, pair, _deciding(open_changes[number], table, pair)))
    return found


def _is(change: Change, table: Table, key: str, pair: Pair, claimed: bool) -> bool:
    """Return whether a gold change is `change`; records of a viewed table share the row of their view."""
    row = cast("Row", pair[1] or pair[0])
    if change.table != table.name:
        return False
    if table.view is not None:
        return all(admitted(change.fields[name], row[name]) for name in table.view.keys)
    if claimed or change.op != op_of(pair):
        return False
    return change.id == key if change.id else all(admitted(rule, row[name]) for name, rule in change.fields.items())


def _deciding(change: Change, table: Table, pair: Pair) -> Mapping[str, Rule]:
    """Return the rules by which a wrong value shows; a record of a view holds part of each sum."""
    if table.view is None or pair[1] is None:
        return change.fields
    after, sums = pair[1], table.view.sums
    return {
        name: Equal(value=after[name]) if name in sums else rule
        for name, rule in change.fields.items()
        if name not in sums or isinstance(rule, Equal)
    }


def _amounts(
    contract: Contract, tables: Mapping[str, Table], relations: Mapping[str, Pred]
) -> dict[str, tuple[str, ...]]:
    found: dict[str, dict[str, None]] = {name: {} for name, table in tables.items() if table.ledger}
    for total in contract.totals:
        if total.table in found and total.column:
            found[total.table][total.column] = None
    for name in contract.relations:
        parts = _parts_of(relations[name])
        named = [part.name for part in parts if isinstance(part, Col)]
        for rows in parts:
            if isinstance(rows, Rows) and rows.table in found:
                start = f"{rows.prefix}."
                found[rows.table] |= {column.removeprefix(start): None for column in named if column.startswith(start)}
    return {name: tuple(columns) for name, columns in found.items()}


@by_identity
def _parts_of(relation: Pred) -> list[Model]:
    """Return a relation and all models inside it."""
    return list(_parts(relation))


def _parts(value: object) -> Iterator[Model]:
    """Yield `value` and all models inside it."""
    if isinstance(value, Model):
        yield value
        for field in type(value).model_fields:
            yield from _parts(getattr(value, field))
    elif isinstance(value, (list, tuple)):
        for item in cast("Sequence[object]", value):
            yield from _parts(item)
