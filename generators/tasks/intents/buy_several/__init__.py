"""Buy several named products in one order."""

from __future__ import annotations

from generators.tasks.intent import Cell, Intent
from generators.tasks.intents.buy_several.bind import bind
from generators.tasks.intents.buy_several.goal import goal
from generators.tasks.intents.buy_several.program import steps
from generators.tasks.phrases import load_phrases
from generators.tasks.shop.bind import order_cells

INTENT = Intent(
    name="buy-several",
    family="shopping",
    cells=order_cells(Cell("out_of_stock")),
    gates=("BALANCE", "PURCHASE"),
    uses=frozenset({"cart"}),
    bind=bind,
    goal=goal,
    steps=steps,
    phrases=load_phrases(__package__),
)

__all__ = ["INTENT"]
