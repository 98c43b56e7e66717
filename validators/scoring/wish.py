"""What the user wants, as far as yes and no: judged on the contract, without saying what would be right.

Only what a call touches is looked at. A record that is there from the start may be changed or deleted where a contract
changes or deletes it, and to the words that the contract names; how far a count has come is not looked at. No more
records of a table may come into being than the contract brings about. Where a call carries out a record that was made
in the conversation, such as the payment of an order, records that only count differently by it, or that now refer to
it, are looked at by their number and not by which they are: that would tell which new record is right.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from schemas.contract import Equal, OneOf
from validators.contract.changes import Fact, facts_of, rows_held

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from schemas.base import Json
    from schemas.contract import Change, Contract, Rule
    from services.runtime.declare import Side, Table
    from services.runtime.environment import Environment
    from validators.contract.changes import Delta, HeldRows, Row
    from validators.contract.patterns import Key
    from validators.tasks.context import TaskContext


class WishOf:
    """The wish of a task's user in a running environment, which stands as it stood after every question."""

    def __init__(self, context: TaskContext, env: Environment) -> None:
        """Take the contracts of the task; `env` started at the task's start."""
        self._context = context
        self._env = env
        tables = context.catalogue.tables
        self._tables = tables
        self._wanted = [_Wanted(contract, tables) for contract in context.task.expectation.any_of]

    def accepts(self, tool: str, arguments: Mapping[str, Json], side: Side) -> bool:
        """Return whether a call, made now, would do nothing that the user does not want.

        A call that needs the user's yes is taken as if it had it. One that fails is not wanted, except that of a user
        whom a closed gate stops: it does nothing, and the user learns why.
        """
        env = self._env
        before, footprint, unavailable = env.snapshot(), env.footprint, env.unavailable
        try:
            result = env.call(tool, arguments, side)
            if _error(result).get("code") == "CONFIRMATION_REQUIRED":
                env.confirm(tool, arguments)
                result = env.call(tool, arguments, side)
            if "error" in result:
                return side == "user" and "gate" in _error(result)
            return self._is_wanted(env.delta(), env.footprint.writes)
        finally:
            env.restore(before)
            env.footprint, env.unavailable = footprint, unavailable

    def fulfilled(self) -> bool:
        """Return whether the state is one in which the request is met, answers and questions apart."""
        state = self._env.state_
        return self._context.judge.judge_end(state.delta(), self._context.holds(state)).passed

    def _is_wanted(self, delta: Delta, writes: Iterable[tuple[str, str]]) -> bool:
        base = self._env.state_.base.tables
        touched = set(writes)
        carries_out = any(key not in base[table] for table, key in touched)
        tables = {table for table, _ in touched}
        facts = facts_of({name: delta[name] for name in tables if name in delta}, self._tables, self._held(tables))
        looked_at = [f for f in facts if not f.id or (f.table, f.id) in touched or f.op == "create"]
        return any(wanted.covers(looked_at, carries_out=carries_out) for wanted in self._wanted)

    def _held(self, tables: Iterable[str]) -> Mapping[str, HeldRows]:
        viewed = [name for name in tables if self._tables[name].view is not None]
        return rows_held({name: self._context.tables[name].values() for name in viewed}, self._tables)


def _error(result: Mapping[str, Json]) -> Mapping[str, Json]:
    error = result.get("error")
    return error if isinstance(error, dict) else {}


class _Wanted:
    """What one contract lets happen."""

    def __init__(self, contract: Contract, tables: Mapping[str, Table]) -> None:
        self._tables = tables
        changes = [(change, 1) for change in contract.changes]
        changes += [(allowed.change, allowed.at_most) for allowed in contract.allowed]
        self._free = {total.table for total in contract.totals if tables[total.table].ledger}
        self._created: Counter[str] = Counter()
        self._moved: Counter[str] = Counter()
        self._rules: dict[Key, list[Change]] = {}
        for change, times in changes:
            if change.op == "create":
                self._created[change.table] += times
            else:
                self._moved[change.table] += times
                self._rules.setdefault((change.op, change.table, change.id), []).append(change)

    def covers(self, facts: list[Fact], *, carries_out: bool) -> bool:
        """Return whether all that happened may happen, as far as one can say before it is over."""
        created: Counter[str] = Counter()
        moved: Counter[str] = Counter()
        for fact in facts:
            if fact.op == "create":
                created[fact.table] += fact.table not in self._free
            elif carries_out and self._follows(fact):
                moved[fact.table] += 1
            elif not self._is_named(fact):
                return False
        # Counters compare by inclusion: no table may have more than the contract gives it.
        return created <= self._created and moved <= self._moved

    def _is_named(self, fact: Fact) -> bool:
        rules = self._rules.get((fact.op, fact.table, fact.id), ())
        return any(_fits(change, fact) for change in rules)

    def _follows(self, fact: Fact) -> bool:
        """Return whether a record only counts differently, or refers to something else, than before."""
        if fact.op != "update":
            return False
        references = self._tables[fact.table].references
        return all(name in references or _is_count(fact.after, name) for name in _changed(fact))


def _changed(fact: Fact) -> list[str]:
    before, after = fact.before or {}, fact.after or {}
    return [name for name, value in after.items() if before.get(name) != value]


def _is_count(row: Row | None, name: str) -> bool:
    value = (row or {}).get(name)
    return isinstance(value, int) and not isinstance(value, bool)


def _fits(change: Change, fact: Fact) -> bool:
    """Return whether a change is the kind of change that a contract names, to the words that it names."""
    if fact.op == "delete":
        # Of a row of a view, the keys say which it is.
        return all(_may_be(rule, (fact.before or {}).get(name)) for name, rule in change.fields.items())
    after = fact.after or {}
    return set(_changed(fact)) <= change.fields.keys() and all(
        _may_be(rule, after.get(name)) for name, rule in change.fields.items() if name in _changed(fact) or not fact.id
    )


def _may_be(rule: Rule, value: Json) -> bool:
    """Return whether a word may be this one; of a count, a list or an object it is not said."""
    if isinstance(value, (int, float, list, dict)) and not isinstance(value, bool):
        return True
    if isinstance(rule, Equal):
        return rule.value == value
    return value in rule.values if isinstance(rule, OneOf) else True
