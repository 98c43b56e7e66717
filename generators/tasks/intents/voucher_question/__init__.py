"""Answer a question about the vouchers that can still be used."""

from __future__ import annotations

from generators.tasks.intent import Cell, Intent
from generators.tasks.intents.voucher_question.bind import bind
from generators.tasks.intents.voucher_question.goal import goal
from generators.tasks.intents.voucher_question.program import steps
from generators.tasks.phrases import load_phrases

INTENT = Intent(
    name="voucher-question",
    family="shopping",
    cells=(Cell("fulfil", weight=3), Cell("none_satisfies")),
    gates=(),
    uses=frozenset(),
    bind=bind,
    goal=goal,
    steps=steps,
    phrases=load_phrases(__package__),
)

__all__ = ["INTENT"]
