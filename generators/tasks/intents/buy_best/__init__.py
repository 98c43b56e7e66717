"""Buy the best product under constraints."""

from __future__ import annotations

from generators.tasks.intent import Cell, Intent
from generators.tasks.intents.buy_best.bind import bind
from generators.tasks.intents.buy_best.goal import goal
from generators.tasks.intents.buy_best.program import steps
from generators.tasks.phrases import load_phrases

INTENT = Intent(
    name="buy-best",
    family="shopping",
    cells=(
        Cell("fulfil", weight=3),
        Cell("fulfil", closed=("PURCHASE",), weight=2),
        Cell("fulfil", closed=("BALANCE",), weight=2),
        Cell("fulfil", closed=("BALANCE", "PURCHASE"), weight=1),
        Cell("none_satisfies", closed=("PURCHASE",)),
        Cell("out_of_stock"),
        Cell("cannot_afford", closed=("BALANCE",)),
        Cell("consent_refused", closed=("PURCHASE",)),
    ),
    gates=("BALANCE", "PURCHASE"),
    uses=frozenset({"cart"}),
    takes=frozenset({"category"}),
    bind=bind,
    goal=goal,
    steps=steps,
    phrases=load_phrases(__package__),
)

__all__ = ["INTENT"]
