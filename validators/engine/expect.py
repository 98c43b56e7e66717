"""The expectation that a goal implies, by the second engine: the other derivation must give the same canonical JSON.

The rules, on the state at the start of the task:

1. `changes` are those of the writes, in their order, then those of the gates. A write without `rows` gives one change,
   a write with `rows` one per row of that node; none where `when` does not hold.
2. A field rule becomes the contract's rule of the same name, with the values of its expressions; `id` becomes the id.
   On `create`, each of the table's `stamps` that the write does not name gets the range from `now` to a day later.
3. The changes of one write with `rows` are sorted by the canonical bytes they have without a variable; then the n-th,
   counted from 0, gets the variable `<var>.<n>`. A write without `rows` keeps `<var>`.
4. Each gate of the goal that is standing, has an effect and is closed adds the changes of its effect, in the order of
   `goal.gates`; the writes of an effect use neither slots nor nodes.
5. `totals`, `relations` and `answers` are in the goal's order, with values for expressions. An answer with `rows` is
   the sorted list of the different values of its column.
6. A declined goal has no writes and no totals. Its `because` must hold. Its answers begin with `reason` (kind and cue
   `reason`); for `consent_refused` and `cannot_afford` the gate of the decline must be asked about. There is one
   contract per subset of the gate effects of rule 4 whose consent the script grants and whose gate is not the one of
   the decline: smaller subsets first, those of one size in the order of `itertools.combinations`. Each allows the
   `residue` of the gate of the decline.
7. A goal that is not declined requires the ask for each gate of rule 4.
"""

from __future__ import annotations

import datetime as dt
from itertools import combinations
from typing import TYPE_CHECKING, NamedTuple, cast

from schemas import goal as g
from schemas.base import canonical
from schemas.contract import Answer, Change, Contract, Expectation, Range, RequiredAsk, Total
from services.runtime.identity import by_identity
from validators.engine.evaluate import evaluate_pred
from validators.engine.goal_sql import Query
from validators.engine.recipe import Filled, GoalMismatch, WriteRecipe, filled, recipe_of, rows_of, whole

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.base import Json
    from schemas.task import UserScript
    from services.runtime.declare import Gate, Table
    from validators.engine.database import Database
    from validators.engine.recipe import Row

_ASKED = ("consent_refused", "cannot_afford")


class _Start(NamedTuple):
    """Where and when the goal is evaluated."""

    slots: Mapping[str, Json]
    now: str
    tables: Mapping[str, Table]
    db: Database


def derive_expectation(
    goal: g.Goal,
    slots: Mapping[str, Json],
    now: str,
    script: UserScript,
    gates: Mapping[str, Gate],
    tables: Mapping[str, Table],
    db: Database,
) -> Expectation:
    """Return what decides whether an outcome passes; the database holds the state at the start of the task.

    Raises:
        GoalMismatch: the goal does not fit the state.
        GoalError: the goal refers to what is not there.
    """
    start = _Start(slots, now, tables, db)
    effects = {
        name: _written(_filled(_effect_goal(gates[name]), start), start)
        for name in goal.gates
        if gates[name].standing and gates[name].effect and evaluate_pred(gates[name].closed, {}, now, db)
    }
    asks = [RequiredAsk(gate=name) for name in effects]
    for consent in script.consents:
        if consent.once:
            # The user takes it back, so that nothing of it is left.
            effects.pop(consent.gate, None)
    own = _filled(goal, start)
    recipe, row = own.recipe, own.row
    answers = [_answer(a, place, own, db) for a, place in zip(goal.answers, recipe.answers, strict=True)]
    if goal.decline is None:
        changes = [*_written(own, start), *(change for effect in effects.values() for change in effect)]
        totals = [_total(total, row, places) for total, places in zip(goal.totals, recipe.totals, strict=True)]
        contract = Contract(changes=changes, totals=totals, relations=goal.relations)
        return Expectation(any_of=[contract], answers=answers, asks=asks)
    if row[recipe.because] != 1:
        raise GoalMismatch(f"the request need not be declined as {goal.decline.reason!r}")
    return Expectation(
        any_of=_declined_ends(goal, goal.decline, effects, script, gates),
        answers=[Answer(name="reason", kind="reason", value=goal.decline.reason, cue="reason"), *answers],
        asks=[RequiredAsk(gate=goal.decline.gate)] if goal.decline.reason in _ASKED else [],
    )


@by_identity
def _effect_goal(gate: Gate) -> g.Goal:
    """Return what opening a gate does, as a goal."""
    return g.Goal(writes=list(gate.effect))


def _declined_ends(
    goal: g.Goal,
    decline: g.Decline,
    effects: Mapping[str, list[Change]],
    script: UserScript,
    gates: Mapping[str, Gate],
) -> list[Contract]:
    if decline.reason in _ASKED and not decline.gate:
        raise GoalMismatch(f"a decline as {decline.reason!r} must name the gate that was asked about")
    granted = {consent.gate for consent in script.consents if consent.granted}
    optional = [effect for name, effect in effects.items() if name in granted and name != decline.gate]
    residue = list(gates[decline.gate].residue) if decline.gate else []
    return [
        Contract(changes=[change for effect in chosen for change in effect], allowed=residue, relations=goal.relations)
        for size in range(len(optional) + 1)
        for chosen in combinations(optional, size)
    ]


# --- filling in values --------------------------------------------------------------------------------------------


def _filled(goal: g.Goal, start: _Start) -> Filled:
    return filled(recipe_of(goal, start.db), start.slots, start.now, start.db)


def _written(own: Filled, start: _Start) -> list[Change]:
    changes: list[Change] = []
    for write in own.recipe.writes:
        rows, named = rows_of(write, own, start.db), write.write.var
        if not write.write.rows:
            changes += [_change(write, row, start, named) for row in rows]
            continue
        found = sorted((_change(write, row, start, "") for row in rows), key=canonical)
        changes += [c.changed({"var": f"{named}.{n}"}) for n, c in enumerate(found)] if named else found
    return changes


def _change(write: WriteRecipe, row: Row, start: _Start, var: str) -> Change:
    goal = write.write
    key = row[write.id] if write.id >= 0 else ""
    if not isinstance(key, str):
        raise GoalMismatch(f"the {goal.op} in {goal.table!r} has the id {key!r}, which is no id")
    fields = {name: rule_of(row) for name, rule_of in write.rules.items()}
    if goal.op == "create":
        until = (dt.datetime.fromisoformat(start.now) + dt.timedelta(days=1)).isoformat()
        for stamp in start.tables[goal.table].stamps:
            fields.setdefault(stamp, Range(low=start.now, high=until))
    return Change(op=goal.op, table=goal.table, id=key, var=var, fields=fields)


def _total(total: g.TotalGoal, row: Row, places: tuple[int, int]) -> Total:
    value, beyond = places
    return Total(
        table=total.table,
        where=total.where,
        column=total.column,
        fn=total.fn,
        value=whole(row[value]),
        beyond=None if beyond < 0 else whole(row[beyond]),
    )


def _answer(answer: g.AnswerGoal, place: int | Query, own: Filled, db: Database) -> Answer:
    value: Json
    if isinstance(place, Query):
        found = db.fetch(place, own.bound)
        value = cast("list[Json]", sorted({str(name) for (name,) in found}))
    else:
        value = own.row[place] if place >= 0 else None
        if value is None:
            raise GoalMismatch(f"the answer {answer.name!r} has no value")
    return Answer(name=answer.name, kind=answer.kind, value=value, cue=answer.cue)
