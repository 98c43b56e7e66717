"""What a number of units of a named product costs today, and how that compares with a limit."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, const, count, eq, ge, gt, le, node, rows, slot, sub
from generators.tasks.shop.goal import account, priced, store
from schemas import goal as g

if TYPE_CHECKING:
    from generators.tasks.intent import Binding


def verdict(total: g.Expr, limit: g.Expr) -> g.Case:
    """Return whether a total keeps to a limit, as a word."""
    return g.Case(branches=[g.When(test=le(total, limit), then=const("within_limit"))], otherwise=const("over_limit"))


def difference(total: g.Expr, limit: g.Expr) -> g.Case:
    """Return how far a total is from a limit, in cents."""
    return g.Case(branches=[g.When(test=le(total, limit), then=sub(limit, total))], otherwise=sub(total, limit))


def _answers(binding: Binding) -> list[g.AnswerGoal]:
    def answer(name: str, kind: g.AnswerKind, value: g.Expr, cue: str) -> g.AnswerGoal:
        return g.AnswerGoal(name=name, kind=kind, value=value, cue=cue)

    total, limit = node("offered", "total"), slot("limit")
    if binding.cell.form != "fulfil":
        return [answer("units_left", "count", node("named", "a.stock"), "units left")]
    if binding.variant == "limit":
        return [
            answer("verdict", "term", verdict(total, limit), "within the limit or over it"),
            answer("difference", "money_cents", difference(total, limit), "distance from the limit"),
        ]
    return [answer("total", "money_cents", total, "what it costs")]


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound question."""
    named = g.Select(
        source=store(),
        columns=priced(slot("quantity")),
        where=eq(col("p.name"), slot("product")),
        order=[g.Order(key=col("total"))],
    )
    enough = both(ge(col("a.stock"), slot("quantity")))
    too_few = both(eq(count("offered"), const(0)), gt(count("named"), const(0)))
    return g.Goal(
        nodes=[
            *account(),
            rows("named", named),
            rows("offered", g.Select(source=g.NodeRows(name="named"), where=enough, order=[g.Order(key=col("total"))])),
        ],
        answers=_answers(binding),
        decline=None if binding.cell.form == "fulfil" else g.Decline(reason="out_of_stock", because=too_few),
    )
