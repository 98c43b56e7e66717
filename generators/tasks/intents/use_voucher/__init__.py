"""Buy a named product with the voucher that saves most."""

from __future__ import annotations

from generators.tasks.intent import Cell, Intent
from generators.tasks.intents.use_voucher.bind import bind
from generators.tasks.intents.use_voucher.goal import goal
from generators.tasks.intents.use_voucher.program import steps
from generators.tasks.phrases import load_phrases
from generators.tasks.shop.bind import order_cells

INTENT = Intent(
    name="use-voucher",
    family="shopping",
    cells=order_cells(Cell("none_satisfies")),
    gates=("BALANCE", "PURCHASE"),
    uses=frozenset({"cart", "vouchers"}),
    permits=frozenset({"voucher"}),
    takes=frozenset({"product"}),
    bind=bind,
    goal=goal,
    steps=steps,
    phrases=load_phrases(__package__),
)

__all__ = ["INTENT"]
