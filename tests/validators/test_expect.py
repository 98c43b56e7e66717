"""The expectation that a goal implies, rule by rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import pytest

from schemas import goal as g
from schemas.base import Json, Scalar
from schemas.contract import (
    Answer,
    AnyValue,
    Change,
    Contract,
    Equal,
    Expectation,
    OneOf,
    Range,
    Ref,
    RequiredAsk,
    Rule,
    Total,
)
from schemas.task import Consent, UserScript
from services.runtime.declare import Gate
from tests.validators.toy import NOW, TABLES, entry, note, product, state
from validators.contract.changes import Delta
from validators.engine.database import open_database
from validators.engine.expect import GoalMismatch, derive_expectation
from validators.engine.relations import holds_after
from validators.engine.sql import GoalError

UNTIL = "2025-05-04T12:00:00"
START = state(
    notes=[note("n1", "milk", tag="food"), note("n2", "bread"), note("n3", "milk")],
    ledger=[entry("e1", -700)],
    wallet=[{"id": "wallet", "balance_cents": 1000, "opening_cents": 1700}],
    products=[product("p1", 5), product("p2", 8, "Rice"), product("p3", 0, "Rye")],
    permissions=[{"id": name, "allowed": name == "open"} for name in ("open", "purchase", "notes", "raw")],
)
DB = open_database(TABLES, {})
DB.load_environment("toy", {name: rows.values() for name, rows in START.items()})


def c(value: Scalar) -> g.Const:
    return g.Const(value=value)


def col(name: str) -> g.Col:
    return g.Col(name=name)


def is_(value: g.Expr) -> g.FieldIs:
    return g.FieldIs(value=value)


def allowed(key: str) -> g.Lookup:
    where = g.Test(fn="eq", left=col("p.id"), right=c(key))
    return g.Lookup(source=g.Table(table="permissions", prefix="p"), where=where, field="p.allowed")


def gate(name: str, *, effect: bool = True, standing: bool = True) -> Gate:
    closed = g.Test(fn="ne", left=allowed(name), right=c(True))
    if not standing:
        closed = g.Test(fn="gt", left=g.Slot(name="amount"), right=c(0))
    grant = g.Write(op="update", table="permissions", id=c(name), fields={"allowed": is_(c(True))})
    return Gate(name, "DENIED", "closed", closed, standing=standing, effect=(grant,) if effect else ())


GATES = {name: gate(name) for name in ("open", "purchase", "notes", "raw")}
GATES["balance"] = gate("balance", effect=False, standing=False)


def granted(key: str) -> Change:
    return Change(op="update", table="permissions", id=key, fields={"allowed": Equal(value=True)})


def derive(
    goal: g.Goal, consents: Mapping[str, bool] | None = None, slots: Mapping[str, Json] | None = None
) -> Expectation:
    given = [Consent(gate=name, granted=yes) for name, yes in (consents or {}).items()]
    script = UserScript(style="terse", consents=given, top_up="refuse")
    return derive_expectation(goal, slots or {}, NOW, script, GATES, TABLES, DB)


def changes(*writes: g.Write, nodes: Sequence[g.NamedNode] = (), gates: Sequence[str] = ()) -> list[Change]:
    (contract,) = derive(g.Goal(nodes=list(nodes), writes=list(writes), gates=list(gates))).any_of
    return contract.changes


MILK = g.NamedNode(
    name="milk",
    rows=g.Select(
        source=g.Table(table="notes", prefix="n"), where=g.Test(fn="eq", left=col("n.title"), right=c("milk"))
    ),
)

# --- changes -------------------------------------------------------------------------------------------------------


def test_a_write_gives_a_change_with_the_values_of_its_expressions() -> None:
    write = g.Write(
        op="update",
        table="products",
        id=g.Lookup(
            source=g.Table(table="products", prefix="p"),
            where=g.Test(fn="eq", left=col("p.name"), right=g.Slot(name="what")),
            field="p.id",
        ),
        fields={
            "stock": is_(g.Arith(fn="sub", args=[c(8), g.Slot(name="units")])),
            "name": g.FieldIn(values=[c("Rice"), g.Slot(name="what")]),
            "tags": g.FieldAny(),
        },
    )
    expectation = derive(g.Goal(writes=[write], relations=["stock"]), slots={"what": "Rice", "units": 3})
    fields: dict[str, Rule] = {"stock": Equal(value=5), "name": OneOf(values=["Rice", "Rice"]), "tags": AnyValue()}
    change = Change(op="update", table="products", id="p2", fields=fields)
    assert expectation == Expectation(any_of=[Contract(changes=[change], relations=["stock"])])


@pytest.mark.parametrize(("fn", "written"), [("gt", True), ("lt", False)])
def test_a_write_happens_where_its_condition_holds(fn: str, written: bool) -> None:
    when = g.Test.model_validate({"fn": fn, "left": c(1), "right": c(0)})
    assert bool(changes(g.Write(op="delete", table="notes", id=c("n1"), when=when))) is written


def test_stamps_that_a_creation_does_not_name_lie_within_a_day() -> None:
    create = g.Write(op="create", table="orders", var="o", fields={"kind": is_(c("x")), "settled_at": is_(c(None))})
    (change,) = changes(create)
    assert change.var == "o"
    assert change.fields == {
        "kind": Equal(value="x"),
        "settled_at": Equal(value=None),
        "made_at": Range(low=NOW, high=UNTIL),
    }
    (update,) = changes(g.Write(op="update", table="orders", id=c("o1"), fields={"kind": is_(c("x"))}))
    assert update.fields == {"kind": Equal(value="x")}


def test_ranges_and_references() -> None:
    fields: dict[str, g.FieldGoal] = {
        "order_id": g.FieldRef(var="o"),
        "quantity": g.FieldWithin(low=c(1), high=g.Slot(name="most")),
    }
    goal = g.Goal(writes=[g.Write(op="create", table="lines", fields=fields)])
    (contract,) = derive(goal, slots={"most": 4}).any_of
    assert contract.changes[0].fields == {"order_id": Ref(var="o"), "quantity": Range(low=1, high=4)}


def test_a_write_with_rows_gives_one_change_per_row_in_canonical_order() -> None:
    delete = g.Write(op="delete", table="notes", rows="milk", id=col("n.id"))
    assert [change.id for change in changes(delete, nodes=[MILK])] == ["n1", "n3"]
    tagged = g.Test(fn="ne", left=col("n.tag"), right=c(None))
    assert [change.id for change in changes(delete.model_copy(update={"when": tagged}), nodes=[MILK])] == ["n1"]


def test_rows_number_their_variables_after_sorting() -> None:
    rows = g.NamedNode(name="all", rows=g.Table(table="products", prefix="p"))
    create = g.Write(op="create", table="nodes", rows="all", var="v", fields={"label": is_(col("p.name"))})
    made = changes(create, nodes=[rows])
    assert [(change.var, change.fields["label"]) for change in made] == [
        ("v.0", Equal(value="Oats")),
        ("v.1", Equal(value="Rice")),
        ("v.2", Equal(value="Rye")),
    ]


def test_closed_gates_add_their_effects_in_the_order_of_the_goal() -> None:
    write = g.Write(op="delete", table="notes", id=c("n1"))
    deleted = Change(op="delete", table="notes", id="n1")
    found = changes(write, gates=["raw", "balance", "open", "purchase"])
    assert found == [deleted, granted("raw"), granted("purchase")]


# --- totals and answers --------------------------------------------------------------------------------------------


def test_totals_have_values() -> None:
    value = g.Arith(fn="sub", args=[c(0), g.Slot(name="paid")])
    total = g.TotalGoal(table="ledger", where={"kind": "payment"}, column="amount_cents", fn="le", value=value)
    (contract,) = derive(g.Goal(totals=[total]), slots={"paid": 300}).any_of
    assert contract.totals == [
        Total(table="ledger", where={"kind": "payment"}, column="amount_cents", fn="le", value=-300)
    ]
    with pytest.raises(GoalMismatch, match="no whole number"):
        derive(g.Goal(totals=[total.model_copy(update={"value": c(None)})]))


def test_answers_have_values() -> None:
    count = g.Aggregate(fn="count", source=g.NodeRows(name="milk"))
    answers = [
        g.AnswerGoal(name="many", kind="count", value=count, cue="notes"),
        g.AnswerGoal(name="titles", kind="names", rows="milk", column="n.title", cue="titles"),
        g.AnswerGoal(name="ids", kind="names", rows="milk", column="n.id", cue="ids"),
    ]
    assert derive(g.Goal(nodes=[MILK], answers=answers)).answers == [
        Answer(name="many", kind="count", value=2, cue="notes"),
        Answer(name="titles", kind="names", value=["milk"], cue="titles"),
        Answer(name="ids", kind="names", value=["n1", "n3"], cue="ids"),
    ]


@pytest.mark.parametrize("value", [None, c(None)], ids=["none given", "null"])
def test_an_answer_without_a_value_is_refused(value: g.Expr | None) -> None:
    with pytest.raises(GoalMismatch, match="no value"):
        derive(g.Goal(answers=[g.AnswerGoal(name="x", kind="count", value=value, cue="x")]))


@pytest.mark.parametrize("key", [c(None), c(7)], ids=["null", "number"])
def test_an_id_that_is_none_is_refused(key: g.Expr) -> None:
    with pytest.raises(GoalMismatch, match="no id"):
        changes(g.Write(op="delete", table="notes", id=key))


# --- declines ------------------------------------------------------------------------------------------------------


def declined(reason: g.Reason, asked: str = "", true: bool = True, gates: Sequence[str] = ()) -> g.Goal:
    because = g.All(of=[]) if true else g.Any(of=[])
    return g.Goal(
        writes=[g.Write(op="delete", table="notes", id=c(None))],
        totals=[g.TotalGoal(table="ledger", value=c(None))],
        answers=[g.AnswerGoal(name="missing", kind="count", value=c(3), cue="missing")],
        gates=list(gates),
        relations=["balance"],
        decline=g.Decline(reason=reason, because=because, gate=asked),
    )


def test_a_declined_goal_changes_nothing_and_tells_why() -> None:
    assert derive(declined("none_satisfies")) == Expectation(
        any_of=[Contract(relations=["balance"])],
        answers=[
            Answer(name="reason", kind="reason", value="none_satisfies", cue="reason"),
            Answer(name="missing", kind="count", value=3, cue="missing"),
        ],
    )


def test_a_decline_that_nothing_justifies_is_refused() -> None:
    with pytest.raises(GoalMismatch, match="need not be declined"):
        derive(declined("none_satisfies", true=False))


@pytest.mark.parametrize(
    ("reason", "asked"), [("consent_refused", True), ("cannot_afford", True), ("out_of_stock", False)]
)
def test_a_refusal_needs_its_question(reason: g.Reason, asked: bool) -> None:
    assert derive(declined(reason, "balance")).asks == ([RequiredAsk(gate="balance")] if asked else [])
    if asked:
        with pytest.raises(GoalMismatch, match="must name the gate"):
            derive(declined(reason))


def test_any_of_the_consents_given_on_the_way_may_stay() -> None:
    goal = declined("cannot_afford", "balance", gates=["purchase", "open", "notes", "balance"])
    ends = derive(goal, {"purchase": True, "notes": True, "open": True}).any_of
    one, other = granted("purchase"), granted("notes")
    assert [contract.changes for contract in ends] == [[], [one], [other], [one, other]]
    assert all(contract.relations == ["balance"] and not contract.totals for contract in ends)


@pytest.mark.parametrize(
    "consents", [{"notes": True, "purchase": False}, {"notes": True}, {"notes": True, "purchase": True}]
)
def test_the_refused_gate_never_opens(consents: dict[str, bool]) -> None:
    ends = derive(declined("consent_refused", "purchase", gates=["purchase", "notes"]), consents).any_of
    assert [contract.changes for contract in ends] == [[], [granted("notes")]]


def test_no_consent_no_effect() -> None:
    ends = derive(declined("cannot_afford", "balance", gates=["purchase", "balance"]), {"purchase": False}).any_of
    assert [contract.changes for contract in ends] == [[]]


# --- relations at the end ------------------------------------------------------------------------------------------

BALANCE = g.Test(
    fn="eq",
    left=g.Lookup(source=g.Table(table="wallet", prefix="w"), field="w.balance_cents"),
    right=g.Arith(
        fn="add",
        args=[
            g.Lookup(source=g.Table(table="wallet", prefix="w"), field="w.opening_cents"),
            g.Aggregate(fn="sum", source=g.Table(table="ledger", prefix="l"), of=col("l.amount_cents")),
        ],
    ),
)


def test_relations_are_asked_of_the_end_state() -> None:
    after = holds_after({"balance": BALANCE}, NOW, DB)
    wallet = START["wallet"]["wallet"]
    paid: Delta = {
        "wallet": {"wallet": (wallet, {**wallet, "balance_cents": 700})},
        "ledger": {"e2": (None, entry("e2", -300))},
    }
    assert after({})("balance")
    assert after(paid)("balance")
    assert not after({"wallet": paid["wallet"]})("balance")
    assert not after({"ledger": {"e1": (entry("e1", -700), None)}})("balance")
    assert after({})("balance")
    with pytest.raises(GoalError, match="no relation"):
        after({})("stock")
