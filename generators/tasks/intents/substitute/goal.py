"""What a substitute means: the named product, if it has the tag and enough is left, else the cheapest of its kind."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, column, const, count, eq, ge, gt, has, lt, node, rows, slot
from generators.tasks.shop.goal import account, first_of, line_writes, order_goal, priced, store
from schemas import goal as g

if TYPE_CHECKING:
    from generators.tasks.intent import Binding


def will_do(tags: str, stock: str) -> g.Pred:
    """Return that a product has the tag that is wanted and enough units; the columns are named."""
    return both(has(tags, slot("tag")), ge(col(stock), slot("quantity")))


def _nodes() -> list[g.NamedNode]:
    kin = g.Select(source=store(), where=eq(col("p.category"), node("named", "p.category")))
    named_first = g.Case(branches=[g.When(test=eq(col("p.name"), slot("product")), then=const(0))], otherwise=const(1))
    return [
        *account(),
        rows("named", g.Select(source=store(), where=eq(col("p.name"), slot("product")))),
        rows("kin", kin),
        rows(
            "offers",
            g.Select(source=g.NodeRows(name="kin"), columns=[column("rank", named_first), *priced(slot("quantity"))]),
        ),
        rows(
            "choices",
            g.Select(
                source=g.NodeRows(name="offers"),
                where=will_do("p.health_tags", "a.stock"),
                order=[g.Order(key=col("rank")), g.Order(key=col("total"))],
            ),
        ),
    ]


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound request; a declined one keeps the order it would have been."""
    form = binding.cell.form
    decline: g.Decline | None = None
    answers: list[g.AnswerGoal] = []
    if form == "out_of_stock":
        nothing = both(eq(count("choices"), const(0)), lt(node("named", "a.stock"), slot("quantity")))
        decline = g.Decline(reason="out_of_stock", because=nothing)
        left = node("named", "a.stock")
        answers = [g.AnswerGoal(name="units_left", kind="count", value=left, cue="units left of the named product")]
    best = first_of("choices")
    return order_goal(
        _nodes(),
        line_writes(best, slot("quantity")),
        best("total"),
        form=form,
        wanted=gt(count("choices"), const(0)),
        decline=decline,
        answers=answers,
        optimum=None if form == "out_of_stock" else g.Optimum(rows="choices", keys=["rank", "total"]),
    )
