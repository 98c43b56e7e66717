"""Say what a number of units of a named product costs today."""

from __future__ import annotations

from generators.tasks.intent import Cell, Intent
from generators.tasks.intents.price_check.bind import bind
from generators.tasks.intents.price_check.goal import goal
from generators.tasks.intents.price_check.program import steps
from generators.tasks.phrases import load_phrases

INTENT = Intent(
    name="price-check",
    family="shopping",
    cells=(Cell("fulfil", weight=4), Cell("out_of_stock")),
    gates=(),
    uses=frozenset(),
    takes=frozenset({"product"}),
    bind=bind,
    goal=goal,
    steps=steps,
    phrases=load_phrases(__package__),
)

__all__ = ["INTENT"]
