"""End-states that a contract accepts, constructed from its changes: what a mutant must differ from."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.contract import AnyValue, Equal, OneOf, Range, Ref
from services.runtime.records import fields_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.base import Json
    from schemas.contract import Change, Contract, Rule
    from services.runtime.declare import Table
    from validators.contract.alter import State
    from validators.contract.changes import Delta, Pair


class NotConstructible(ValueError):
    """No single end-state follows from the contract: free text, a changed row of a view, or a total."""


def accepted_delta(contract: Contract, start: State, tables: Mapping[str, Table]) -> Delta:
    """Return one end that the required changes of `contract` describe.

    Raises:
        NotConstructible: the values of a change do not follow from the contract.
    """
    if contract.totals:
        raise NotConstructible("records may sum to a total in many ways")
    ids = {change.var: f"new_{n}" for n, change in enumerate(contract.changes) if change.var}
    delta: dict[str, dict[str, Pair]] = {}
    for number, change in enumerate(contract.changes):
        key = change.id or f"new_{number}"
        pair = accepted_pair(change, key, start, tables[change.table], ids)
        if pair[0] != pair[1]:
            delta.setdefault(change.table, {})[key] = pair
    return delta


def accepted_pair(change: Change, key: str, start: State, table: Table, ids: Mapping[str, str]) -> Pair:
    """Return the record with id `key` before and after `change`; `ids` are the ids bound to variables."""
    if change.op == "create":
        # A row of a view names fewer fields than a record has; the others are not compared.
        fields = {name: None for name in fields_of(table.record) if name != "id"}
        # Where anything will do, what another record of the table holds is at least of the right type.
        like = next(iter(start[change.table].values()), fields)
        anything = {name: like[name] for name, rule in change.fields.items() if isinstance(rule, AnyValue)}
        return None, {**fields, **_values(change, ids), **anything, "id": key}
    if table.view is not None:
        raise NotConstructible(f"a changed row of the view of {change.table!r} is no single record")
    before = start[change.table][key]
    return before, None if change.op == "delete" else {**before, **_values(change, ids)}


def _values(change: Change, ids: Mapping[str, str]) -> dict[str, Json]:
    return {name: _value(rule, ids) for name, rule in change.fields.items()}


def _value(rule: Rule, ids: Mapping[str, str]) -> Json:
    match rule:
        case Equal():
            return rule.value
        case OneOf():
            return rule.values[0]
        case Range():
            return rule.low
        case Ref():
            return ids[rule.var]
        case AnyValue():
            return None
        case _:
            raise NotConstructible("no single text follows from the values it must state")
