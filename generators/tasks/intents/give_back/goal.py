"""What putting back means: only the units that stay lie in the cart, in the cheapest packing; other lines go."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, const, count, eq, gt, lt, node, rows, scalar, slot
from generators.tasks.shop.goal import account, priced, store
from schemas import goal as g
from services.shopping.expressions import units_of

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generators.tasks.intent import Binding


SIZES = (("pack_5", "packs"), ("single_pack", "singles"))
"""Size of a line -> how many packs of it the cheapest packing has."""


def stays(size: str, quantity: str, wanted: Mapping[str, g.Expr]) -> g.Pred:
    """Return that a line is just what the cheapest packing has of its size; the columns of the line are named."""
    return g.Any(of=[both(eq(col(size), const(name)), eq(col(quantity), wanted[number])) for name, number in SIZES])


def _line(size: str, number: str) -> g.Write:
    packs = node("offer", number)
    fields: dict[str, g.FieldGoal] = {
        "product_id": g.FieldIs(value=node("offer", "p.id")),
        "size": g.FieldIs(value=const(size)),
        "quantity": g.FieldIs(value=packs),
    }
    missing = both(gt(packs, const(0)), eq(count(f"kept {size}"), const(0)))
    return g.Write(op="create", table="cart", when=missing, fields=fields)


def goal(binding: Binding) -> g.Goal:
    """Return the goal of a bound request; where fewer units lie in the cart than are to stay, nothing happens."""
    cart = g.Join(
        left=g.Table(table="cart", prefix="c"),
        right=g.Table(table="products", prefix="p"),
        on=eq(col("c.product_id"), col("p.id")),
    )
    units = units_of(col("c.size"), col("c.quantity"))
    nodes = [
        *account(),
        rows("held", g.Select(source=cart, where=eq(col("p.name"), slot("product")))),
        scalar("units", g.Aggregate(fn="sum", source=g.NodeRows(name="held"), of=units)),
        rows("named", g.Select(source=store(), where=eq(col("p.id"), node("held", "p.id")))),
        rows("offer", g.Select(source=g.NodeRows(name="named"), columns=priced(slot("quantity")))),
    ]
    if binding.cell.form == "fulfil":
        kept = stays("c.size", "c.quantity", {number: node("offer", number) for _, number in SIZES})
        nodes += [
            rows("kept", g.Select(source=g.NodeRows(name="held"), where=kept)),
            rows("doomed", g.Select(source=g.NodeRows(name="held"), where=g.Not(of=kept))),
            *(
                rows(f"kept {size}", g.Select(source=g.NodeRows(name="kept"), where=eq(col("c.size"), const(size))))
                for size, _ in SIZES
            ),
        ]
        writes = [
            g.Write(op="delete", table="cart", rows="doomed", id=col("c.id")),
            *(_line(size, number) for size, number in SIZES),
        ]
        return g.Goal(nodes=nodes, writes=writes)
    fewer = both(gt(count("held"), const(0)), lt(node("units"), slot("quantity")))
    told = g.AnswerGoal(name="units_held", kind="count", value=node("units"), cue="units of it in the cart")
    return g.Goal(nodes=nodes, answers=[told], decline=g.Decline(reason="none_satisfies", because=fewer))
