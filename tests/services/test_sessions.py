"""Random conversations, legal and illegal calls mixed: what holds after every single call."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.base import Json, canonical
from services.runtime.algebra import NO_ROW, Scope, compile_pred
from services.runtime.arguments import json_data
from services.runtime.catalogue import installed_catalogue
from services.runtime.declare import Side
from services.runtime.environment import Environment
from services.runtime.records import from_data, to_data
from services.runtime.state import Base, dump_tables, load_tables
from services.runtime.tools import Tool
from tests.effort import amount
from tests.scan import ROOT
from tests.services import sample
from tests.services.sample import code_of, line, product_id, transaction, voucher

CATALOGUE = installed_catalogue()
INVARIANTS = {name: compile_pred(invariant.holds) for name, invariant in CATALOGUE.invariants.items()}
NAMES = sorted(CATALOGUE.tools)


def start() -> Environment:
    """An environment in which every gate, voucher rule and kind of transaction can matter soon."""
    return sample.environment(
        permissions=sample.permissions(purchase=True),
        wallet=sample.wallet(3000),
        membership=sample.member_until("2025-06-09"),
        assortment=[{"id": product_id(n), "stock": 3 * n, "delivery": "today"} for n in range(1, 6)],
        vouchers=[
            voucher("v_all"),
            voucher("v_brand", brand=sample.BRANDS[0], percent_off=50),
            voucher("v_members", members_only=True, percent_off=20),
            voucher("v_spend", min_spend_cents=700, percent_off=30),
            voucher("v_old", expires_on="2025-06-01"),
        ],
        transactions=[
            transaction("tx_pending", voucher_id="v_all", saving_cents=21, total_cents=189),
            transaction("tx_old", created_at="2025-06-01T11:00:00"),
        ],
        order_lines=[line("tx_pending", 1), line("tx_old", 1)],
    )


NUMBERS = st.sampled_from([1, 2, 3, 1.0, 5, 20, 0.05, 12.345, 0, -1, 10**6])
PRODUCTS = st.sampled_from([*map(product_id, (1, 2, 3, 3, 4, 17)), "p"])


def _ids(env: Environment, table: str) -> st.SearchStrategy[str]:
    return st.sampled_from([*(record.id for record in env.state_.all(table)), "none"])


def _arguments(env: Environment, tool: Tool) -> st.SearchStrategy[dict[str, Any]]:
    """Arguments of a tool: mostly such that it can succeed, sometimes not even valid."""
    pools: Mapping[str, st.SearchStrategy[Any]] = {
        "product_id": PRODUCTS,
        "size": st.sampled_from(["single_pack", "pack_5", "pack_5", "box"]),
        "quantity": NUMBERS,
        "page": NUMBERS,
        "cart_item_id": _ids(env, "cart"),
        "voucher_id": st.none() | _ids(env, "vouchers"),
        "transaction_id": _ids(env, "transactions"),
        "vip_duration": st.sampled_from(["1_month", "1_month", "2_months"]),
        "amount": NUMBERS,
        "allow": st.booleans(),
    }
    properties: Any = tool.schema["properties"]
    required: Any = tool.schema["required"]
    known = {name: pools.get(name, st.sampled_from([{}, [], ["x"], {"age": 30}])) for name in properties}
    optional = {name: pool for name, pool in known.items() if name not in required}
    return st.fixed_dictionaries({name: known[name] for name in required}, optional=optional)


def check_everything(env: Environment) -> None:
    """Invariants hold, records fit their types, and the incremental hash is that of the records."""
    scope = Scope(env.state_, env.now, {})
    assert [name for name, holds in INVARIANTS.items() if not holds(NO_ROW, scope)] == []
    for name, table in CATALOGUE.tables.items():
        for record in env.state_.all(name):
            assert from_data(table.record, to_data(record)) == record
    full = Base(load_tables(dump_tables(env.state_), CATALOGUE.tables), env.state_.base.world)
    assert f"{full.hash:032x}" == env.state_hash()


def one_call(env: Environment, name: str, arguments: dict[str, Json], side: Side) -> str:
    """Make one call, check what every call must leave behind, and return its error code."""
    tool = CATALOGUE.tools[name]
    before, state_hash = env.snapshot(), env.state_hash()
    result = env.call(name, arguments, side)
    assert json_data(result) == result and len(canonical(result)) > 1
    code = code_of(result)
    assert not code or code in CATALOGUE.errors_of(tool)
    assert code != "INTERNAL_ERROR"
    if code or not tool.write:
        assert env.state_hash() == state_hash and env.diff(before) == {}
        assert env.session.ordinals == before.session.ordinals
        assert env.session.writes == before.session.writes
    if code:
        assert env.session == before.session
    else:
        written = {(table, key) for table, rows in env.diff(before).items() for key in rows}
        assert written <= env.footprint.writes
    if not code and not tool.write:
        footprint = env.footprint
        env.state_.base.kept.clear()  # what was kept of earlier reads is what reading again gives
        assert env.call(name, arguments, side) == result and env.footprint == footprint
        assert env.call(name, arguments, side) == result and env.footprint == footprint
    check_everything(env)
    env_hash = env.state_hash()
    after = env.snapshot()
    env.restore(before)
    assert env.state_hash() == state_hash
    env.restore(after)
    assert env.state_hash() == env_hash
    return code


@settings(max_examples=amount(10, 40))
@given(data=st.data())
def test_every_call_of_a_random_conversation_keeps_the_rules(data: st.DataObject) -> None:
    env = start()
    check_everything(env)
    for _ in range(data.draw(st.integers(1, 12))):
        name = data.draw(st.sampled_from(NAMES))
        tool = CATALOGUE.tools[name]
        arguments = data.draw(_arguments(env, tool))
        sides: list[Side] = [tool.side, tool.side, tool.side, "assistant"]
        side = data.draw(st.sampled_from(sides))
        if tool.confirm and data.draw(st.booleans()):
            env.confirm(name, arguments)
        one_call(env, name, arguments, side)


VOUCHERS = st.sampled_from([None, "v_all", "v_all", "v_brand", "v_members", "v_spend", "v_old"])
BUYING = st.lists(
    st.one_of(
        st.tuples(st.just("order"), st.integers(1, 5), st.integers(1, 4), VOUCHERS),
        st.tuples(st.just("pay"), st.integers(0, 5)),
        st.tuples(st.just("pay"), st.integers(0, 5)),
        st.just(("join",)),
        st.tuples(st.just("top_up"), st.sampled_from([5, 20.5])),
        st.tuples(st.just("permit"), st.sampled_from([True, True, False])),
    ),
    min_size=3,
    max_size=9,
)


def _calls(env: Environment, op: tuple[Any, ...]) -> Iterator[tuple[str, dict[str, Json]]]:
    """The calls of one step of somebody who buys."""
    match op:
        case ("order", number, quantity, voucher_id):
            yield "add_to_cart", {"product_id": product_id(number), "size": "single_pack", "quantity": quantity}
            yield "prepare_order", {"voucher_id": voucher_id}
        case ("pay", place):
            keys = [record.id for record in env.state_.all("transactions")]
            yield "authorize_checkout", {"transaction_id": keys[place % len(keys)]}
        case ("join",):
            yield "upgrade_membership_request", {"vip_duration": "1_month"}
        case ("top_up", amount):
            yield "top_up_wallet", {"amount": amount}
        case _:
            yield "set_purchase_permission", {"allow": op[1]}


@settings(max_examples=amount(15, 60))
@given(BUYING)
def test_buying_in_any_order_keeps_the_rules(ops: list[tuple[Any, ...]]) -> None:
    # Mostly legal steps, so that orders, vouchers and memberships meet each other within a short conversation.
    env = start()
    for op in ops:
        for name, arguments in _calls(env, op):
            one_call(env, name, arguments, CATALOGUE.tools[name].side)


@settings(max_examples=amount(8, 30))
@given(BUYING)
def test_replaying_a_conversation_gives_the_same_results_and_state(ops: list[tuple[Any, ...]]) -> None:
    env = start()
    made: list[tuple[str, dict[str, Json], dict[str, Json]]] = []
    for op in ops:
        for name, arguments in _calls(env, op):
            made.append((name, arguments, env.call(name, arguments, CATALOGUE.tools[name].side)))
    again = start()
    for name, arguments, result in made:
        assert again.call(name, arguments, CATALOGUE.tools[name].side) == result
    assert again.state_hash() == env.state_hash() and again.snapshot() == env.snapshot()


SCRIPT = """
from tests.services.test_sessions import CATALOGUE, start
env = start()
for name, arguments in [
    ("browse_items", {"page": 1}),
    ("update_profile", {"health_risks": []}),
    ("add_to_cart", {"product_id": "p_0a1b2c_003", "size": "single_pack", "quantity": 2}),
    ("prepare_order", {"voucher_id": "v_all"}),
    ("upgrade_membership_request", {"vip_duration": "1_month"}),
    ("get_transactions", {}),
    ("authorize_checkout", {"transaction_id": "tx_pending"}),
    ("get_wallet", {}),
]:
    print(env.call(name, arguments, CATALOGUE.tools[name].side), env.state_hash())
print(env.delta(), env.state())
"""


def test_a_conversation_does_not_depend_on_the_hash_seed() -> None:
    outputs = [
        subprocess.run(
            [sys.executable, "-c", SCRIPT],
            cwd=ROOT,
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("0", "77")
    ]
    assert outputs[0] == outputs[1] and "INTERNAL_ERROR" not in outputs[0] and len(outputs[0]) > 5000


@pytest.mark.parametrize("name", [name for name in NAMES if not CATALOGUE.tools[name].write])
def test_results_of_reads_can_be_changed_without_harm(name: str) -> None:
    # A caller owns its result: nothing behind it may be shared with the next one.
    env = start()
    arguments: dict[str, Json] = (
        {"product_id": product_id(1)} if name == "inspect_item" else dict(CATALOGUE.tools[name].example)
    )
    first: Any = env.call(name, arguments)
    kept = canonical(first)
    _spoil(first)
    assert canonical(env.call(name, arguments)) == kept
    assert env.state_hash() == start().state_hash()


def _spoil(value: Any) -> None:  # noqa: ANN401
    if isinstance(value, dict):
        for item in [*value.values()]:
            _spoil(item)
        value.clear()
    elif isinstance(value, list):
        for item in value:
            _spoil(item)
        value.clear()
