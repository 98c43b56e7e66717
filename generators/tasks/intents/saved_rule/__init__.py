"""Buy the best product by a rule that the user has noted."""

from __future__ import annotations

from generators.tasks.intent import Cell, Intent
from generators.tasks.intents.saved_rule.bind import bind
from generators.tasks.intents.saved_rule.goal import goal
from generators.tasks.intents.saved_rule.program import steps
from generators.tasks.phrases import load_phrases

INTENT = Intent(
    name="saved-rule",
    family="shopping",
    cells=(
        Cell("fulfil", weight=2),
        Cell("fulfil", closed=("NOTES",)),
        Cell("fulfil", closed=("NOTES", "PURCHASE")),
        Cell("fulfil", closed=("BALANCE",)),
        Cell("none_satisfies"),
        Cell("not_recorded"),
        Cell("consent_refused", closed=("NOTES",)),
    ),
    gates=("BALANCE", "NOTES", "PURCHASE"),
    uses=frozenset({"cart", "notes"}),
    bind=bind,
    goal=goal,
    steps=steps,
    phrases=load_phrases(__package__),
)

__all__ = ["INTENT"]
