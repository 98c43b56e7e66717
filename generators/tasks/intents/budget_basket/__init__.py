"""Fill a basket with the cheapest product of each of several categories, within a budget."""

from __future__ import annotations

from generators.tasks.intent import Cell, Intent
from generators.tasks.intents.budget_basket.bind import bind
from generators.tasks.intents.budget_basket.goal import goal
from generators.tasks.intents.budget_basket.program import steps
from generators.tasks.phrases import load_phrases
from generators.tasks.shop.bind import order_cells

INTENT = Intent(
    name="budget-basket",
    family="shopping",
    cells=order_cells(Cell("none_satisfies")),
    gates=("BALANCE", "PURCHASE"),
    uses=frozenset({"cart"}),
    bind=bind,
    goal=goal,
    steps=steps,
    phrases=load_phrases(__package__),
)

__all__ = ["INTENT"]
