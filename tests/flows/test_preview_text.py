"""Every kind of step of a plan can be shown."""

from __future__ import annotations

from typing import get_args

from flows.cli.preview_text import _step  # pyright: ignore[reportPrivateUsage]
from schemas.plan import Ask, Call, Confirm, Question, Step, Tell

SHOWN = {
    Call: (Call(side="user", tool="grant", arguments={"allow": True}, origins={}), "user: grant(allow=True)"),
    Confirm: (Confirm(tool="delete", arguments={"id": "n1"}), "user confirms delete(id='n1')"),
    Ask: (Ask(gate="PURCHASE", granted=False), "ask for PURCHASE: refused"),
    Question: (Question(slot="1.quantity", value=4), "ask for 1.quantity: 4"),
    Tell: (Tell(answers={"total": 450}, origins={}), "tell total=450"),
}


def test_each_kind_of_step_is_shown() -> None:
    kinds = get_args(get_args(Step)[0])
    assert set(kinds) == set(SHOWN)
    for step, text in SHOWN.values():
        assert _step(step.model_dump(mode="json")) == text
