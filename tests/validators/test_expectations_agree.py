"""Both derivations of an expectation, direct and by SQL, give the same canonical JSON for any goal over any state."""

from __future__ import annotations

from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.tasks import expect as direct
from schemas import goal as g
from schemas.base import Json, canonical
from schemas.task import Consent, UserScript
from services.runtime.algebra import compile_pred, evaluate_goal
from services.runtime.catalogue import Catalogue, CompiledGate
from services.runtime.declare import Gate, Table
from services.runtime.families import Tools
from services.runtime.records import Record
from tests.effort import amount
from tests.validators.goal_strategies import NOW, TABLES, Builder, Kind, slot_values, states
from tests.validators.goal_strategies import Record as Row
from tests.validators.test_engines_agree import LARGE, Tables
from validators.engine.database import Database
from validators.engine.expect import GoalMismatch, derive_expectation


class Item(Record, frozen=True):
    kind: str | None


class Owner(Record, frozen=True):
    at: str | None


DECLARED = {"items": Table("items", Item, "item"), "owners": Table("owners", Owner, "owner", stamps=("at",))}
DB = Database({name: tuple(columns) for name, columns in TABLES.items()}, {})


def _gate(name: str, kind: str) -> Gate:
    items = g.Select(
        source=g.Table(table="items", prefix="i"),
        where=g.Test(fn="eq", left=g.Col(name="i.kind"), right=g.Const(value=kind)),
    )
    closed = g.Test(fn="gt", left=g.Aggregate(fn="count", source=items), right=g.Const(value=0))
    effect = g.Write(
        op="update", table="items", id=g.Const(value=name), fields={"kind": g.FieldIs(value=g.Const(value=None))}
    )
    return Gate(name, "DENIED", "closed", closed, effect=(effect,))


GATES = {name: _gate(name, kind) for name, kind in (("one", "tea"), ("two", "oat"))}
CATALOGUE = Catalogue(
    services={},
    tables=DECLARED,
    world_tables={},
    tools=Tools({}),
    gates={name: CompiledGate(gate, compile_pred(gate.closed), {}) for name, gate in GATES.items()},
    invariants={},
    kinds={},
    table_of={},
)


OPS: list[Literal["create", "update", "delete"]] = ["create", "update", "delete"]
REASONS: list[g.Reason] = ["none_satisfies", "consent_refused"]


@st.composite
def whole_goals(draw: st.DrawFn) -> g.Goal:
    """A goal with writes, totals, answers, gates and now and then a decline."""
    builder = Builder(draw)
    goal = builder.goal()
    relations = builder.relations

    def rule(row: dict[str, Kind]) -> g.FieldGoal:
        match builder.one(["is", "is", "in", "within", "any", "ref"]):
            case "in":
                return g.FieldIn(values=[builder.expr("text", row, 1) for _ in range(draw(st.integers(1, 2)))])
            case "within":
                return g.FieldWithin(low=builder.expr("int", row, 1), high=builder.expr("int", row, 1))
            case "any":
                return g.FieldAny()
            case "ref":
                return g.FieldRef(var="w0")
            case _:
                return g.FieldIs(value=builder.expr(draw(st.sampled_from(["int", "text", "date", "bool"])), row, 2))

    def write(number: int) -> g.Write:
        rows = builder.one(["", *relations])
        row = dict(relations[rows].columns) if rows else {}
        op = draw(st.sampled_from(OPS))
        fields = {f"f{n}": rule(row) for n in range(draw(st.integers(0, 3)))} if op != "delete" else {}
        key = builder.expr("text", row, 1)
        present = g.When(test=g.Test(fn="ne", left=key, right=g.Const(value=None)), then=key)
        key = g.Case(branches=[present], otherwise=g.Const(value="none"))
        return g.Write(
            op=op,
            table=draw(st.sampled_from(sorted(DECLARED))),
            rows=rows,
            when=builder.pred(row, 1) if draw(st.booleans()) else None,
            id=None if op == "create" else key,
            var=f"w{number}" if op == "create" and not rows else "",
            fields=fields,
        )

    def answer(number: int) -> g.AnswerGoal:
        named = [
            (name, column) for name, rel in relations.items() for column, kind in rel.columns.items() if kind == "text"
        ]
        if named and draw(st.booleans()):
            rows, column = draw(st.sampled_from(named))
            return g.AnswerGoal(name=f"a{number}", kind="names", rows=rows, column=column, cue="c")
        return g.AnswerGoal(name=f"a{number}", kind="count", value=builder.expr("int", {}, 2), cue="c")

    decline = None
    if draw(st.integers(0, 3)) == 3:
        reason = draw(st.sampled_from(REASONS))
        decline = g.Decline(reason=reason, because=builder.pred({}, 1), gate=builder.one(["one", "two"]))
    return goal.model_copy(
        update={
            "writes": [write(n) for n in range(draw(st.integers(0, 3)))],
            "totals": [
                g.TotalGoal(table="items", value=builder.expr("int", {}, 2)) for _ in range(draw(st.integers(0, 1)))
            ],
            "answers": [answer(n) for n in range(draw(st.integers(0, 2)))],
            "gates": draw(st.lists(st.sampled_from(["one", "two"]), unique=True)),
            "relations": ["r"],
            "decline": decline,
        }
    )


SCRIPTS = st.fixed_dictionaries({"one": st.booleans(), "two": st.booleans()}).map(
    lambda given: UserScript(
        style="terse",
        consents=[Consent(gate=name, granted=yes) for name, yes in given.items()],
        top_up="refuse",
    )
)


def agree(goal: g.Goal, tables: dict[str, list[Row]], slots: dict[str, Json], script: UserScript) -> None:
    DB.load_environment("", tables)
    try:
        derived = derive_expectation(goal, slots, NOW, script, GATES, DECLARED, DB)
    except GoalMismatch as error:
        derived = str(error)
    scope = evaluate_goal(goal, Tables(tables), slots, NOW)
    try:
        expected = direct.derive_expectation(goal, scope, script, CATALOGUE)
    except (direct.GoalError, ValueError):
        assert isinstance(derived, str)
        return
    if isinstance(derived, str):
        # Only this engine refuses an answer or a total that has no value.
        assert "no value" in derived or "no whole number" in derived
        return
    assert canonical(derived) == canonical(expected)


def _search(examples: int) -> None:
    drawn = given(whole_goals(), states(), slot_values, SCRIPTS)
    settings(max_examples=examples, suppress_health_check=LARGE)(drawn(agree))()


def test_expectations_agree() -> None:
    _search(amount(40, 120))


@pytest.mark.slow
def test_expectations_agree_on_many_goals() -> None:
    _search(2000)
