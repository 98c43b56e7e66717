"""Say when the last order with something in it was, or what it came to."""

from __future__ import annotations

from generators.tasks.intent import Cell, Intent
from generators.tasks.intents.order_status.bind import bind
from generators.tasks.intents.order_status.goal import goal
from generators.tasks.intents.order_status.program import steps
from generators.tasks.phrases import load_phrases

INTENT = Intent(
    name="order-status",
    family="shopping",
    cells=(Cell("fulfil", weight=3), Cell("not_recorded")),
    gates=(),
    uses=frozenset(),
    takes=frozenset({"category", "brand"}),
    bind=bind,
    goal=goal,
    steps=steps,
    phrases=load_phrases(__package__),
)

__all__ = ["INTENT"]
