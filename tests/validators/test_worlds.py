"""Every check on worlds passes the made ones and catches a deliberately broken one."""

from __future__ import annotations

import copy
import hashlib
import json
from collections.abc import Callable
from typing import Any, TypeAlias

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generators.worlds import make_world
from services.runtime.catalogue import installed_catalogue
from services.shopping.nutrition import NUTRIENTS, health_tags
from validators.worlds import WORLD_CHECKS, check_world
from validators.worlds.rules import health_tag_faults

Rows: TypeAlias = list[dict[str, Any]]

WORLD = make_world(1, 90)
RECORD: dict[str, Any] = WORLD.model_dump(mode="json")


def first(rows: Rows, wanted: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
    return next(row for row in rows if wanted(row))


def sealed(record: dict[str, Any]) -> dict[str, Any]:
    """Name a changed world by its content, so that only the change itself can be found."""
    text = json.dumps(record["tables"], sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return {**record, "world_id": "w_" + hashlib.sha256(text.encode()).hexdigest()[:12]}


def failed(record: dict[str, Any]) -> dict[str, str]:
    return {verdict.check: verdict.reason for verdict in check_world(record) if not verdict.passed}


def drop_tag(rows: Rows) -> None:
    first(rows, lambda row: bool(row["health_tags"]))["health_tags"].pop()


def add_tag(rows: Rows) -> None:
    row = first(rows, lambda row: "low_sodium" not in row["health_tags"])
    row["health_tags"] = sorted([*row["health_tags"], "low_sodium"])


def drop_combined_tag(rows: Rows) -> None:
    first(rows, lambda row: "diabetic_safe" in row["health_tags"])["health_tags"].remove("diabetic_safe")


def add_combined_tag(rows: Rows) -> None:
    first(rows, lambda row: "diabetic_safe" not in row["health_tags"])["health_tags"].insert(0, "diabetic_safe")


def halve_energy(rows: Rows) -> None:
    first(rows, lambda row: row["fat_dg"] > 100)["calories_dkcal"] //= 3


def raise_energy(rows: Rows) -> None:
    rows[0]["calories_dkcal"] = rows[0]["serving_weight"] * 130


def overfill(rows: Rows) -> None:
    rows[0]["fiber_dg"] = rows[0]["serving_weight"] * 14


def oversalt(rows: Rows) -> None:
    rows[0]["sodium_mg"] = rows[0]["serving_weight"] * 400


def forget_gluten_free(rows: Rows) -> None:
    first(rows, lambda row: "gluten_free" in row["attributes"])["attributes"].remove("gluten_free")


def claim_lactose_free(rows: Rows) -> None:
    row = first(rows, lambda row: "contains_lactose" in row["allergens"])
    row["attributes"] = sorted([*row["attributes"], "lactose_free"])


def call_egg_vegan(rows: Rows) -> None:
    row = first(rows, lambda row: "contains_egg" in row["allergens"])
    row["attributes"] = sorted({*row["attributes"], "vegan"})


def call_milk_vegan(rows: Rows) -> None:
    row = first(rows, lambda row: row["category"] == "milk" and "contains_lactose" not in row["allergens"])
    row["attributes"] = sorted({*row["attributes"], "vegan"})


def call_honey_vegan(rows: Rows) -> None:
    row = first(rows, lambda row: "vegan" in row["attributes"])
    row["name"] = "Honey " + row["name"]


def call_cheap_premium(rows: Rows) -> None:
    bars = [row for row in rows if row["category"] == "bar"]
    cheapest = min(bars, key=lambda row: row["single_cents"] / row["serving_weight"])
    cheapest["attributes"] = sorted({*cheapest["attributes"], "premium"})


def call_only_one_premium(rows: Rows) -> None:
    rows[0]["category"] = "unique"
    rows[0]["attributes"] = sorted({*rows[0]["attributes"], "premium"})


def hide_nuts_of_nuts(rows: Rows) -> None:
    first(rows, lambda row: row["category"] == "nuts")["allergens"].remove("contains_nuts")


def hide_nuts_of_name(rows: Rows) -> None:
    row = first(rows, lambda row: "contains_nuts" not in row["allergens"] and row["category"] != "nuts")
    row["name"] = "Almond " + row["name"]


def shuffle_labels(rows: Rows) -> None:
    first(rows, lambda row: len(row["health_tags"]) > 1)["health_tags"].reverse()


def double_label(rows: Rows) -> None:
    row = first(rows, lambda row: bool(row["allergens"]))
    row["allergens"].append(row["allergens"][-1])


def print_labels(rows: Rows) -> None:
    rows[0]["label_tags"] = ["low_sugar"]


def share_name(rows: Rows) -> None:
    rows[3]["name"] = rows[4]["name"].upper()


def read_alike(rows: Rows) -> None:
    rows[3]["name"], rows[4]["name"] = "Cocoa Oat Cookie", "Cocoa Oat-Cookies"


def claim_falsely(rows: Rows) -> None:
    row = first(rows, lambda row: "sugar_free" not in row["health_tags"])
    row["name"] = "Zero-" + row["name"]


def price_pack_as_singles(rows: Rows) -> None:
    row = first(rows, lambda row: row["discount_percent"] == 0)
    row["pack_cents"] = 5 * row["single_cents"]


def tie_after_discount(rows: Rows) -> None:
    row = first(rows, lambda row: row["discount_percent"] > 0)
    row.update(single_cents=333, pack_cents=1669, discount_percent=50)


def price_pack_below_single(rows: Rows) -> None:
    rows[0]["pack_cents"] = rows[0]["single_cents"]


def give_away(rows: Rows) -> None:
    rows[0]["single_cents"] = 0


def keep_nothing_for_members(rows: Rows) -> None:
    first(rows, lambda row: row["discount_percent"] == 0)["discount_members_only"] = True


def swap_rows(rows: Rows) -> None:
    rows[0], rows[1] = rows[1], rows[0]


def repeat_id(rows: Rows) -> None:
    rows[1]["id"] = rows[0]["id"]


def add_column(rows: Rows) -> None:
    rows[0]["stock"] = 4


def drop_column(rows: Rows) -> None:
    del rows[0]["fat_dg"]


def float_price(rows: Rows) -> None:
    rows[0]["single_cents"] = 3.5


BROKEN: list[tuple[str, Callable[[Rows], None], str]] = [
    ("world.schema", add_column, "stock"),
    ("world.schema", drop_column, "fat_dg"),
    ("world.schema", float_price, "single_cents"),
    ("world.keys", swap_rows, "ascend"),
    ("world.keys", repeat_id, "ascend"),
    ("world.keys", list.clear, "no products"),
    ("world.health_tags", drop_tag, "lacks"),
    ("world.health_tags", add_tag, "low_sodium"),
    ("world.health_tags", drop_combined_tag, "lacks a health tag that its nutrition has: diabetic_safe"),
    ("world.health_tags", add_combined_tag, "has a health tag that its nutrition lacks: diabetic_safe"),
    ("world.energy", halve_energy, "less energy"),
    ("world.energy", raise_energy, "more energy"),
    ("world.energy", overfill, "weighs less"),
    ("world.energy", oversalt, "saltier"),
    ("world.labels", forget_gluten_free, "gluten_free"),
    ("world.labels", claim_lactose_free, "lactose_free"),
    ("world.labels", call_egg_vegan, "rules out: vegan"),
    ("world.labels", call_milk_vegan, "is called vegan"),
    ("world.labels", call_honey_vegan, "is called vegan"),
    ("world.labels", call_cheap_premium, "premium"),
    ("world.labels", call_only_one_premium, "premium"),
    ("world.labels", hide_nuts_of_nuts, "its category has: contains_nuts"),
    ("world.labels", hide_nuts_of_name, "its name tells: contains_nuts"),
    ("world.labels", shuffle_labels, "out of order"),
    ("world.labels", double_label, "twice"),
    ("world.labels", print_labels, "nobody printed"),
    ("world.names", share_name, "shares its name"),
    ("world.names", read_alike, "reads like another one"),
    ("world.names", claim_falsely, "sugar_free"),
    ("world.prices", price_pack_as_singles, "the same by the pack and in singles:"),
    ("world.prices", tie_after_discount, "after the discount"),
    ("world.prices", price_pack_below_single, "no more by the pack"),
    ("world.prices", give_away, "no price"),
    ("world.prices", keep_nothing_for_members, "nothing for members"),
]


@pytest.mark.parametrize("seed", [1, 2, 3, 4, 5])
def test_made_worlds_pass(seed: int) -> None:
    verdicts = check_world(make_world(seed))
    assert {verdict.check: verdict.reason for verdict in verdicts if not verdict.passed} == {}
    assert [verdict.check for verdict in verdicts] == [name for name, _ in WORLD_CHECKS]
    assert all(verdict.counts == {"products": 360, "faults": 0} for verdict in verdicts)


@pytest.mark.parametrize(("check", "damage", "reason"), BROKEN, ids=lambda part: getattr(part, "__name__", None))
def test_a_broken_world_is_caught(check: str, damage: Callable[[Rows], None], reason: str) -> None:
    record = copy.deepcopy(RECORD)
    damage(record["tables"]["products"])
    found = failed(sealed(record))
    assert reason in found.get(check, "no fault found")
    assert "world.content_id" not in found


Tables: TypeAlias = dict[str, Rows]
SHARED: dict[str, tuple[str, Callable[[Tables], object], str]] = {
    "a food of another form": ("world.schema", lambda t: t["foods"][0].update(piece="one"), "foods food_"),
    "a food with a field too many": ("world.schema", lambda t: t["foods"][0].update(price=1), "foods food_"),
    "foods out of order": ("world.keys", lambda t: t["foods"].reverse(), "foods: "),
    "no table of foods": ("world.keys", lambda t: t.pop("foods"), "the table 'foods' is missing"),
    "hours of nobody": (
        "world.references",
        lambda t: t["opening_hours"][0].update(provider_id="prov_99"),
        "provider_id is 'prov_99', which providers does not hold",
    ),
    "energy from nowhere": ("world.rules", lambda t: t["foods"][0].update(calories_dkcal=1), "(food_energy)"),
    "more sugar than carbohydrate": (
        "world.rules",
        lambda t: t["foods"][0].update(sugar_dg=t["foods"][0]["carbs_dg"] + 1),
        "(food_parts)",
    ),
    "a piece of nothing": ("world.rules", lambda t: t["foods"][0].update(piece=0), "(food_parts)"),
    "heavier than itself": ("world.rules", lambda t: heavy(t["foods"][0]), "(food_parts)"),
    "one name twice": (
        "world.rules",
        lambda t: t["foods"][0].update(name=t["foods"][1]["name"]),
        "(food_names)",
    ),
    "a provider who never opens": ("world.rules", lambda t: close(t, "prov_01"), "(providers_open)"),
    "hours that end before they begin": (
        "world.rules",
        lambda t: t["opening_hours"][0].update(opens="23:00"),
        "(providers_open)",
    ),
    "care for nothing": ("world.rules", lambda t: t["providers"][0].update(fee_cents=0), "(provider_terms)"),
    "slots of a minute": ("world.rules", lambda t: t["providers"][0].update(slot_minutes=1), "(provider_terms)"),
}


def heavy(food: dict[str, Any]) -> None:
    food["fat_dg"] += 1400
    food["calories_dkcal"] += 9 * 1400


def close(tables: Tables, provider: str) -> None:
    tables["opening_hours"] = [row for row in tables["opening_hours"] if row["provider_id"] != provider]


@pytest.mark.parametrize("name", SHARED)
def test_broken_tables_beside_the_catalogue_are_caught(name: str) -> None:
    check, damage, reason = SHARED[name]
    record = copy.deepcopy(RECORD)
    damage(record["tables"])
    found = failed(sealed(record))
    assert reason in found.get(check, "no fault found")
    assert "world.content_id" not in found


def test_every_check_is_shown_to_catch_something() -> None:
    shown = {check for check, _, _ in (*BROKEN, *SHARED.values())}
    assert shown | {"world.content_id"} == {name for name, _ in WORLD_CHECKS}


def test_every_declared_rule_on_worlds_is_broken_by_a_case() -> None:
    rules = {rule.name for service in installed_catalogue().services.values() for rule in service.world_rules}
    assert {reason.strip("()") for check, _, reason in SHARED.values() if check == "world.rules"} == rules


def test_a_changed_world_no_longer_bears_its_id() -> None:
    record = copy.deepcopy(RECORD)
    record["tables"]["products"][0]["single_cents"] += 1
    assert "world.content_id" in failed(record)
    assert "world.content_id" in failed({**RECORD, "world_id": "w_000000000000"})


def test_a_table_without_checks_fails() -> None:
    record = copy.deepcopy(RECORD)
    record["tables"]["rumours"] = []
    assert "no service declares the table 'rumours'" in failed(sealed(record))["world.keys"]


@pytest.mark.parametrize("record", [{}, {"tables": 3, "world_id": "w_000000000000"}, {"tables": {"products": [7]}}])
def test_what_is_no_world_fails_every_check_and_raises_nothing(record: dict[str, Any]) -> None:
    assert set(failed(record)) == {name for name, _ in WORLD_CHECKS}


def test_an_exception_is_told_by_type_and_text() -> None:
    record = copy.deepcopy(RECORD)
    del record["tables"]["products"][0]["fat_dg"]
    assert failed(sealed(record))["world.energy"] == "KeyError: 'fat_dg'"


@given(
    unit=st.sampled_from(["g", "ml"]),
    weight=st.integers(1, 400),
    amounts=st.tuples(*(st.one_of(st.integers(0, 60), st.integers(0, 4000)) for _ in NUTRIENTS)),
)
def test_both_engines_agree_on_health_tags(unit: str, weight: int, amounts: tuple[int, ...]) -> None:
    row = {**RECORD["tables"]["products"][0], "unit": unit, "serving_weight": weight}
    row.update(zip(NUTRIENTS, amounts, strict=True))
    row["health_tags"] = list(health_tags(row))
    assert list(health_tag_faults({"tables": {"products": [row]}})) == []
