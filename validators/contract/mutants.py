"""Mutants: outcomes that differ from the gold one in a single respect and must not pass.

Each operator makes one kind of mistake. Its group says what the mistake touches: `goal` a required change, total,
answer or question; `allowance` an allowed change, beyond what is allowed; `frame` anything else. The operators know the
contract, the gold and the start state, and nothing of how the judge works. The choice is deterministic, bounded and
spread over tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, TypeVar, cast, get_args

from schemas.contract import AnyValue, Ref, Text
from schemas.goal import Reason
from validators.contract.accepted import NotConstructible, accepted_pair
from validators.contract.alter import admitted, nearest, other_values
from validators.contract.changes import Delta, Pair, Row
from validators.contract.scene import Allowance, Required, Scene
from validators.contract.values import is_number, is_reason

if TYPE_CHECKING:
    from schemas.base import Json
    from schemas.contract import Change

Group: TypeAlias = Literal["goal", "allowance", "frame"]
T = TypeVar("T")
_REASONS: tuple[str, ...] = get_args(Reason)


class Mutant(NamedTuple):
    """One wrong outcome."""

    operator: str
    group: Group
    delta: Delta
    answers: Mapping[str, Json]
    asks: tuple[str, ...]


class Outcome(NamedTuple):
    """What an operator changes; None leaves what the gold has."""

    delta: Delta | None = None
    answers: Mapping[str, Json] | None = None
    asks: tuple[str, ...] | None = None


Operator: TypeAlias = Callable[[Scene], Iterator[Outcome]]


def mutants(scene: Scene) -> Iterator[Mutant]:
    """Yield the mutants of a scene, at most the sum of the quotas in `OPERATORS`."""
    gold = scene.gold
    for operator, group, make, quota in OPERATORS:
        for outcome in islice(make(scene), quota):
            delta = gold.delta if outcome.delta is None else outcome.delta
            answers = gold.answers if outcome.answers is None else outcome.answers
            yield Mutant(operator, group, delta, answers, gold.asks if outcome.asks is None else outcome.asks)


def _interleaved(iterators: Iterable[Iterator[T]]) -> Iterator[T]:
    """Yield the first of each, then the second of each, and so on; no more is made than is asked for."""
    waiting = iterators
    while waiting:
        going: list[Iterator[T]] = []
        for iterator in waiting:
            for item in islice(iterator, 1):
                yield item
                going.append(iterator)
        waiting = going


# --- the goal: required changes, answers, questions ---------------------------------------------------------------


def _missing_change(scene: Scene) -> Iterator[Outcome]:
    for item in scene.required:
        yield Outcome(scene.edited((item.table.name, item.id, None)))


def _with_value(scene: Scene, item: Required, field: str, value: Json) -> Outcome:
    before, after = item.pair
    return Outcome(scene.edited((item.table.name, item.id, (before, {**cast("Row", after), field: value}))))


def _wrong_value(scene: Scene) -> Iterator[Outcome]:
    def of_field(item: Required, field: str) -> Iterator[Outcome]:
        before, after = item.pair
        for value in other_values(cast("Row", after)[field], scene.column(item.table.name, field)):
            # The old value again is what undo_field and missing_change are for.
            if not admitted(item.rules[field], value) and (before is None or value != before[field]):
                yield _with_value(scene, item, field, value)

    yield from _interleaved(
        of_field(item, field)
        for item in scene.required
        if item.pair[1] is not None
        for field, rule in item.rules.items()
        if field not in item.table.references and not isinstance(rule, (Ref, Text, AnyValue))
    )


def _wrong_reference(scene: Scene) -> Iterator[Outcome]:
    for item in scene.required:
        if item.pair[1] is None:
            continue
        for field, target in item.table.references.items():
            rule = item.rules.get(field)
            if rule is None or isinstance(rule, AnyValue):
                continue
            created = [key for key, pair in scene.gold.delta.get(target, {}).items() if pair[0] is None]
            for key in (*scene.turned(scene.records(target))[:2], *created):
                if key != item.pair[1][field] and (isinstance(rule, Ref) or not admitted(rule, key)):
                    yield _with_value(scene, item, field, key)


def _undo_field(scene: Scene) -> Iterator[Outcome]:
    for item in scene.required:
        before, after = item.pair
        if before is None or after is None:
            continue
        changed = [field for field in item.rules if before[field] != after[field]]
        yield from (_with_value(scene, item, field, before[field]) for field in changed if len(changed) > 1)


def _wrong_row(scene: Scene) -> Iterator[Outcome]:
    for item in scene.required:
        before, after = item.pair
        if before is None:
            continue
        moved = _elsewhere(scene, item.table.name, before, None if after is None else _changes(before, after))
        if moved is not None:
            yield Outcome(scene.edited((item.table.name, item.id, None), moved))


def _changes(before: Row, after: Row) -> dict[str, Json]:
    return {field: value for field, value in after.items() if value != before[field]}


def _elsewhere(scene: Scene, table: str, like: Row, changes: Mapping[str, Json] | None) -> tuple[str, str, Pair] | None:
    """Return the same update, or a deletion where `changes` is None, of the nearest record the gold leaves alone."""
    others = islice((row for key, row in scene.untouched(table) if key != like["id"]), 40)
    row = nearest(like, (row for row in others if changes is None or _differs(row, changes)))
    if row is None:
        return None
    return table, str(row["id"]), (row, None if changes is None else {**row, **changes})


def _differs(row: Row, changes: Mapping[str, Json]) -> bool:
    return any(row[field] != value for field, value in changes.items())


def _duplicate_create(scene: Scene) -> Iterator[Outcome]:
    for item in scene.required:
        before, after = item.pair
        if before is None and after is not None:
            yield Outcome(scene.edited(_copy(item.table.name, after, "again")))


def _copy(table: str, row: Row, suffix: str) -> tuple[str, str, Pair]:
    key = f"{row['id']}_{suffix}"
    return table, key, (None, {**row, "id": key})


def _extra_unit(scene: Scene) -> Iterator[Outcome]:
    """One unit more in a row of a view, as a record of its own."""
    for item in scene.required:
        after, view = item.pair[1], item.table.view
        if after is not None and view is not None:
            for field in view.sums:
                units: dict[str, Json] = dict.fromkeys(view.sums, 0)
                yield Outcome(scene.edited(_copy(item.table.name, {**after, **units, field: 1}, "unit")))


def _missing_answer(scene: Scene) -> Iterator[Outcome]:
    for answer in scene.expectation.answers:
        yield Outcome(answers={name: value for name, value in scene.gold.answers.items() if name != answer.name})


def _wrong_answer(scene: Scene) -> Iterator[Outcome]:
    def of(name: str, kind: str, value: Json) -> Iterator[Outcome]:
        reasons = scene.turned(reason for reason in _REASONS if reason != value)
        wrong = iter(reasons) if kind == "reason" else other_values(value, [["nobody"]] if kind == "names" else [])
        yield from (Outcome(answers={**scene.gold.answers, name: other}) for other in wrong)

    yield from _interleaved(of(answer.name, answer.kind, answer.value) for answer in scene.expectation.answers)


def _needless_decline(scene: Scene) -> Iterator[Outcome]:
    if all(not is_reason(answer.name) for answer in scene.expectation.answers):
        yield Outcome(answers={**scene.gold.answers, "reason": scene.turned(_REASONS)[0]})


def _missing_ask(scene: Scene) -> Iterator[Outcome]:
    for ask in scene.expectation.asks:
        yield Outcome(asks=tuple(gate for gate in scene.gold.asks if gate != ask.gate))


def _blank(scene: Scene) -> Iterator[Outcome]:
    yield Outcome({}, {}, ())


# --- allowances ---------------------------------------------------------------------------------------------------


def _allowed(scene: Scene) -> Iterator[tuple[Allowance, str, Pair]]:
    """Yield the allowances that the gold does not use, as a changed record each."""
    ids = {change.var: f"allowed_{change.var}" for change, _ in scene.allowances}
    for number, item in enumerate(scene.allowances):
        change = item.change
        key = change.id or f"allowed_{change.var or number}"
        if key in scene.gold.delta.get(change.table, {}):
            continue
        try:
            pair = accepted_pair(change, key, scene.gold.start, scene.tables[change.table], ids)
        except (NotConstructible, KeyError):
            # Free text, a row of a view, or a reference to a record that the gold did not create.
            continue
        yield item, key, pair


def _allowed_outside(scene: Scene) -> Iterator[Outcome]:
    def of(item: Allowance, key: str, pair: Pair, field: str) -> Iterator[Outcome]:
        change, (before, after) = item.change, pair
        for value in other_values(cast("Row", after)[field], scene.column(change.table, field)):
            row = {**cast("Row", after), field: value}
            # What one allowance excludes another one may admit.
            if (before is None or value != before[field]) and not any(
                _admits(other.change, change, row) for other in scene.allowances
            ):
                yield Outcome(scene.edited((change.table, key, (before, row))))

    yield from _interleaved(
        of(item, key, pair, field)
        for item, key, pair in _allowed(scene)
        if pair[1] is not None
        for field, rule in item.change.fields.items()
        if not isinstance(rule, (AnyValue, Ref))
    )


def _admits(one: Change, other: Change, row: Row) -> bool:
    """Return whether one allowance admits a record that was made of another."""
    same = (one.op, one.table, one.id, one.fields.keys()) == (other.op, other.table, other.id, other.fields.keys())
    return same and all(admitted(rule, row[name]) for name, rule in one.fields.items())


def _allowed_too_often(scene: Scene) -> Iterator[Outcome]:
    for item, _, (before, after) in _allowed(scene):
        if before is None and after is not None:
            used = sum(pair[0] is None for pair in scene.gold.delta.get(item.change.table, {}).values())
            copies = range(max(1, item.at_most + 1 - used))
            yield Outcome(scene.edited(*(_copy(item.change.table, after, str(n)) for n in copies)))


def _allowed_elsewhere(scene: Scene) -> Iterator[Outcome]:
    for item, _, (before, after) in _allowed(scene):
        if before is not None:
            changes = None if after is None else _changes(before, after)
            moved = _elsewhere(scene, item.change.table, before, changes)
            if moved is not None:
                yield Outcome(scene.edited(moved))


# --- the frame ----------------------------------------------------------------------------------------------------


def _framed(scene: Scene) -> list[str]:
    return scene.turned(name for name, table in scene.tables.items() if not table.ledger)


def _foreign_field(scene: Scene) -> Iterator[Outcome]:
    def of(item: Required, field: str) -> Iterator[Outcome]:
        before = cast("Row", item.pair[0])
        yield from (
            _with_value(scene, item, field, value)
            for value in other_values(before[field], scene.column(item.table.name, field))
        )

    yield from _interleaved(
        of(item, field)
        for item in scene.required
        if item.pair[0] is not None and item.pair[1] is not None and item.table.view is None
        for field in scene.turned(item.pair[0])
        if field not in item.rules and field != "id"
    )


def _extra_create(scene: Scene) -> Iterator[Outcome]:
    for table in _framed(scene):
        rows = (row for _, row in scene.untouched(table) if not scene.may_create(table, row))
        for row in islice(rows, 1):
            yield Outcome(scene.edited(_copy(table, row, "extra")))


def _extra_update(scene: Scene) -> Iterator[Outcome]:
    for table in _framed(scene):
        view = scene.tables[table].view
        for key, row in islice(scene.untouched(table), 1):
            compared = scene.turned(field for field in ((*view.keys, *view.sums) if view else row) if field != "id")
            for field in compared[:1]:
                value = next(other_values(row[field], scene.column(table, field)))
                yield Outcome(scene.edited((table, key, (row, {**row, field: value}))))


def _extra_delete(scene: Scene) -> Iterator[Outcome]:
    for table in _framed(scene):
        for key, row in islice(scene.untouched(table), 1):
            yield Outcome(scene.edited((table, key, (row, None))))


# --- ledgers: held by totals and relations ------------------------------------------------------------------------


def _entries(scene: Scene) -> Iterator[tuple[str, str, Row]]:
    """Yield the ledger entries that the gold makes."""
    for table in scene.amounts:
        for key, (before, after) in scene.gold.delta.get(table, {}).items():
            if before is None and after is not None:
                yield table, key, after


def _wrong_entry(scene: Scene) -> Iterator[Outcome]:
    for table, key, after in _entries(scene):
        for column in scene.amounts[table]:
            if is_number(amount := after[column]):
                yield Outcome(scene.edited((table, key, (None, {**after, column: amount + 1}))))


def _missing_entry(scene: Scene) -> Iterator[Outcome]:
    for table, key, _ in _entries(scene):
        yield Outcome(scene.edited((table, key, None)))


def _extra_entry(scene: Scene) -> Iterator[Outcome]:
    for table, columns in scene.amounts.items():
        old = (row for _, row in scene.untouched(table))
        rows = [*(row for name, _, row in _entries(scene) if name == table), *islice(old, 1)]
        for row in rows:
            if not columns or any(row[column] for column in columns):
                yield Outcome(scene.edited(_copy(table, row, "extra")))


def _changed_entry(scene: Scene) -> Iterator[Outcome]:
    for table in scene.amounts:
        for key, row in islice(scene.untouched(table), 1):
            field = scene.turned(name for name in row if name != "id")[0]
            value = next(other_values(row[field], scene.column(table, field)))
            yield Outcome(scene.edited((table, key, (row, {**row, field: value}))))


def _deleted_entry(scene: Scene) -> Iterator[Outcome]:
    for table in scene.amounts:
        for key, row in islice(scene.untouched(table), 1):
            yield Outcome(scene.edited((table, key, (row, None))))


OPERATORS: tuple[tuple[str, Group, Operator, int], ...] = (
    ("missing_change", "goal", _missing_change, 8),
    ("wrong_value", "goal", _wrong_value, 14),
    ("wrong_reference", "goal", _wrong_reference, 4),
    ("undo_field", "goal", _undo_field, 3),
    ("wrong_row", "goal", _wrong_row, 3),
    ("duplicate_create", "goal", _duplicate_create, 3),
    ("extra_unit", "goal", _extra_unit, 2),
    ("wrong_entry", "goal", _wrong_entry, 2),
    ("missing_entry", "goal", _missing_entry, 2),
    ("missing_answer", "goal", _missing_answer, 3),
    ("wrong_answer", "goal", _wrong_answer, 5),
    ("needless_decline", "goal", _needless_decline, 1),
    ("missing_ask", "goal", _missing_ask, 2),
    ("blank", "goal", _blank, 1),
    ("allowed_outside", "allowance", _allowed_outside, 4),
    ("allowed_too_often", "allowance", _allowed_too_often, 2),
    ("allowed_elsewhere", "allowance", _allowed_elsewhere, 2),
    ("foreign_field", "frame", _foreign_field, 3),
    ("extra_create", "frame", _extra_create, 3),
    ("extra_update", "frame", _extra_update, 3),
    ("extra_delete", "frame", _extra_delete, 3),
    ("extra_entry", "frame", _extra_entry, 1),
    ("changed_entry", "frame", _changed_entry, 1),
    ("deleted_entry", "frame", _deleted_entry, 1),
)
"""Operator, group, how it is made, and how many of it a task gets at most."""
