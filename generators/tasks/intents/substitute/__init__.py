"""Buy a named product, or what comes nearest where it will not do."""

from __future__ import annotations

from generators.tasks.intent import Cell, Intent
from generators.tasks.intents.substitute.bind import bind
from generators.tasks.intents.substitute.goal import goal
from generators.tasks.intents.substitute.program import steps
from generators.tasks.phrases import load_phrases

INTENT = Intent(
    name="substitute",
    family="shopping",
    cells=(
        Cell("fulfil", weight=2),
        Cell("fulfil", closed=("PURCHASE",)),
        Cell("fulfil", closed=("BALANCE",)),
        Cell("fulfil", closed=("BALANCE", "PURCHASE")),
        Cell("out_of_stock"),
        Cell("cannot_afford", closed=("BALANCE",)),
        Cell("consent_refused", closed=("PURCHASE",)),
    ),
    gates=("BALANCE", "PURCHASE"),
    uses=frozenset({"cart"}),
    bind=bind,
    goal=goal,
    steps=steps,
    phrases=load_phrases(__package__),
)

__all__ = ["INTENT"]
