"""What buying several named products means: every one in its quantity, all in one order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import col, column, count, eq, gt, lt, node, rows, scalar, slot
from generators.tasks.shop.goal import account, line_writes, order_goal, priced, store
from schemas import goal as g

if TYPE_CHECKING:
    from generators.tasks.intent import Binding


def named(name: g.Expr, items: int) -> g.Any:
    """Return that `name` is one of the products told."""
    return g.Any(of=[eq(name, slot(f"product_{number}")) for number in range(1, items + 1)])


def units_of(name: g.Expr, items: int) -> g.Expr:
    """Return the units told for the product `name`, which is one of those told."""
    branches = [
        g.When(test=eq(name, slot(f"product_{number}")), then=slot(f"quantity_{number}")) for number in range(1, items)
    ]
    return g.Case(branches=branches, otherwise=slot(f"quantity_{items}"))


def items_of(binding: Binding) -> int:
    """Return how many products the request names."""
    return len(binding.slots) // 2


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound request; a declined one keeps the order it would have been."""
    items, form = items_of(binding), binding.cell.form
    columns = [column("units", units_of(col("p.name"), items)), *priced(col("units"))]
    wanted, short = g.NodeRows(name="wanted"), g.NodeRows(name="short")
    missing = g.Decline(reason="out_of_stock", because=gt(count("short"), g.Const(value=0)))
    left = g.Aggregate(fn="sum", source=short, of=col("a.stock"))
    sold_out = form == "out_of_stock"
    return order_goal(
        [
            *account(),
            rows("wanted", g.Select(source=store(), columns=columns, where=named(col("p.name"), items))),
            rows("short", g.Select(source=wanted, where=lt(col("a.stock"), col("units")))),
            scalar("total", g.Aggregate(fn="sum", source=wanted, of=col("total"))),
        ],
        line_writes(col, col("units"), rows="wanted"),
        node("total"),
        form=form,
        wanted=gt(count("wanted"), g.Const(value=0)),
        decline=missing if sold_out else None,
        answers=[
            g.AnswerGoal(name="short_of", kind="names", rows="short", column="p.name", cue="too few units of"),
            g.AnswerGoal(name="units_left", kind="count", value=left, cue="units left"),
        ]
        if sold_out
        else [],
    )
