"""Pay an order that waits for payment."""

from __future__ import annotations

from generators.tasks.intent import Cell, Intent
from generators.tasks.intents.finish_pending.bind import bind
from generators.tasks.intents.finish_pending.goal import goal
from generators.tasks.intents.finish_pending.program import steps
from generators.tasks.phrases import load_phrases

INTENT = Intent(
    name="finish-pending",
    family="shopping",
    cells=(
        Cell("fulfil", weight=2),
        Cell("fulfil", closed=("BALANCE",)),
        Cell("none_satisfies"),
        Cell("policy"),
        Cell("cannot_afford", closed=("BALANCE",)),
    ),
    gates=("BALANCE",),
    uses=frozenset({"pending"}),
    bind=bind,
    goal=goal,
    steps=steps,
    phrases=load_phrases(__package__),
)

__all__ = ["INTENT"]
