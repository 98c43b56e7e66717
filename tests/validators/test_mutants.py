"""Mutants of toy tasks: a sound judge rejects all, a judge with a hole lets some live."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping

import pytest

from schemas.base import Json
from schemas.contract import (
    Allowed,
    Answer,
    AnyValue,
    Change,
    Contract,
    Equal,
    Expectation,
    Range,
    Ref,
    RequiredAsk,
    Rule,
    Total,
)
from schemas.goal import Aggregate, Arith, Col, Lookup, Pred
from schemas.goal import Table as Rows
from schemas.goal import Test as Compare
from services.runtime.streams import Stream
from tests.validators import toy
from tests.validators.toy import LATER, NOW, TABLES, entry, line, made, node, note, order, product, state
from validators.contract.changes import Delta
from validators.contract.judge import Holds, Judge, Judgement, compile_expectation
from validators.contract.mutants import OPERATORS, mutants
from validators.contract.mutation import Mutation, run_mutants
from validators.contract.scene import Gold, make_scene

STAMP = Range(low=NOW, high="2025-05-04T12:00:00")
BALANCE: Pred = Compare(
    fn="eq",
    left=Lookup(source=Rows(table="wallet", prefix="w"), field="w.balance_cents"),
    right=Arith(
        fn="add",
        args=[
            Lookup(source=Rows(table="wallet", prefix="w"), field="w.opening_cents"),
            Aggregate(fn="sum", source=Rows(table="ledger", prefix="l"), of=Col(name="l.amount_cents")),
        ],
    ),
)
START = state(
    notes=[note("n1", "milk"), note("n2", "bread", tag="food"), note("n3", "tea", pinned=True)],
    orders=[order("o1", 700)],
    lines=[line("l1", "o1", "p1", 7)],
    ledger=[entry("e1", -700, of="o1")],
    wallet=[{"id": "wallet", "balance_cents": 1000, "opening_cents": 1700}],
    products=[product("p1"), product("p2", 8, "Rice", ()), product("p3", 0, "Rye")],
    nodes=[node("x1"), node("x2", "b", "x1")],
    permissions=[
        {"id": "notes", "allowed": True},
        {"id": "purchase", "allowed": False},
        {"id": "raw", "allowed": False},
    ],
)


def is_(**values: Json) -> dict[str, Rule]:
    return {name: Equal(value=value) for name, value in values.items()}


def update(table: str, key: str, **values: Json) -> Change:
    return Change(op="update", table=table, id=key, fields=is_(**values))


def new_row(table: str, key: str, **values: Json) -> tuple[toy.Rows, toy.Rows]:
    old = START[table][key]
    return old, {**old, **values}


GRANT = update("permissions", "purchase", allowed=True)
GRANTED = {"purchase": new_row("permissions", "purchase", allowed=True)}
BUY = Expectation(
    any_of=[
        Contract(
            changes=[
                GRANT,
                Change(
                    op="create",
                    table="orders",
                    var="o",
                    fields={**is_(kind="shop", total_cents=300), "made_at": STAMP, "settled_at": STAMP},
                ),
                Change(
                    op="create",
                    table="lines",
                    fields={**is_(product_id="p1", quantity=3, price_cents=100), "order_id": Ref(var="o")},
                ),
                update("products", "p1", stock=2),
                update("wallet", "wallet", balance_cents=700),
                Change(op="delete", table="notes", id="n1"),
            ],
            totals=[Total(table="ledger", where={"kind": "payment"}, column="amount_cents", value=-300)],
            relations=["balance"],
        )
    ],
    answers=[
        Answer(name="paid", kind="money_cents", value=300),
        Answer(name="what", kind="names", value=["Oats"]),
        Answer(name="when", kind="date", value="2025-05-03"),
    ],
)
BOUGHT = Gold(
    delta={
        "permissions": GRANTED,
        "orders": made(order("o9", 300)),
        "lines": made(line("l8", "o9", "p1", 1), line("l9", "o9", "p1", 2)),
        "products": {"p1": new_row("products", "p1", stock=2)},
        "wallet": {"wallet": new_row("wallet", "wallet", balance_cents=700)},
        "notes": {"n1": (START["notes"]["n1"], None)},
        "ledger": made(entry("e9", -300, of="o9")),
    },
    answers={"paid": 300, "what": ["Oats"], "when": "2025-05-03"},
    asks=("PURCHASE",),
    start=START,
)
DECLINE = Expectation(
    any_of=[Contract(), Contract(changes=[GRANT])],
    answers=[
        Answer(name="reason", kind="reason", value="cannot_afford"),
        Answer(name="missing", kind="money_cents", value=40),
    ],
    asks=[RequiredAsk(gate="BALANCE")],
)
DECLINED = Gold({"permissions": GRANTED}, {"reason": "cannot_afford", "missing": 40}, ("BALANCE", "PURCHASE"), START)
TIDY = Expectation(
    any_of=[
        Contract(
            changes=[
                Change(op="update", table="notes", id="n1", fields=is_(title="oat milk", tag="food", pinned=True))
            ],
            allowed=[
                Allowed(
                    change=Change(
                        op="create",
                        table="notes",
                        fields={**is_(title="done", tag=None, pinned=False), "day": AnyValue(), "made_at": STAMP},
                    ),
                    at_most=2,
                ),
                Allowed(change=Change(op="update", table="products", id="p2", fields={"stock": Range(low=1, high=8)})),
                Allowed(change=Change(op="delete", table="notes", id="n3")),
            ],
        )
    ]
)
TIDIED = Gold({"notes": {"n1": new_row("notes", "n1", title="oat milk", tag="food", pinned=True)}}, {}, (), START)


def balance_after(delta: Delta) -> Holds:
    """The balance relation, computed by hand."""

    def rows(table: str) -> list[toy.Rows]:
        after = {**START[table], **{key: pair[1] for key, pair in delta.get(table, {}).items()}}
        return [dict(row) for row in after.values() if row is not None]

    def holds(name: str) -> bool:
        assert name == "balance"
        (wallet,) = rows("wallet")
        total = sum(int(str(row["amount_cents"])) for row in rows("ledger"))
        return wallet["balance_cents"] == int(str(wallet["opening_cents"])) + total

    return holds


def run(expectation: Expectation, gold: Gold, judge: Judge | None = None, seed: int = 1) -> Mutation:
    judge = judge or compile_expectation(expectation, TABLES, NOW, {"lines": START["lines"].values()})
    assert judge.judge(gold.delta, gold.answers, gold.asks, balance_after(gold.delta)).passed
    relations = {"balance": BALANCE}
    return run_mutants(judge, gold, expectation, TABLES, relations, balance_after, NOW, Stream(seed, "mutants"))


def made_by(result: Mutation) -> set[str]:
    return {operator for operators in result.tallies.values() for operator in operators}


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize(("expectation", "gold"), [(BUY, BOUGHT), (TIDY, TIDIED)], ids=["buy", "tidy"])
def test_all_mutants_are_rejected(expectation: Expectation, gold: Gold, seed: int) -> None:
    result = run(expectation, gold, seed=seed)
    assert not result.survivors
    assert not result.equivalent
    totals = [tally for operators in result.tallies.values() for tally in operators.values()]
    assert all(tally.total == tally.rejected > 0 for tally in totals)
    assert 30 <= sum(tally.total for tally in totals) <= 80


def test_every_operator_finds_something_to_break() -> None:
    used = made_by(run(BUY, BOUGHT)) | made_by(run(TIDY, TIDIED)) | made_by(run(DECLINE, DECLINED))
    assert used == {operator for operator, *_ in OPERATORS}


def test_mutants_are_bounded() -> None:
    assert sum(quota for *_, quota in OPERATORS) <= 80


def test_a_mutant_that_is_another_accepted_end_is_equivalent() -> None:
    """Declining without the permission is as right as after it."""
    result = run(DECLINE, DECLINED)
    assert not result.survivors
    assert [(m.operator, m.group) for m in result.equivalent] == [("missing_change", "goal")]
    counts = result.counts()
    assert counts["goal/missing_change/total"] == counts["goal/missing_change/equivalent"] == 1
    assert counts["goal/missing_change/rejected"] == 0
    assert counts["goal/missing_ask/rejected"] == counts["goal/blank/rejected"] == 1


def test_unused_consents_of_a_decline_are_allowances() -> None:
    result = run(DECLINE, DECLINED._replace(delta={}))
    assert not result.survivors
    assert set(result.tallies["allowance"]) == {"allowed_elsewhere"}


def test_the_same_seed_gives_the_same_mutants() -> None:
    scenes = [make_scene(BOUGHT, BUY, TABLES, {"balance": BALANCE}, turn) for turn in (5, 5, 6)]
    first, again, other = (list(mutants(scene)) for scene in scenes)
    assert first == again != other


class Holed:
    """A judge that looks away."""

    def __init__(
        self, judge: Judge, look_away: Callable[[Delta], Delta], told: Mapping[str, Json] | None = None
    ) -> None:
        self._judge, self._look_away, self._told = judge, look_away, told

    def judge(self, delta: Delta, answers: Mapping[str, Json], asks: Collection[str], holds: Holds) -> Judgement:
        return self._judge.judge(self._look_away(delta), self._told or answers, asks, holds)


def without(*tables: str) -> Callable[[Delta], Delta]:
    """What changed, with the gold's change in these tables whatever happened there."""
    return lambda delta: {
        **{name: records for name, records in delta.items() if name not in tables},
        **{name: BOUGHT.delta[name] for name in tables if name in BOUGHT.delta},
    }


