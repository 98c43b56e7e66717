"""What buying the best product under constraints means: the choices in the store, best first, and the order."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, column, const, count, eq, ge, gt, le, node, rows, slot
from generators.tasks.shop.goal import (
    COLUMNS,
    QUANTITIES,
    account,
    constraints,
    first_of,
    line_writes,
    merit,
    order_goal,
    priced,
    store,
)
from schemas import goal as g

if TYPE_CHECKING:
    from collections.abc import Collection

    from generators.tasks.intent import Binding


def _nodes(names: Collection[str], form: str) -> list[g.NamedNode]:
    quoted = priced(slot("quantity"))
    if "objective" in names:
        quoted.append(column("merit", merit(slot("objective"), QUANTITIES)))
    best_first = [g.Order(key=col("merit" if "objective" in names else "total"))]
    by_stock = [g.Order(key=col("a.stock"), descending=True)]
    limits: list[g.Pred] = [ge(col("a.stock"), slot("quantity"))]
    available = g.Select(source=g.NodeRows(name="matching"), where=both(*limits), order=best_first)
    if "max_total" in names:
        limits = [*limits, le(col("total"), slot("max_total"))]
    return [
        *account(),
        rows("shelf", g.Select(source=store(), where=both(*constraints(names, COLUMNS)))),
        rows(
            "matching",
            g.Select(source=g.NodeRows(name="shelf"), columns=quoted, order=by_stock if form == "out_of_stock" else []),
        ),
        rows("available", available),
        rows("choices", g.Select(source=g.NodeRows(name="matching"), where=both(*limits), order=best_first)),
    ]


def _decline(form: str) -> g.Decline | None:
    none_left = eq(count("choices"), const(0))
    match form:
        case "none_satisfies":
            return g.Decline(reason="none_satisfies", because=both(none_left, gt(count("available"), const(0))))
        case "out_of_stock":
            nothing = eq(count("available"), const(0))
            return g.Decline(reason="out_of_stock", because=both(nothing, gt(count("matching"), const(0))))
        case _:
            return None


def _answers(form: str) -> list[g.AnswerGoal]:
    def answer(name: str, kind: g.AnswerKind, value: g.Expr, cue: str) -> g.AnswerGoal:
        return g.AnswerGoal(name=name, kind=kind, value=value, cue=cue)

    match form:
        case "none_satisfies":
            return [
                answer("nearest_product", "name", node("available", "p.name"), "closest product"),
                answer("nearest_total", "money_cents", node("available", "total"), "total of the closest product"),
            ]
        case "out_of_stock":
            return [
                answer("nearest_product", "name", node("matching", "p.name"), "product with the most units left"),
                answer("units_left", "count", node("matching", "a.stock"), "units left"),
            ]
        case _:
            return []


_OPTIMUM = {
    "none_satisfies": g.Optimum(rows="available", keys=["total"]),
    "out_of_stock": g.Optimum(rows="matching", keys=["a.stock"]),
}


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound request; a declined one keeps the order it would have been."""
    form = binding.cell.form
    return order_goal(
        _nodes(binding.values().keys(), form),
        line_writes(first_of("choices"), slot("quantity")),
        node("choices", "total"),
        form=form,
        wanted=gt(count("choices"), const(0)),
        decline=_decline(form),
        answers=_answers(form),
        optimum=_OPTIMUM.get(form, g.Optimum(rows="choices", keys=["merit"])),
    )
