"""Remove from the cart what falls under a rule."""

from __future__ import annotations

from generators.tasks.intent import Cell, Intent
from generators.tasks.intents.clean_up_cart.bind import bind
from generators.tasks.intents.clean_up_cart.goal import goal
from generators.tasks.intents.clean_up_cart.program import steps
from generators.tasks.phrases import load_phrases

INTENT = Intent(
    name="clean-up-cart",
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
