"""Say on which category or brand the user spent most."""

from __future__ import annotations

from generators.tasks.intent import Cell, Intent
from generators.tasks.intents.top_category.bind import bind
from generators.tasks.intents.top_category.goal import goal
from generators.tasks.intents.top_category.program import steps
from generators.tasks.phrases import load_phrases

INTENT = Intent(
    name="top-category",
    family="shopping",
    cells=(Cell("fulfil", weight=3), Cell("not_recorded")),
    gates=(),
    uses=frozenset(),
    gives={"category": {"category": "category"}, "brand": {"brand": "brand"}},
    bind=bind,
    goal=goal,
    steps=steps,
    phrases=load_phrases(__package__),
)

__all__ = ["INTENT"]
