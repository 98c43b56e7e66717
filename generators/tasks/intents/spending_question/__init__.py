"""Answer a question about past spending."""

from __future__ import annotations

from generators.tasks.intent import Cell, Intent
from generators.tasks.intents.spending_question.bind import bind
from generators.tasks.intents.spending_question.goal import goal
from generators.tasks.intents.spending_question.program import steps
from generators.tasks.phrases import load_phrases

INTENT = Intent(
    name="spending-question",
    family="shopping",
    cells=(Cell("fulfil", weight=3), Cell("not_recorded")),
    gates=(),
    uses=frozenset(),
    bind=bind,
    goal=goal,
    steps=steps,
    phrases=load_phrases(__package__),
)

__all__ = ["INTENT"]
