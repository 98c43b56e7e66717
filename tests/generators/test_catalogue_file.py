"""A catalogue of the user's own becomes a world that passes every check, whatever form its file has."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from generators.environments import build_environment
from generators.profiles import make_profile
from generators.worlds.catalogue_file import CatalogueReport, world_from_catalogue
from generators.worlds.catalogue_file.names import Named, alike, distinct_names
from language.terms import key
from schemas.world import World
from services.shopping.invariants import ASSORTMENT_SIZE
from services.shopping.nutrition import health_tags
from tests.generators.catalogue_files import Entry, catalogue, entry, flat, product_id, write_csv, write_json
from validators.environments import check_environment, environment_context
from validators.worlds import check_world

ORDINARY = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"
REAL = Path(os.environ.get("PAUSEGEN_REFERENCE_DATA", ORDINARY)) / "pause" / "product_details.json"
needs_real = pytest.mark.skipif(not REAL.is_file(), reason="the published catalogue is not here")


def imported(path: Path) -> tuple[World, CatalogueReport]:
    world, report = world_from_catalogue(path)
    assert [(verdict.check, verdict.reason) for verdict in check_world(world) if not verdict.passed] == []
    return world, report


def row_of(world: World, number: int) -> dict[str, Any]:
    (row,) = [row for row in world.tables["products"] if row["id"] == product_id(number)]
    return row


def changed(folder: Path, number: int, **fields: object) -> World:
    """The world of a catalogue in which one entry differs."""
    entries = catalogue()
    entries[product_id(number)].update(fields)
    return imported(write_json(folder, entries))[0]


def test_object_list_and_csv_give_the_same_world(tmp_path: Path) -> None:
    entries = catalogue()
    by_id, _ = imported(write_json(tmp_path, entries))
    listed, _ = imported(write_json(tmp_path, list(entries.values())))
    table, _ = imported(write_csv(tmp_path, [flat(one) for one in entries.values()]))
    assert by_id == listed == table
    assert len(by_id.tables["products"]) == len(entries)


def test_numbers_are_exact(tmp_path: Path) -> None:
    world = changed(
        tmp_path,
        4,
        purchase_options=[{"size": "pack_5", "price": 8.2}, {"size": "single_pack", "price": 1.79}],
        discount_info={"discount_factor": 0.55, "vip_required": True},
    )
    row = row_of(world, 4)
    assert (row["single_cents"], row["pack_cents"], row["pack_units"]) == (179, 820, 5)
    assert (row["discount_percent"], row["discount_members_only"]) == (45, True)
    assert (row["calories_dkcal"], row["sugar_dg"], row["fat_dg"], row["fiber_dg"]) == (2040, 45, 73, 30)
    assert row["source"] == "imported"


def test_a_discount_of_nothing_is_for_nobody_in_particular(tmp_path: Path) -> None:
    row = row_of(changed(tmp_path, 4, discount_info={"discount_factor": 1, "vip_required": True}), 4)
    assert (row["discount_percent"], row["discount_members_only"]) == (0, False)
    row = row_of(changed(tmp_path, 4, discount_info=None), 4)
    assert (row["discount_percent"], row["discount_members_only"]) == (0, False)


def test_health_tags_are_computed_and_printed_ones_kept(tmp_path: Path) -> None:
    entries = catalogue()
    entries[product_id(3)]["tags"] = ["High Fat", "low_sodium", "Kosher-Style", entries[product_id(3)]["tags"][-1]]
    world, report = imported(write_json(tmp_path, entries))
    row = row_of(world, 3)
    assert row["label_tags"] == ["high_fat", "kosher_style", "low_sodium"]
    assert row["health_tags"] == list(health_tags(row)) == ["low_sodium", "low_sugar"]
    (found,) = [one for one in report.differences if one.product_id == product_id(3)]
    assert found.refuted == ["high_fat"]
    assert found.unprinted == ["low_sugar"]
    assert any("high_fat" in line and product_id(3) in line for line in report.lines())


@pytest.mark.parametrize(
    ("fields", "brand"),
    [
        ({"tags": ["SunMeadow"]}, "SunMeadow"),
        ({"name": "BlueRidge Winter Cake", "tags": []}, "BlueRidge"),
        ({"brand": "Ida & Sons"}, "Ida & Sons"),
        ({"brand": "Kornhof", "name": "BlueRidge Winter Cake"}, "Kornhof"),
    ],
)
def test_the_brand_is_told_by_field_tag_or_name(tmp_path: Path, fields: dict[str, object], brand: str) -> None:
    assert row_of(changed(tmp_path, 1, **fields), 1)["brand"] == brand


def test_labels_are_no_brands(tmp_path: Path) -> None:
    entries = catalogue()
    for one in entries.values():
        one["tags"] = ["Organic", "Low Sugar", "Gluten", *one["tags"]]
    world, report = imported(write_json(tmp_path, entries))
    assert set(report.brands) == {"SunMeadow", "Kornhof", "BlueRidge"}
    assert all("organic" in row["attributes"] for row in world.tables["products"])  # type: ignore[operator]


@pytest.mark.parametrize(
    ("fields", "category", "allergens"),
    [
        ({"base_tags": ["gluten", "biscuit"]}, "biscuit", ["contains_gluten"]),
        ({"base_tags": ["nut"]}, "nuts", ["contains_nuts"]),
        ({"base_tags": ["nut", "gluten"]}, "nuts", ["contains_gluten", "contains_nuts"]),
        ({"base_tags": ["Meal Replacement"], "category": "Bar"}, "bar", []),
        ({"base_tags": ["bar"], "name": "Peanuts and Wheat"}, "bar", ["contains_gluten", "contains_nuts"]),
        ({"base_tags": ["bar"], "tags": ["nut", "Kornhof"]}, "bar", ["contains_nuts"]),
        ({"base_tags": ["bar"], "name": "Coconut Butternut Bar"}, "bar", []),
    ],
)
def test_category_and_allergens_come_from_base_tags_tags_and_name(
    tmp_path: Path, fields: dict[str, object], category: str, allergens: list[str]
) -> None:
    row = row_of(changed(tmp_path, 31, **fields), 31)
    assert (row["category"], row["allergens"]) == (category, allergens)
    # What nobody prints is not claimed: lacking an allergen does not make a real product free from it.
    assert row["attributes"] == []


def test_a_label_outweighs_the_kind_of_product(tmp_path: Path) -> None:
    entries = catalogue()
    entries[product_id(1)]["tags"] += ["gluten_free", "premium"]
    entries[product_id(3)]["name"] = "Gluten-Free Oat Biscuit"
    entries[product_id(11)]["tags"] += ["lactose_free", "vegan"]
    entries[product_id(13)]["tags"] += ["vegan"]
    world, report = imported(write_json(tmp_path, entries))
    shown = {
        number: (row_of(world, number)["allergens"], row_of(world, number)["attributes"]) for number in (1, 3, 11, 13)
    }
    assert shown == {
        1: ([], ["gluten_free", "premium"]),
        3: ([], ["gluten_free"]),
        11: ([], ["lactose_free", "vegan"]),
        13: (["contains_lactose"], []),
    }
    told = {one.product_id: one.contradictions for one in report.differences if one.contradictions}
    assert told[product_id(1)] == ["gluten_free against gluten"]
    assert told[product_id(13)] == ["vegan against contains_lactose"]


def test_names_that_read_alike_get_brand_size_or_number(tmp_path: Path) -> None:
    entries = catalogue()
    for number, name in (
        (1, "Oat Cookie"),
        (3, "Oat-Cookies"),
        (5, "Spelt Cake"),
        (17, "Spelt Cake"),
        (29, "Spelt Cake"),
    ):
        entries[product_id(number)].update(name=name, tags=[], brand="Kornhof")
    entries[product_id(3)]["packaging"]["weight"] = 250
    entries[product_id(17)]["packaging"]["weight"] = entries[product_id(5)]["packaging"]["weight"]
    world, report = imported(write_json(tmp_path, entries))
    assert [row_of(world, number)["name"] for number in (1, 3, 5, 17, 29)] == [
        "Kornhof Oat Cookie 101 g",
        "Kornhof Oat-Cookies 250 g",
        "Kornhof Spelt Cake No. 1",
        "Kornhof Spelt Cake No. 2",
        "Kornhof Spelt Cake No. 3",
    ]
    assert {one.product_id: one.was for one in report.renamed}[product_id(3)] == "Oat-Cookies"
    names = {str(row["id"]): str(row["name"]) for row in world.tables["products"]}
    assert alike(names) == []


def test_a_name_inside_another_one_gets_its_brand() -> None:
    products = [
        Named("1", "Cookie", "Ida", "20 g"),
        Named("2", "Ida Oat Cookie", "Ida", "20 g"),
        Named("3", "Cake", "Ida", "20 g"),
        Named("4", "Ida", "Ida", "20 g"),
    ]
    assert distinct_names(products) == {"1": "Ida Cookie", "2": "Ida Oat Cookie", "3": "Cake", "4": "Ida Ida"}


def test_a_category_column_stands_in_for_base_tags(tmp_path: Path) -> None:
    table = [{**flat(one), "category": one["base_tags"][0]} for one in catalogue().values()]
    world, _ = imported(write_csv(tmp_path, [{k: v for k, v in row.items() if k != "base_tags"} for row in table]))
    assert row_of(world, 1)["category"] == "biscuit"


def test_ids_of_another_form_are_replaced(tmp_path: Path) -> None:
    entries = {f"SKU {number}": {**entry(number), "product_id": f"SKU {number}"} for number in range(60)}
    first, report = imported(write_json(tmp_path, entries))
    again, _ = imported(write_json(tmp_path, list(entries.values())))
    assert first == again
    assert {one.was for one in report.new_ids} == set(entries)


def test_a_small_difference_in_the_file_is_another_world(tmp_path: Path) -> None:
    before, _ = imported(write_json(tmp_path, catalogue()))
    after = changed(tmp_path, 0, packaging={**entry(0)["packaging"], "weight": 99})
    assert before.world_id != after.world_id


def environments_hold(world: World, users: int) -> None:
    context = environment_context(world, rebuild_required=False)
    for index in range(users):
        record = build_environment(3, make_profile(3, index), world)
        assert ASSORTMENT_SIZE[0] <= len(record.tables["assortment"]) <= len(world.tables["products"])
        faults = [
            (verdict.check, verdict.reason) for verdict in check_environment(record, context) if not verdict.passed
        ]
        assert faults == []


def test_stores_are_built_over_an_imported_world(tmp_path: Path) -> None:
    environments_hold(imported(write_json(tmp_path, catalogue()))[0], 8)


@needs_real
def test_the_published_catalogue_becomes_a_sound_world() -> None:
    world, report = imported(REAL)
    entries: dict[str, Entry] = json.loads(REAL.read_text("utf-8"))
    assert [row["id"] for row in world.tables["products"]] == sorted(entries)
    assert set(report.brands) == {"EliteVital", "EverydayBite", "FamilyPack", "PureBalance"}
    assert sum(report.brands.values()) == sum(report.categories.values()) == len(entries) == 63
    for row in world.tables["products"]:
        given = entries[str(row["id"])]
        printed = {tag for tag in given["tags"] if tag != row["brand"]}
        assert printed <= set(row["label_tags"])  # type: ignore[arg-type]
        prices = {option["size"]: option["price"] for option in given["purchase_options"]}
        assert (row["single_cents"], row["pack_cents"]) == tuple(
            round(prices[s] * 100) for s in ("single_pack", "pack_5")
        )
        assert key(given["name"])[-1] in key(str(row["name"]))
    contradicted = [one for one in report.differences if one.refuted]
    assert 30 < len(contradicted) < 63
    environments_hold(world, 12)
