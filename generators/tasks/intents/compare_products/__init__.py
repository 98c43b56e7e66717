"""Compare two or three named products."""

from __future__ import annotations

from generators.tasks.intent import Cell, Intent
from generators.tasks.intents.compare_products.bind import bind
from generators.tasks.intents.compare_products.goal import goal
from generators.tasks.intents.compare_products.program import steps
from generators.tasks.phrases import load_phrases

INTENT = Intent(
    name="compare-products",
    family="shopping",
    cells=(Cell("fulfil", weight=4), Cell("none_satisfies")),
    gates=(),
    uses=frozenset(),
    gives={"nutrition": {"product": "product"}},
    bind=bind,
    goal=goal,
    steps=steps,
    phrases=load_phrases(__package__),
)

__all__ = ["INTENT"]
