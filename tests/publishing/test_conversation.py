"""One recorded conversation as a person reads it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from publishing.conversation import conversation
from publishing.conversations import KINDS, conversations
from schemas.score import Found
from schemas.trajectory import Confirmed, Declared, Did, Offered, Said, Trajectory
from tests.flows.rollouts import trajectory_of
from tests.nonempty import nonempty
from tests.publishing.exports.talks import nasty, score, talk, tasks


def said(turn: int, by: str, text: str, **more: object) -> Said:
    return Said.model_validate({"turn": turn, "by": by, "text": text, **more})


def did(tool: str, side: str = "assistant", **more: object) -> Did:
    given = {"turn": 1, "side": side, "call_id": "call_1", "tool": tool, "arguments_text": "{}", "arguments": {}}
    return Did.model_validate({**given, "result": {}, "state_hash": "1" * 32, **more})


WROTE = {"wallet": {"wallet": [{"id": "wallet", "cents": 5}, {"id": "wallet", "cents": 2}]}}


def test_a_real_conversation_is_told_whole() -> None:
    trajectory = talk(next(iter(tasks().values())))
    text = conversation(trajectory)
    assert text.startswith(f"## {trajectory.trajectory_id}\n")
    for event in nonempty(trajectory.events):
        if isinstance(event, Said):
            assert f"> {event.text}" in text
        if isinstance(event, Did):
            assert f"- `{event.tool}(" in text
            assert all(f"{table}" in text for table in event.diff or {})  # type: ignore[union-attr]
    assert "Passed; ended: done" in text


def test_what_is_hard_to_write_stays_in_its_place() -> None:
    trajectory = nasty()
    ways = r"## |\*\*(User|Assistant|Platform|Score)\*\*$|> |- |  - |>$|$|u0|\(|Passed"
    lines = conversation(trajectory).split("\n")
    assert [line for line in lines if not re.match(ways, line)] == []
    assert not [sign for line in lines for sign in line if not sign.isprintable()]


def test_every_kind_of_event_is_told() -> None:
    trajectory = trajectory_of().changed(
        {
            "events": [
                said(0, "user", "Hello"),
                said(1, "platform", "Nothing was said."),
                did("look", result={"rows": ["x" * 300] * 90, "few": [1, 2]}),
                did("look", result={"rows": list(range(90))}),
                did("look", arguments=None, arguments_text="{'no': `JSON`", result={"error": {"code": "NO_JSON"}}),
                did(
                    "pay",
                    diff={**WROTE, "cart": {"c_1": [{"id": "c_1"}, None]}, "orders": {"o_1": [None, {"id": "o_1"}]}},
                ),
                said(1, "assistant", "May I?\nPlease."),
                Confirmed(turn=2, tool="pay", arguments={"id": "tx_1"}),
                said(2, "user", "Yes.", told={"size": "change"}, answered={"PURCHASE": True, "NOTES": False}),
                Offered(turn=3, tools=[{"type": "function", "function": {"name": "fitbit-readings"}}]),
            ]
        }
    )
    text = conversation(trajectory)
    for line in (
        "**Platform**\n\n> Nothing was said.\n\n**Assistant**",
        '- `look()` → `{"few":["… 2"],"rows":["… 90"]}`',
        '- `look()` → `{"rows":[0,1,2,"… 87 more"]}`',
        '- `` look({\'no\': `JSON`) `` → `{"error":{"code":"NO_JSON"}}`',
        "  - in wallet `wallet`: `cents 5 → 2`",
        "  - gone from cart: `c_1`",
        '  - new in orders: `{"id":"o_1"}`',
        "> May I?\n> Please.",
        '- says yes to `pay(id="tx_1")`',
        "(tells `size` (on changing their mind); agrees to PURCHASE; refuses NOTES)",
        "- offers `fitbit-readings` from now on",
    ):
        assert line in text


def test_a_score_says_what_went_wrong() -> None:
    found = Found(error="early-stop", error_class="navigation", detail="no order was paid", decisive=True)
    failed = score(passed=False).changed({"reason": "no order", "error_class": "navigation", "found": [found]})
    declared = Declared(error="early-stop", error_class="navigation", matters=True, committed=True)
    text = conversation(trajectory_of().changed({"score": failed, "declared": declared}))
    assert "Failed (navigation): no order; ended: done" in text
    assert "- error `early-stop` (navigation): no order was paid" in text
    assert "the assistant says that it commits the error `early-stop`" in text
    broken = conversation(trajectory_of(end="infrastructure_error"))
    assert "Not scored; ended: infrastructure_error (no answer)" in broken


def of_kind(
    number: int,
    template: str,
    *,
    told: int = 0,
    passed: bool = True,
    slots: Mapping[str, str] | None = None,
    answered: Mapping[str, bool] | None = None,
) -> Trajectory:
    """A conversation with `number` calls that change nothing, in which `told` answers are given."""
    made = score(passed=passed).changed({"told": dict.fromkeys([f"a{n}" for n in range(told)], "right")})
    events = [
        said(0, "user", "Hello"),
        *[did("look")] * number,
        did("put", diff=WROTE),
        did("pay", side="user", diff=WROTE),
        said(2, "user", "Well.", told=slots or {}, answered=answered or {}),
    ]
    return trajectory_of(f"u000000-t{number:05d}").changed({"template": template, "events": events, "score": made})


def test_the_shortest_of_each_kind_is_shown() -> None:
    made = {
        "A plain success": of_kind(1, "buy-best/fulfil"),
        "A consent asked for and refused": of_kind(2, "buy-best/consent_refused", told=2, answered={"PURCHASE": False}),
        "A change of mind": of_kind(3, "buy-best/fulfil", slots={"size": "change"}),
        "A decline with evidence": of_kind(4, "add-note/fulfil + buy-best/out_of_stock/pack", told=3),
        "A failure": of_kind(5, "buy-best/fulfil", passed=False),
    }
    longer = [one.changed({"events": [did("look"), *one.events], "trajectory_id": "longer"}) for one in made.values()]
    page = conversations([*longer, *made.values(), *longer])
    assert re.findall(r"^## (.*)$", page, flags=re.M) == list(KINDS) == list(made)
    assert "longer" not in page
    assert all(one.trajectory_id in page for one in made.values())


def test_a_decline_without_evidence_is_none_of_the_kinds() -> None:
    assert "No conversation is of a kind" in conversations([of_kind(1, "buy-best/policy", told=1)])
