"""A small store with known prices, and environments over it; opened through the same door that programs use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schemas.base import Json
from schemas.environment import EnvironmentRecord
from schemas.world import Product, World, build_world
from services import open_environment
from services.runtime.door import base_of, load_world
from services.runtime.environment import Environment

Row = Mapping[str, Json]
NOW = "2025-06-10T12:00:00"
BRANDS = ("Aldervane", "Brookhall", "Corwick")


def _product(number: int) -> Product:
    single = 200 + 10 * number
    return Product(
        id=product_id(number),
        name=f"Plain Bar {number}",
        brand=BRANDS[number % 3],
        category="bar" if number % 2 else "biscuit",
        health_tags=["low_fat"],
        allergens=["contains_gluten"],
        attributes=[],
        unit="g",
        serving_weight=40,
        calories_dkcal=1605,
        sugar_dg=52,
        protein_dg=40,
        fat_dg=9,
        fiber_dg=21,
        sodium_mg=90,
        single_cents=single,
        pack_units=5,
        pack_cents=4 * single + 5,
        discount_percent={2: 20, 3: 30}.get(number, 0),
        discount_members_only=number == 3,
        label_tags=[],
        source="generated",
    )


def product_id(number: int) -> str:
    """Id of the product whose single pack costs 200 + 10·number cents; 1..17 exist, 17 is not in the store.

    2 has 20 % off for all, 3 has 30 % off for members. Brand is BRANDS[number % 3].
    """
    return f"p_0a1b2c_{number:03d}"


WORLD: World = build_world([_product(number) for number in range(1, 18)])

TABLES: dict[str, list[Row]] = {
    "profile": [
        {
            "id": "profile",
            "name": "Ines Halloran",
            "age": 41,
            "gender": "female",
            "health_risks": ["hypertension"],
            "dietary_restrictions": ["gluten_free"],
            "sport_preferences": ["running"],
            "food_preferences": ["soup"],
            "goal_steps": 8000,
            "goal_calories_intake": 2100,
            "goal_calories_burn": 2200,
            "goal_azm": 30,
        }
    ],
    "permissions": [
        {"id": key, "allowed": key == "purchase"} for key in ("med_assistant", "purchase", "raw_data", "user_notes")
    ],
    "sources": [{"id": "fitbit", "connected": True}, {"id": "oura", "connected": False}],
    "devices": [{"id": "device_1", "source": "fitbit", "type": "watch"}],
    "wallet": [{"id": "wallet", "balance_cents": 10_000, "opening_cents": 10_000}],
    "membership": [{"id": "membership", "expires_on": None}],
    "assortment": [{"id": product_id(n), "stock": 40, "delivery": "today"} for n in range(1, 17)],
}


def voucher(key: str, **fields: Json) -> Row:
    """Return a voucher of 10 % on everything, valid through the end of June, unless `fields` say otherwise."""
    usual: Row = {
        "id": key,
        "description": "10 % off",
        "brand": None,
        "members_only": False,
        "expires_on": "2025-06-30",
        "min_spend_cents": 0,
        "percent_off": 10,
        "used_in": None,
    }
    return {**usual, **fields}


def transaction(key: str, **fields: Json) -> Row:
    """Return a pending order of 210 cents made an hour ago, unless `fields` say otherwise."""
    usual: Row = {
        "id": key,
        "kind": "order",
        "status": "pending",
        "subtotal_cents": 210,
        "saving_cents": 0,
        "total_cents": 210,
        "voucher_id": None,
        "created_at": "2025-06-10T11:00:00",
        "settled_at": None,
    }
    return {**usual, **fields}


def line(order: str, number: int, **fields: Json) -> Row:
    """Return a line of one single pack of product `number` at its list price, unless `fields` say otherwise."""
    usual: Row = {
        "id": f"line_{order}_{number}",
        "transaction_id": order,
        "product_id": product_id(number),
        "size": "single_pack",
        "quantity": 1,
        "unit_price_cents": 200 + 10 * number,
    }
    return {**usual, **fields}


def record(now: str = NOW, **tables: Sequence[Row]) -> EnvironmentRecord:
    """Return the record of an environment whose tables are the usual ones but for those given."""
    rows = {name: [dict(row) for row in given] for name, given in {**TABLES, **tables}.items()}
    bare = EnvironmentRecord(
        environment_id="u-00000-env",
        user_id="u-00000",
        now=now,
        seed="5eed",
        world_id=WORLD.world_id,
        tables=rows,
        state_hash="",
    )
    return bare.model_copy(update={"state_hash": f"{base_of(bare, load_world(WORLD)).hash:032x}"})


def environment(now: str = NOW, **tables: Sequence[Row]) -> Environment:
    """Return a running environment whose tables are the usual ones but for those given."""
    return open_environment(record(now, **tables), WORLD)


def wallet(cents: int) -> list[Row]:
    """Return a wallet that holds `cents`."""
    return [{"id": "wallet", "balance_cents": cents, "opening_cents": cents}]


def permissions(**given: bool) -> list[Row]:
    """Return all permissions, those not given switched off."""
    return [
        {"id": key, "allowed": given.get(key, False)} for key in ("med_assistant", "purchase", "raw_data", "user_notes")
    ]


def member_until(day: str | None) -> list[Row]:
    """Return a membership whose last day is `day`."""
    return [{"id": "membership", "expires_on": day}]


def code_of(result: Mapping[str, Json]) -> str:
    """Return the error code of a result, or nothing when the call succeeded."""
    error = result.get("error")
    return str(error["code"]) if isinstance(error, dict) else ""


def done(env: Environment, tool: str, side: str = "assistant", **arguments: Json) -> dict[str, Json]:
    """Call a tool that must succeed."""
    result = env.call(tool, arguments, "user" if side == "user" else "assistant")
    assert "error" not in result, result
    return result


def refused(env: Environment, tool: str, side: str = "assistant", **arguments: Json) -> str:
    """Call a tool that must refuse and return the error code; nothing may have changed."""
    before, snapshot = env.state_hash(), env.snapshot()
    result = env.call(tool, arguments, "user" if side == "user" else "assistant")
    code = code_of(result)
    assert code, result
    assert env.state_hash() == before
    assert env.session == snapshot.session
    assert env.diff(snapshot) == {}
    return code


def buy(env: Environment, *items: tuple[int, str, int], voucher_id: str | None = None) -> str:
    """Put (product, size, quantity) lines into the cart, prepare the order and return its id."""
    for number, size, quantity in items:
        done(env, "add_to_cart", product_id=product_id(number), size=size, quantity=quantity)
    return str(done(env, "prepare_order", voucher_id=voucher_id)["transaction_id"])
