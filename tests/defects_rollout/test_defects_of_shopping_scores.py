"""Known defects of how a published benchmark scores shopping, each with a test that it is not repeated here.

Each end is reached in a conversation; PAUSE's own points for it are computed beside ours, to show the hole.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

from generators.dialogue.parts import AssistantTurn, Hands, UserReply
from schemas.base import Json
from tests.defects_rollout.staging import held, oracle, scored
from tests.generators.dialogue.players import Replies, Says, called, said
from tests.validators.scoring.shop import context, others, wanted
from tests.validators.tasks_support import context_of
from validators.scoring.outcome import outcome_of
from validators.scoring.pause_compat_adapter import shopping_state, shopping_target
from validators.scoring.pause_compat_shopping import shopping_points
from validators.scoring.shopping_columns import columns
from validators.scoring.shopping_orders import Line
from validators.tasks.context import TaskContext

TASK = context()
(WANTED,) = wanted(TASK)
EXTRA = others(TASK, 10)


class Bought(NamedTuple):
    """What a conversation came to."""

    passed: bool
    pause: float
    """PAUSE's share of the points."""
    ok: bool
    """Whether all of our columns are 1."""


def added(*lines: Line) -> AssistantTurn:
    """A turn that puts lines into the cart."""
    return called(
        *(("add_to_cart", {"product_id": x.product_id, "size": x.size, "quantity": x.quantity}) for x in lines)
    )


ORDERED = called(("prepare_order", {}))
PAY, BYE = said("Please pay."), said("All done.")


def payer(of: TaskContext) -> Replies:
    """A user who pays all that was prepared in the conversation, after adding just what is missing."""

    def reply(text: str, hands: Hands) -> UserReply:
        if "pay" not in text:
            return UserReply("Thanks.", stop=True)
        (balance,) = [int(str(row["balance_cents"])) for row in hands.look("wallet").values()]
        for key, row in hands.look("transactions").items():
            if row["status"] == "pending" and key not in of.start.tables["transactions"]:
                missing = int(str(row["total_cents"])) - balance
                if missing > 0:
                    hands.call("top_up_wallet", {"amount": missing / 100})
                balance = max(-missing, 0)
                hands.call("authorize_checkout", {"transaction_id": key})
        return UserReply("Paid.")

    return Replies([reply] * 9)


def bought(*turns: AssistantTurn, of: TaskContext = TASK) -> Bought:
    """What these turns of an assistant come to, with a user who pays everything."""
    trajectory = held(of, Says([*turns, BYE]), payer(of))
    end = outcome_of(of, trajectory).env.state_
    target = shopping_target(of)
    assert target is not None
    points = shopping_points(shopping_state(of, end), target)
    return Bought(scored(of, trajectory).passed, points.score, columns(of, end)["ok"] == 1)


def pack(size: str, quantity: int) -> Line:
    return WANTED._replace(size=size, quantity=quantity)


# D49: whatever else was bought, left over or never paid, the score was full or nearly so.


def test_defect_D49_the_right_order_has_all_points_of_both() -> None:
    assert bought(added(WANTED), ORDERED, PAY) == (True, 1.0, True)


def test_defect_D49_ten_extra_products_fail() -> None:
    assert bought(added(WANTED, *EXTRA), ORDERED, PAY) == (False, 1.0, False)


def test_defect_D49_a_second_order_fails() -> None:
    assert bought(added(WANTED), ORDERED, PAY, added(EXTRA[0]), ORDERED, PAY) == (False, 1.0, False)


def test_defect_D49_a_leftover_in_the_cart_fails() -> None:
    assert bought(added(WANTED), ORDERED, PAY, added(EXTRA[0])) == (False, 1.0, False)


def test_defect_D49_a_membership_that_nobody_wanted_fails() -> None:
    joins = called(("upgrade_membership_request", {"vip_duration": "1_month"}))
    assert bought(joins, PAY, added(WANTED), ORDERED, PAY) == (False, 1.0, False)


def test_defect_D49_an_order_that_waits_earns_nothing() -> None:
    # PAUSE: 1 product + 0 + 0 + 0 of 4 points.
    assert bought(added(WANTED), ORDERED) == (False, 0.25, False)


def test_defect_D49_something_else_earns_no_voucher_point() -> None:
    # PAUSE: 0 + 0 + 1 (no voucher, as expected) + 0 of 4 points.
    assert bought(added(EXTRA[0]), ORDERED, PAY) == (False, 0.25, False)


def test_defect_D49_two_lines_are_as_good_as_one() -> None:
    # PAUSE: 1 + 0 + 1 + 0 of 4 points, for just what was asked for.
    two = added(pack("single_pack", 2), pack("single_pack", WANTED.quantity - 2))
    assert bought(two, ORDERED, PAY) == (True, 0.5, True)


# D50: units had to be split into packs of five and single ones, which nobody was told; the target took the membership
# to be as at the start.


def test_defect_D50_packings_are_judged_by_what_they_cost_and_the_rule_is_told() -> None:
    rule = "bought in the combination of packs that costs least"
    (tool,) = [tool for tool in TASK.open().tools() if _name(tool) == "add_to_cart"]
    assert rule in str(tool)
    dearer = added(pack("pack_5", 1), pack("single_pack", WANTED.quantity - 5))
    assert not bought(dearer, ORDERED, PAY).passed


def _name(tool: dict[str, Json]) -> str:
    function = tool["function"]
    assert isinstance(function, dict)
    return str(function["name"])


@pytest.mark.parametrize("template", ["buy-as-member/fulfil/joins", "buy-several/fulfil", "budget-basket/fulfil"])
def test_defect_D50_the_gold_is_the_order_that_execution_left(template: str) -> None:
    found = context_of(template)
    trajectory = held(found, oracle(found))
    end = outcome_of(found, trajectory).env.state_
    assert scored(found, trajectory).passed
    assert columns(found, end)["ok"] == 1


def test_defect_D50_prices_are_those_of_a_member_once_one_has_joined() -> None:
    found = context_of("buy-as-member/fulfil/joins")
    without = Says([added(*wanted(found)), ORDERED, PAY, BYE])
    one = scored(found, held(found, without, payer(found)))
    assert (one.contract, one.passed) == (False, False)
    assert scored(found, held(found)).passed
