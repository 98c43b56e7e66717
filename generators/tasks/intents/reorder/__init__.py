"""Order again what a past order held."""

from __future__ import annotations

from generators.tasks.intent import Cell, Intent
from generators.tasks.intents.reorder.bind import bind
from generators.tasks.intents.reorder.goal import goal
from generators.tasks.intents.reorder.program import steps
from generators.tasks.phrases import load_phrases

INTENT = Intent(
    name="reorder",
    family="shopping",
    cells=(
        Cell("fulfil"),
        Cell("fulfil", closed=("PURCHASE",)),
        Cell("fulfil", closed=("BALANCE",)),
        Cell("fulfil", closed=("BALANCE", "PURCHASE")),
        Cell("out_of_stock"),
        Cell("not_recorded"),
        Cell("cannot_afford", closed=("BALANCE",)),
        Cell("consent_refused", closed=("PURCHASE",)),
    ),
    gates=("BALANCE", "PURCHASE"),
    uses=frozenset({"cart", "pending"}),
    bind=bind,
    goal=goal,
    steps=steps,
    phrases=load_phrases(__package__),
)

__all__ = ["INTENT"]
