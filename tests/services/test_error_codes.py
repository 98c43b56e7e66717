"""Every error code that a tool declares is reached by a case in `tests/services/refusals`, and no case returns another.

A module there holds `CASES` of one part of the environment.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

import pytest

from schemas.base import Json
from services.runtime.catalogue import installed_catalogue
from services.runtime.tools import UNIVERSAL_ERRORS, Tool
from tests.services import refusals, sample
from tests.services.refusals import Case
from tests.services.refusals.store import ADD, NO_PERMISSION, with_cart
from tests.services.sample import buy, code_of, line, product_id, refused, transaction, voucher

CATALOGUE = installed_catalogue()
CASES: list[Case] = [
    case
    for module in sorted(one.name for one in iter_modules(refusals.__path__))
    for case in import_module(f"tests.services.refusals.{module}").CASES
]


def run(case: Case) -> str:
    """Make the call of a case and return the code."""
    env, tool = case.start(), CATALOGUE.tools[case.tool]
    if tool.confirm:
        env.confirm(case.tool, case.arguments)
    if tool.behind:
        sample.unlock(env, tool.behind)
    return refused(env, case.tool, tool.side, **case.arguments)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.tool}-{case.code}")
def test_a_case_is_refused_with_its_code(case: Case) -> None:
    assert run(case) == case.code


@pytest.mark.parametrize("tool", CATALOGUE.tools.values(), ids=CATALOGUE.tools)
def test_every_declared_code_is_reached_and_no_other(tool: Tool) -> None:
    callable_as = CATALOGUE.sample(tool).name
    reached = {run(case) for case in CASES if case.tool == callable_as}
    assert reached == set(CATALOGUE.errors_of(tool)) - set(UNIVERSAL_ERRORS)


@pytest.mark.parametrize("tool", CATALOGUE.tools.values(), ids=CATALOGUE.tools)
def test_universal_codes_of_every_tool(tool: Tool) -> None:
    env = sample.environment()
    tool = CATALOGUE.sample(tool)
    other = "user" if tool.side == "assistant" else "assistant"
    assert refused(env, tool.name, other, **tool.example) == "WRONG_SIDE"
    if tool.behind:
        assert refused(env, tool.name, tool.side, **tool.example) == "TOOL_NOT_AVAILABLE"
        sample.unlock(env, tool.behind)
    assert refused(env, tool.name, tool.side, **tool.example, no_such_argument=1) == "INVALID_ARGUMENTS"
    code = code_of(env.call(tool.name, tool.example, tool.side))
    assert (code == "CONFIRMATION_REQUIRED") is tool.confirm  # INTERNAL_ERROR is reached with the toy service


@pytest.mark.parametrize(
    ("fields", "reason"),
    [
        ({"used_in": "tx_old"}, "used"),
        ({"expires_on": "2025-06-09"}, "expired"),
        ({"members_only": True}, "vip_required"),
        ({"brand": sample.BRANDS[0]}, "nothing_eligible"),
        ({"min_spend_cents": 211}, "min_amount_not_met"),
        ({"brand": sample.BRANDS[1], "min_spend_cents": 211}, "min_amount_not_met"),
    ],
)
def test_a_voucher_is_refused_with_the_reason(fields: dict[str, Json], reason: str) -> None:
    env = with_cart(vouchers=[voucher("v", **fields)])()
    error = env.call("prepare_order", {"voucher_id": "v"})["error"]
    assert isinstance(error, dict)
    assert (error["code"], error["reason"]) == ("VOUCHER_NOT_USABLE", reason)
    # The cart is as it was, and the order can be made without the voucher.
    assert env.call("prepare_order")["final_total"] == 2.1


def test_out_of_stock_tells_what_is_left() -> None:
    env = sample.environment()
    error = env.call("add_to_cart", {**ADD, "quantity": 41})["error"]
    assert isinstance(error, dict)
    assert (error["product_id"], error["units_left"]) == (product_id(1), 40)


def test_a_gate_names_itself_and_what_is_missing() -> None:
    env = sample.environment(permissions=NO_PERMISSION, wallet=sample.wallet(150))
    error = env.call("prepare_order")["error"]
    assert isinstance(error, dict)
    assert (error["gate"], error["permission"]) == ("PURCHASE", "allow_purchase")
    assert {"NOTES", "PURCHASE", "VIP", "MED"} <= set(env.closed_gates())
    sample.done(env, "set_purchase_permission", "user", allow=True)
    order = buy(env, (1, "single_pack", 1))
    error = env.call("authorize_checkout", {"transaction_id": order}, "user")["error"]
    assert isinstance(error, dict)
    assert (error["gate"], error["balance"], error["total"]) == ("BALANCE", 1.5, 2.1)


def test_total_changed_tells_both_totals() -> None:
    env = sample.environment(transactions=[transaction("tx")], order_lines=[line("tx", 1), line("tx", 2)])
    error = env.call("authorize_checkout", {"transaction_id": "tx"}, "user")["error"]
    assert isinstance(error, dict)
    assert (error["prepared_total"], error["total"]) == (2.1, 3.86)
