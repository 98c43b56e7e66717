"""A small store with known prices, and environments over it; opened through the same door that programs use."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from schemas.base import Json
from schemas.environment import EnvironmentRecord
from schemas.world import Product, World, build_world
from services import open_environment
from services.runtime.door import base_of, load_world
from services.runtime.environment import Environment
from tests.services import wearing

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


def _food(name: str, measure: str, piece: int, amounts: tuple[int, ...], contents: tuple[str, ...] = ()) -> Row:
    protein, carbs, sugar, fat, fiber, sodium = amounts
    return {
        "id": f"food_{name.lower().replace(' ', '_')}",
        "name": name,
        "group": "drinks" if measure == "ml" else "nuts" if "nuts" in contents else "grains",
        "measure": measure,
        "piece": piece,
        "calories_dkcal": 4 * (protein + carbs) + 9 * fat + 2 * fiber,
        "protein_dg": protein,
        "carbs_dg": carbs,
        "sugar_dg": sugar,
        "fat_dg": fat,
        "fiber_dg": fiber,
        "sodium_mg": sodium,
        "contents": list(contents),
    }


def _hours(provider: str, weekday: str, opens: str, closes: str, part: int = 1) -> Row:
    key = f"{provider}_{weekday.lower()}_{part}"
    return {"id": key, "provider_id": provider, "weekday": weekday, "opens": opens, "closes": closes}


def _provider(key: str, doctor: str, slot_minutes: int, fee_cents: int) -> Row:
    return {
        "id": key,
        "doctor": doctor,
        "clinic": f"{doctor}'s practice",
        "address": "1 Elm Row",
        "specialty": "general practice",
        "slot_minutes": slot_minutes,
        "fee_cents": fee_cents,
    }


SHARED: dict[str, list[Row]] = {
    "foods": [
        _food("Almonds", "g", 30, (212, 91, 44, 499, 125, 1), ("fatty", "nuts")),
        _food("Milk", "ml", 250, (34, 49, 49, 35, 0, 44), ("dairy",)),
        _food("Oatmeal", "g", 250, (24, 103, 4, 15, 17, 4), ("gluten",)),
        _food("Rice cakes", "g", 18, (80, 780, 9, 28, 42, 30)),
    ],
    "providers": [_provider("prov_01", "Dr. A", 15, 2000), _provider("prov_02", "Dr. B", 30, 4501)],
    "opening_hours": [
        *(_hours("prov_01", day, "08:00", "12:00") for day in ("Mon", "Tue", "Wed", "Thu", "Fri")),
        _hours("prov_01", "Tue", "13:00", "17:00", 2),
        _hours("prov_02", "Wed", "09:00", "12:00"),
    ],
}
"""Prov_01 sees patients on working days from 8 to 12 and on Tuesdays, as today is, from 13 to 17; prov_02 on Wednesdays
from 9 to 12."""

WORLD: World = build_world([_product(number) for number in range(1, 18)], SHARED)

TABLES: dict[str, Sequence[Row]] = {
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
    "devices": [
        {"id": "device_1", "source": "fitbit", "type": "watch"},
        {"id": "device_2", "source": "oura", "type": "ring"},
    ],
    "wallet": [{"id": "wallet", "balance_cents": 10_000, "opening_cents": 10_000}],
    "membership": [{"id": "membership", "expires_on": None}],
    "med_profile": [
        {
            "id": "med_profile",
            "name": "Ines Halloran",
            "age": 41,
            "gender": "female",
            "health_risks": ["hypertension", "prediabetes"],
            "dietary_restrictions": ["gluten_free", "low_sodium"],
        }
    ],
    "assortment": [{"id": product_id(n), "stock": 40, "delivery": "today"} for n in range(1, 17)],
    **wearing.TABLES,
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


def record(now: str = NOW, /, **tables: Sequence[Row]) -> EnvironmentRecord:
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
        blobs={} if "signals" in tables else wearing.BLOBS,
    )
    return bare.model_copy(update={"state_hash": f"{base_of(bare, load_world(WORLD)).hash:032x}"})


def environment(now: str = NOW, /, **tables: Sequence[Row]) -> Environment:
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


def unlock(env: Environment, feature: str) -> None:
    """Make the tools behind a feature available, as its discovery does."""
    env.session = env.session._replace(unlocked=env.session.unlocked | {feature})


def medical(now: str = NOW, /, **tables: Sequence[Row]) -> Environment:
    """Return an environment in which a member lets the assistant use the medical tools, which are available."""
    opened: dict[str, Sequence[Row]] = {
        "permissions": permissions(med_assistant=True, purchase=True),
        "membership": member_until("2025-12-31"),
    }
    env = environment(now, **{**opened, **tables})
    unlock(env, "medical")
    return env


def meal(key: str, time: str, *items: tuple[str, int]) -> dict[str, list[Row]]:
    """Return the tables of a meal of (food, tenths) at a time on June 10th, or at a whole time."""
    at = time if "T" in time else f"2025-06-10T{time}:00"
    return {
        "meals": [{"id": key, "time": at, "meal_type": "breakfast"}],
        "meal_items": [
            {"id": f"{key}_{number}", "meal_id": key, "food_id": f"food_{food}", "amount_tenths": tenths}
            for number, (food, tenths) in enumerate(items)
        ],
    }


def appointment(key: str, date: str, time: str, end: str, **fields: Json) -> dict[str, list[Row]]:
    """Return the tables of a confirmed appointment with prov_01 that cost 20, unless `fields` say otherwise."""
    status = fields.get("status", "confirmed")
    fee = fields.get("fee_cents", 2000)
    created = fields.get("created_at", "2025-06-01T10:00:00")
    usual: Row = {
        "id": key,
        "provider_id": "prov_01",
        "date": date,
        "time": time,
        "end": end,
        "duration": 60 * (int(end[:2]) - int(time[:2])) + int(end[3:]) - int(time[3:]),
        "reason": "Check-up",
        "status": "confirmed",
        "transaction_id": f"tx_{key}",
        "fee_cents": 2000,
        "created_at": created,
    }
    paid = {"status": "completed", "settled_at": "2025-06-01T10:05:00"} if status == "confirmed" else {}
    fees = transaction(f"tx_{key}", kind="appointment", subtotal_cents=fee, total_cents=fee, created_at=created, **paid)
    return {"appointments": [{**usual, **fields}], "transactions": [fees]}


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
