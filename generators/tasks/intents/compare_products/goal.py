"""Which of a few named products is best: by what a unit holds, or by what a number of units costs today."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, column, const, count, eq, gt, lt, node, rows, slot, sub
from generators.tasks.shop.goal import account, priced, store
from schemas import goal as g

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from generators.tasks.intent import Binding

MEASURES: Mapping[str, tuple[str, bool]] = {
    "least_sugar": ("sugar", False),
    "least_fat": ("fat", False),
    "fewest_calories": ("calories", False),
    "most_protein": ("protein", True),
    "most_fiber": ("fiber", True),
}
"""What the user may ask for -> the quantity that decides, and whether more is better."""
PRODUCTS = ("product_1", "product_2", "product_3")


def among(names: Collection[str], column_name: str) -> g.Any:
    """Return the predicate `one of the named products`."""
    return g.Any(of=[eq(col(column_name), slot(name)) for name in PRODUCTS if name in names])


def measured(tenths: Mapping[str, g.Expr]) -> list[g.Column]:
    """Return the columns `amount`, in tenths, and `merit`, what is minimised; `tenths` gives the quantities."""
    tests = {name: eq(slot("objective"), const(name)) for name in MEASURES}
    amounts = [g.When(test=tests[name], then=tenths[key]) for name, (key, _) in MEASURES.items()]
    negated = [tests[name] for name, (_, more) in MEASURES.items() if more]
    more_is_better = g.When(test=g.Any(of=list(negated)), then=sub(const(0), col("amount")))
    return [
        column("amount", g.Case(branches=amounts, otherwise=const(0))),
        column("merit", g.Case(branches=[more_is_better], otherwise=col("amount"))),
    ]


_TENTHS: Mapping[str, g.Expr] = {
    "sugar": col("p.sugar_dg"),
    "fat": col("p.fat_dg"),
    "calories": col("p.calories_dkcal"),
    "protein": col("p.protein_dg"),
    "fiber": col("p.fiber_dg"),
}


def _value(variant: str) -> g.AnswerGoal:
    if variant == "cost":
        return g.AnswerGoal(name="total", kind="money_cents", value=node("compared", "total"), cue="what it costs")
    shown = g.Arith(fn="to_decimal", args=[node("compared", "amount"), const(10)])
    return g.AnswerGoal(name="amount", kind="decimal", value=shown, cue="how much a unit holds")


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound comparison; of a declined one, it compares what there is."""
    names = binding.values().keys()
    cost = binding.variant == "cost"
    key = "total" if cost else "merit"
    compared = g.Select(
        source=g.NodeRows(name="carried"),
        columns=priced(slot("quantity")) if cost else measured(_TENTHS),
        order=[g.Order(key=col(key))],
    )
    named = sum(name in names for name in PRODUCTS)
    some = both(lt(count("carried"), const(named)), gt(count("carried"), const(0)))
    return g.Goal(
        nodes=[
            *(account() if cost else []),
            rows("carried", g.Select(source=store(), where=among(names, "p.name"))),
            rows("compared", compared),
        ],
        answers=[
            g.AnswerGoal(name="product", kind="name", value=node("compared", "p.name"), cue="the product that wins"),
            _value(binding.variant),
        ],
        decline=None if binding.cell.form == "fulfil" else g.Decline(reason="none_satisfies", because=some),
        optimum=g.Optimum(rows="compared", keys=[key]),
    )
