"""What filling a basket within a budget means: the cheapest product of each category, if all of it costs no more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, column, const, count, eq, ge, gt, has, le, node, rows, scalar, slot, sub
from generators.tasks.shop.goal import account, line_writes, order_goal, priced, store
from schemas import goal as g

if TYPE_CHECKING:
    from generators.tasks.intent import Binding


def categories_of(binding: Binding) -> list[str]:
    """Return the slots that name the categories."""
    return [name for name in binding.values() if name.startswith("category_")]


def fitting(tags: str, stock: g.Expr) -> list[g.Pred]:
    """Return that a product has the tag told, and that there is enough of it."""
    return [has(tags, slot("tag")), ge(stock, slot("quantity"))]


def among(category: g.Expr, names: list[str]) -> g.Any:
    """Return that `category` is one of those told."""
    return g.Any(of=[eq(category, slot(name)) for name in names])


def _nodes(categories: list[str]) -> list[g.NamedNode]:
    matching, basket = g.NodeRows(name="matching"), g.NodeRows(name="basket")
    # The group's key has a name of its own, so that the two can be joined.
    sections = g.Select(source=matching, columns=[column("section", col("p.category"))])
    least = g.Group(source=sections, keys=["section"], measures=[g.Measure(name="least", fn="min", of=col("total"))])
    cheapest = both(eq(col("p.category"), col("section")), eq(col("total"), col("least")))
    return [
        *account(),
        rows("shelf", g.Select(source=store(), where=among(col("p.category"), categories))),
        rows(
            "matching",
            g.Select(
                source=g.NodeRows(name="shelf"),
                columns=priced(slot("quantity")),
                where=both(*fitting("p.health_tags", col("a.stock"))),
                order=[g.Order(key=col("total"))],
            ),
        ),
        rows("least", least),
        rows("basket", g.Join(left=matching, right=g.NodeRows(name="least"), on=cheapest)),
        scalar("total", g.Aggregate(fn="sum", source=basket, of=col("total"))),
        rows("bought", g.Select(source=basket, where=le(node("total"), slot("budget")))),
    ]


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound request; a declined one keeps the order it would have been."""
    form = binding.cell.form
    over = form == "none_satisfies"
    nothing = both(eq(count("bought"), const(0)), gt(count("basket"), const(0)))
    return order_goal(
        _nodes(categories_of(binding)),
        line_writes(col, slot("quantity"), rows="bought"),
        node("total"),
        form=form,
        wanted=gt(count("bought"), const(0)),
        decline=g.Decline(reason="none_satisfies", because=nothing) if over else None,
        answers=[
            g.AnswerGoal(name="total", kind="money_cents", value=node("total"), cue="total of the cheapest basket"),
            g.AnswerGoal(
                name="excess", kind="money_cents", value=sub(node("total"), slot("budget")), cue="over the budget by"
            ),
        ]
        if over
        else [],
        optimum=g.Optimum(rows="matching", keys=["total"], within=["p.category"]),
    )
