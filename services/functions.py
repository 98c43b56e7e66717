"""Pure functions that both the planner and the validators need; everything else they compute on their own.

The closed table of functions of plans and goals is the algebra (`services.runtime.algebra`); here stands how the
expectations
of a task's parts become one.
"""

from __future__ import annotations

from itertools import product
from typing import TYPE_CHECKING

from schemas.base import canonical
from schemas.contract import Change, Contract, Equal, Expectation, Left, Ref, RequiredAsk, Rule, Total

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence


class PartsConflict(ValueError):
    """Two parts of a task want different things of one record."""


def merge_expectations(parts: Sequence[tuple[str, Expectation]]) -> Expectation:
    """Return the expectation of a task from those of its parts, each with the prefix of its answers and variables.

    Contracts are combined each with each, in order. Equal changes, such as the effect of a gate that two parts pass,
    count once;
    changes of one record join their fields; amounts taken from one field add, and so do equal totals. Afterwards
    nothing is left
    to add: `Left` becomes `Equal` and `beyond` is applied. Raise PartsConflict when two parts want different values of
    a field.
    """
    contracts = [_merge_contracts(chosen) for chosen in product(*([(p, c) for c in e.any_of] for p, e in parts))]
    answers = [a.changed({"name": prefix + a.name}) for prefix, e in parts for a in e.answers]
    asks = list(dict.fromkeys(ask.gate for _, e in parts for ask in e.asks))
    return Expectation(any_of=_unique(contracts), answers=answers, asks=[RequiredAsk(gate=gate) for gate in asks])


def _unique(contracts: Iterable[Contract]) -> list[Contract]:
    return list({canonical(contract): contract for contract in contracts}.values())


def _merge_contracts(chosen: Sequence[tuple[str, Contract]]) -> Contract:
    changes: dict[bytes, Change] = {}
    totals: dict[bytes, Total] = {}
    for prefix, contract in chosen:
        for change in contract.changes:
            named = _named(change, prefix)
            # Two creates are two records, however alike; any other change is known by its record.
            key = canonical([named.op, named.table, named.id, len(changes) if named.op == "create" else 0])
            changes[key] = _join(changes[key], named) if key in changes else named
        for total in contract.totals:
            key = canonical([total.table, total.where, total.column, total.fn, total.beyond])
            known = totals.get(key)
            totals[key] = total if known is None else known.changed({"value": known.value + total.value})
    return Contract(
        changes=[_settled(change) for change in changes.values()],
        totals=[_beyond(total) for total in totals.values()],
        allowed=[allowed for _, contract in chosen for allowed in contract.allowed],
        relations=list(dict.fromkeys(name for _, contract in chosen for name in contract.relations)),
    )


def _named(change: Change, prefix: str) -> Change:
    if not prefix:
        return change
    fields = {n: Ref(var=prefix + r.var) if isinstance(r, Ref) else r for n, r in change.fields.items()}
    return change.changed({"fields": fields, "var": prefix + change.var if change.var else ""})


def _join(one: Change, other: Change) -> Change:
    fields = dict(one.fields)
    for name, rule in other.fields.items():
        fields[name] = _both(fields[name], rule, other) if name in fields else rule
    return one.changed({"fields": fields})


def _both(one: Rule, other: Rule, change: Change) -> Rule:
    if isinstance(one, Left) and isinstance(other, Left) and one.start == other.start:
        return Left(start=one.start, amounts=[*one.amounts, *other.amounts])
    if canonical(one) == canonical(other):
        return one
    msg = f"two parts of the task want different things of {change.id!r} in {change.table!r}"
    raise PartsConflict(msg)


def _settled(change: Change) -> Change:
    if not any(isinstance(rule, Left) for rule in change.fields.values()):
        return change
    fields = {
        name: Equal(value=max(0, rule.start - sum(rule.amounts))) if isinstance(rule, Left) else rule
        for name, rule in change.fields.items()
    }
    return change.changed({"fields": fields})


def _beyond(total: Total) -> Total:
    if total.beyond is None:
        return total
    return total.changed({"value": max(0, total.value - total.beyond), "beyond": None})
