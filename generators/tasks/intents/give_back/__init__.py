"""Put back some units of a product that lies in the cart."""

from __future__ import annotations

from generators.tasks.intent import Cell, Intent
from generators.tasks.intents.give_back.bind import bind
from generators.tasks.intents.give_back.goal import goal
from generators.tasks.intents.give_back.program import steps
from generators.tasks.phrases import load_phrases

INTENT = Intent(
    name="give-back",
    family="shopping",
    cells=(Cell("fulfil", weight=3), Cell("none_satisfies")),
    gates=(),
    uses=frozenset({"cart"}),
    bind=bind,
    goal=goal,
    steps=steps,
    phrases=load_phrases(__package__),
)

__all__ = ["INTENT"]