@pytest.mark.parametrize(
    ("hole", "told", "found"),
    [
        (without("nodes"), None, {"extra_create", "extra_update", "extra_delete"}),
        (without("wallet"), None, {"wrong_value", "missing_change", "foreign_field"}),
        (
            without("lines"),
            None,
            {"extra_unit", "wrong_reference", "duplicate_create", "missing_change", "wrong_value"},
        ),
        (without("permissions"), None, {"missing_change", "wrong_row"}),
        (without("ledger"), None, {"wrong_entry", "missing_entry", "extra_entry", "changed_entry", "deleted_entry"}),
        (lambda delta: delta, BOUGHT.answers, {"missing_answer", "wrong_answer", "needless_decline"}),
    ],
    ids=["frame", "wallet", "lines", "permissions", "ledger", "answers"],
)
def test_a_judge_with_a_hole_is_found_out(
    hole: Callable[[Delta], Delta], told: Mapping[str, Json] | None, found: set[str]
) -> None:
    sound = compile_expectation(BUY, TABLES, NOW, {"lines": START["lines"].values()})
    survivors: set[str] = set()
    for seed in range(6):
        holed = Holed(sound, hole, told)
        result = run_mutants(
            holed,  # pyright: ignore[reportArgumentType]
            BOUGHT,
            BUY,
            TABLES,
            {"balance": BALANCE},
            lambda delta: balance_after(hole(delta)),
            NOW,
            Stream(seed, "mutants"),
        )
        survivors |= {mutant.operator for mutant in result.survivors}
    assert found <= survivors


def test_a_late_write_is_a_mutant() -> None:
    scene = make_scene(BOUGHT, BUY, TABLES, {"balance": BALANCE}, 0)
    orders = [
        m.delta["orders"]["o9"][1] for m in mutants(scene) if m.operator == "wrong_value" and "o9" in m.delta["orders"]
    ]
    stamps = {str(row["made_at"]) for row in orders if row is not None}
    assert stamps - {LATER}
    assert all(stamp == LATER or stamp > "2025-05-04T12:00:00" or stamp < NOW for stamp in stamps)
