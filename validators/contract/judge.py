"""The judge: whether an outcome meets the expectation of its task.

An outcome passes when every required answer was told, every required question was asked, and one of the acceptable
contracts holds for what changed between start and end. What decides what:

- Answers are equal as typed values; `names` as sets. Answers nobody asked for are ignored, except a `reason`: who
  declines what was to be done has not done it.
- Required changes take the changed records one to one. An update changes exactly the named fields. Ids of created
  records are free, but `ref` rules must hold among them.
- Viewed tables are compared by the rows of their view (see `changes.view_facts`).
- New entries of a ledger are free where a total speaks of the ledger, so that they may be split; relations hold them.
  Old entries never change or go.
- Totals count and sum created records, one by one, also in viewed tables and ledgers.
- Every other change must be one of the allowed, each within its bound.
- Relations are asked last, and only when all else holds.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from validators.contract.changes import Delta, Fact, Held, HeldRows, Pair, created_records, rows_held, table_facts
from validators.contract.compile import CompiledContract, compile_contract, demands
from validators.contract.matching import Matching, TooManyBindings, refs_hold
from validators.contract.values import InvalidContract, is_reason, same, same_names

if TYPE_CHECKING:
    from schemas.base import Json
    from schemas.contract import Expectation
    from services.runtime.declare import Table
    from validators.contract.patterns import Key

Holds: TypeAlias = Callable[[str], bool]
"""Whether the named relation is true at the end."""


class Judgement(NamedTuple):
    """What the judge says of one outcome."""

    passed: bool
    reason: str
    """Why it does not pass, in one sentence; empty when it does."""
    contract_index: int
    """The contract that holds; -1 when none does."""


class Coverage(NamedTuple):
    """How much of a contract an end-state meets, one change apart from the other."""

    required: int
    """Required changes."""
    met: int
    """Those that happened."""
    beside: int
    """Changes that are neither required nor allowed."""


class _Facts(NamedTuple):
    """Facts of an end-state or of one of its tables, found by operation, table and id."""

    items: list[Fact]
    groups: dict[Key, list[int]]
    entries: list[int]
    """New entries of ledgers."""


class _Reading(NamedTuple):
    """What a contract finds among the facts of one table."""

    missing: int
    """The first required change that did not happen, by its number; the number of all of them when each did."""
    chosen: Mapping[int, Fact]
    """A fact that is the required change, by its number."""
    exact: bool
    """Whether each of these is the only one, and there are no others but free ones."""
    counted: int
    """Facts that are not free."""


class _Known(NamedTuple):
    """The changed records of a table, their facts, and what each contract finds among them."""

    records: Mapping[str, Pair]
    facts: _Facts
    readings: tuple[_Reading, ...]


class Judge:
    """A compiled expectation; pure, and cheap to ask many times."""

    __slots__ = ("_answers", "_asks", "_contracts", "_grouped", "_held", "_known", "_tables")

    def __init__(self, expectation: Expectation, tables: Mapping[str, Table], now: str, held: Held) -> None:
        """Compile; see `compile_expectation`."""
        self._tables = tables
        self._held = held
        self._grouped: dict[str, HeldRows] = {}
        """Viewed table -> its records at the start by the rows of its view, for tables in which something changed."""
        self._answers = {answer.name: (answer.kind, answer.value) for answer in expectation.answers}
        self._asks = tuple(ask.gate for ask in expectation.asks)
        self._contracts = tuple(compile_contract(contract, tables, now) for contract in expectation.any_of)
        self._known: dict[int, _Known] = {}
        """The changed records of a table, by their identity: outcomes mostly differ in one table."""

    def judge(self, delta: Delta, answers: Mapping[str, Json], asks: Collection[str], holds: Holds) -> Judgement:
        """Return whether an outcome passes.

        `delta` is what changed between start and end, `answers` the typed values told, `asks` the gates whose consent
        was asked for, and `holds` says whether a named relation is true at the end.

        Raises:
            KeyError: a changed record lacks a declared field.
            TypeError: a total or a view would sum what is no number.
        """
        fault = self.told_fault(answers, asks)
        if fault:
            return Judgement(False, fault, -1)
        return self.judge_end(delta, holds)

    def judge_end(self, delta: Delta, holds: Holds) -> Judgement:
        """Return whether the end-state alone passes: whether one of the contracts holds, answers and asks apart.

        Raises as `judge` does.
        """
        if not delta.keys() <= self._tables.keys():
            return Judgement(False, f"the table {min(delta.keys() - self._tables.keys())!r} is not declared", -1)
        known = self._known_of(delta)
        faults: list[str] = []
        for index, contract in enumerate(self._contracts):
            fault = _changes_fault(contract, index, delta, known) or _rest_fault(contract, delta, holds)
            if not fault:
                return Judgement(True, "", index)
            faults.append(fault)
        return Judgement(False, faults[0], -1)

    def coverage(self, delta: Delta, index: int = -1) -> Coverage:
        """Return how much of the contract `index` an end-state meets; of the best one when that is -1."""
        facts = _joined(table.facts for table in self._known_of(delta))
        contracts = self._contracts if index < 0 else self._contracts[index : index + 1]
        found = [_coverage(contract, facts) for contract in contracts]
        return max(found, key=lambda one: (one.met - one.required, -one.beside))

    def told_fault(self, answers: Mapping[str, Json], asks: Collection[str]) -> str:
        """Return what is wrong with the answers told and the gates asked for, or nothing."""
        for name, (kind, value) in self._answers.items():
            if name not in answers:
                return f"the answer {name!r} is missing"
            equal = same_names if kind == "names" else same
            if not equal(answers[name], value):
                return f"the answer {name!r} is not {value!r}"
        for name, value in answers.items():
            if is_reason(name) and value is not None and name not in self._answers:
                return "the request was declined although it can be met"
        for gate in self._asks:
            if gate not in asks:
                return f"the consent for {gate!r} was not asked for"
        return ""

    def _known_of(self, delta: Delta) -> list[_Known]:
        known = self._known
        return [known.get(id(records)) or self._learn(table, records) for table, records in delta.items()]

    def _learn(self, table: str, records: Mapping[str, Pair]) -> _Known:
        if len(self._known) >= _KEPT:
            self._known.clear()
        declared = self._tables[table]
        facts = _grouped(table_facts(declared, records, self._held_of(table)), declared)
        readings = tuple([_read(contract, table, facts) for contract in self._contracts])
        known = self._known[id(records)] = _Known(records, facts, readings)
        return known

    def _held_of(self, table: str) -> HeldRows:
        found = self._grouped.get(table)
        if found is None:
            held = {table: self._held[table]} if table in self._held else {}
            found = self._grouped[table] = rows_held(held, self._tables).get(table, {})
        return found


_KEPT = 64
"""Tables of outcomes whose facts a judge keeps."""


def _grouped(items: list[Fact], table: Table) -> _Facts:
    """Return the facts of one table."""
    groups: dict[Key, list[int]] = {}
    for index, (op, name, key, _, _) in enumerate(items):
        groups.setdefault((op, name, "" if op == "create" else key), []).append(index)
    return _Facts(items, groups, groups.get(("create", table.name, ""), []) if table.ledger else [])


def _joined(tables: Iterable[_Facts]) -> _Facts:
    """Return the facts of all tables together."""
    items: list[Fact] = []
    groups: dict[Key, list[int]] = {}
    entries: list[int] = []
    for facts in tables:
        first = len(items)
        items += facts.items
        groups |= {key: [first + index for index in found] for key, found in facts.groups.items()}
        entries += [first + index for index in facts.entries]
    return _Facts(items, groups, entries)


def _read(contract: CompiledContract, table: str, facts: _Facts) -> _Reading:
    """Return what a contract finds among the facts of one table."""
    items, groups = facts.items, facts.groups
    chosen: dict[int, int] = {}
    unique = True
    for number, pattern in contract.by_table.get(table, ()):
        holds = pattern.holds
        found = [i for i in groups.get(pattern.key, ()) if holds(items[i])]
        if not found:
            return _Reading(number, {}, False, 0)
        chosen[number] = found[0]
        unique = unique and len(found) == 1
    free = facts.entries if table in contract.ledgers else ()
    exact = unique and len({*free, *chosen.values()}) == len(chosen) + len(free) == len(items)
    named = {number: items[index] for number, index in chosen.items()}
    return _Reading(len(contract.required), named, exact, len(items) - len(free))


def _rest_fault(contract: CompiledContract, delta: Delta, holds: Holds) -> str:
    """Return what breaks the contract although all changes are as it says, or nothing."""
    for total in contract.totals:
        if not total.compare(total.sum(created_records(delta, total.table)), total.value):
            return total.missed
    for name in contract.relations:
        if not holds(name):
            return f"the relation {name!r} does not hold"
    return ""


def _changes_fault(contract: CompiledContract, index: int, delta: Delta, known: list[_Known]) -> str:
    """Return what is missing or too much. Where every required change has one candidate, nothing has to be searched."""
    required, patterns = contract.required, contract.patterns
    readings = [table.readings[index] for table in known]
    absent = [changes[0][0] for table, changes in contract.by_table.items() if table not in delta]
    missing = min([reading.missing for reading in readings] + absent, default=len(required))
    if missing < len(required):
        return required[missing].missing
    if all([reading.exact for reading in readings]):
        return _refs_fault(contract, readings) if contract.refers else ""
    if sum([reading.counted for reading in readings]) > len(required) == len(patterns):
        return "something changed beside what was required"
    items, groups, entries = _joined(table.facts for table in known)
    free = {i for i in entries if items[i].table in contract.ledgers}
    try:
        fits = Matching(patterns, len(required), items, groups, free).exists()
    except TooManyBindings as error:
        return str(error)
    return "" if fits else "the changes do not fit what is required and allowed"


def _coverage(contract: CompiledContract, facts: _Facts) -> Coverage:
    """Return the figures of one contract; what refers to what is left aside."""
    items, groups = facts.items, facts.groups
    free = {i for i in facts.entries if items[i].table in contract.ledgers}
    taken: set[int] = set()
    met = 0
    for number, pattern in enumerate(contract.patterns):
        found = [i for i in groups.get(pattern.key, ()) if i not in taken and pattern.holds(items[i])]
        used = found[: pattern.at_most]
        taken.update(used)
        met += len(used) if number < len(contract.required) else 0
    return Coverage(len(contract.required), met, len(items) - len(taken | free))


def _refs_fault(contract: CompiledContract, readings: Iterable[_Reading]) -> str:
    chosen = {number: fact for reading in readings for number, fact in reading.chosen.items()}
    ids = {pattern.var: chosen[number].id for number, pattern in enumerate(contract.required) if pattern.var}
    for number, pattern in enumerate(contract.required):
        if pattern.refs and not refs_hold(pattern, chosen[number], ids):
            return f"{pattern.missing}: it refers to another record"
    return ""


def compile_expectation(
    expectation: Expectation, tables: Mapping[str, Table], now: str, held: Held | None = None
) -> Judge:
    """Return the judge of an expectation.

    `now` is the frozen clock at the start. `held` gives the records of viewed tables at the start, which must stay as
    they are; it may be left out where no record that stays shares the view keys of one that changes.

    Raises:
        InvalidContract: it demands nothing, cannot be met, or leaves a field of a created record open.
    """
    if not expectation.any_of:
        raise InvalidContract("the expectation has no contract, so nothing could ever pass")
    names = [answer.name for answer in expectation.answers]
    if len(set(names)) < len(names):
        raise InvalidContract(f"two answers have the same name among {names}")
    if not names and not expectation.asks and not all(demands(contract) for contract in expectation.any_of):
        raise InvalidContract("the expectation demands no change, no answer and no question: doing nothing would pass")
    return Judge(expectation, tables, now, held or {})
