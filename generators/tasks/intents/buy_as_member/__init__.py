"""Buy a named product, and take a membership first where that costs less altogether."""

from __future__ import annotations

from generators.tasks.intent import Intent
from generators.tasks.intents.buy_as_member.bind import bind
from generators.tasks.intents.buy_as_member.goal import goal
from generators.tasks.intents.buy_as_member.program import steps
from generators.tasks.phrases import load_phrases
from generators.tasks.shop.bind import order_cells

INTENT = Intent(
    name="buy-as-member",
    family="shopping",
    cells=order_cells(),
    gates=("BALANCE", "PURCHASE"),
    uses=frozenset({"cart", "membership"}),
    permits=frozenset({"membership"}),
    bind=bind,
    goal=goal,
    steps=steps,
    phrases=load_phrases(__package__),
)

__all__ = ["INTENT"]
