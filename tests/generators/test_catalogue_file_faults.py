"""A broken catalogue is refused in one message that names the row, the field and the way out."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.inputs import InputError
from generators.worlds.catalogue_file import world_from_catalogue
from tests.effort import amount
from tests.generators.catalogue_files import catalogue, flat, product_id, write_csv, write_json

NUMBER = 7
ROW = product_id(NUMBER)
Change = Callable[[dict[str, Any]], object]


def refusal(path: Path) -> str:
    with pytest.raises(InputError) as caught:
        world_from_catalogue(path)
    message = str(caught.value)
    assert "\n" not in message
    assert len(message) < 400
    assert message.startswith(f"{path}: ")
    return message.removeprefix(f"{path}: ")


def set_in(*path: str | int, value: object) -> Change:
    def change(one: dict[str, Any]) -> None:
        place: Any = one
        for part in path[:-1]:
            place = place[part]
        place[path[-1]] = value

    return change


def drop(*path: str | int) -> Change:
    def change(one: dict[str, Any]) -> None:
        place: Any = one
        for part in path[:-1]:
            place = place[part]
        del place[path[-1]]

    return change


NUTRITION = ("packaging", "nutrition_per_serving")
FAULTS: list[tuple[Change, str, str]] = [
    (drop("name"), "name", "is missing"),
    (drop("packaging"), "packaging.unit", "is missing"),
    (drop(*NUTRITION, "fat_g"), "packaging.nutrition_per_serving.fat_g", "is missing"),
    (set_in("name", value="  "), "name", "is no text"),
    (set_in("name", value="Oat\x00Cake"), "name", "is no text"),
    (set_in("name", value="Cake " * 30), "name", "at most 80"),
    (set_in("name", value=7), "name", "7 is no text"),
    (set_in("tags", value="low_sugar"), "tags", "is no list of words"),
    (set_in("tags", value=["low_sugar", 4]), "tags", "is no list of words"),
    (set_in("tags", value=["SunMeadow", "Kornhof"]), "tags", "are both brands"),
    (set_in("tags", value=[]), "brand", "neither a tag nor the name tells the brand"),
    (set_in("base_tags", value=[]), "base_tags", "is empty"),
    (set_in("base_tags", value=["100 %"]), "base_tags", "is no category"),
    (set_in("packaging", value="20 g"), "packaging", "is no object"),
    (set_in("packaging", "unit", value="kg"), "packaging.unit", "'kg'"),
    (set_in("packaging", "weight", value=0), "packaging.weight", "greater than or equal to 1"),
    (set_in("packaging", "weight", value=33.5), "packaging.weight", "33.5 is too fine"),
    (set_in("packaging", "weight", value=True), "packaging.weight", "not a number"),
    (
        set_in(*NUTRITION, "sugar_g", value="3.2 g"),
        "packaging.nutrition_per_serving.sugar_g",
        "'3.2 g' is not a number",
    ),
    (
        set_in(*NUTRITION, "sugar_g", value=float("nan")),
        "packaging.nutrition_per_serving.sugar_g",
        "NaN is not a number",
    ),
    (set_in(*NUTRITION, "calories", value=float("inf")), "packaging.nutrition_per_serving.calories", "Infinity"),
    (set_in(*NUTRITION, "sodium_mg", value=-1), "packaging.nutrition_per_serving.sodium_mg", "-1 is negative"),
    (set_in(*NUTRITION, "sodium_mg", value=1e300), "packaging.nutrition_per_serving.sodium_mg", "is too large"),
    (set_in("purchase_options", value=None), "purchase_options", "is no list"),
    (set_in("purchase_options", 0, "price", value=-3.5), "purchase_options.single_pack", "-3.5 is negative"),
    (set_in("purchase_options", 0, "price", value=0), "purchase_options.single_pack", "greater than or equal to 1"),
    (set_in("purchase_options", 0, "price", value=3.999), "purchase_options.single_pack", "3.999 is too fine"),
    (set_in("purchase_options", 0, "price", value="3.50"), "purchase_options.single_pack", "not a number"),
    (set_in("purchase_options", 1, "size", value="pack_6"), "purchase_options[1].size", "'pack_6' is no known size"),
    (drop("purchase_options", 1), "purchase_options.pack_5", "is missing"),
    (set_in("purchase_options", 1, "size", value="single_pack"), "purchase_options", "stands there twice"),
    (set_in("purchase_options", 1, "price", value=1.5), "purchase_options.pack_5", "no more than a single pack costs"),
    (set_in("purchase_options", 1, "price", value=17.45), "purchase_options.pack_5", "what five single packs cost"),
    (set_in("discount_info", "discount_factor", value=1.2), "discount_info.discount_factor", "1.2 takes off"),
    (set_in("discount_info", "discount_factor", value=0.3), "discount_info.discount_factor", "0.3 takes off"),
    (set_in("discount_info", "discount_factor", value=0.333), "discount_info.discount_factor", "0.333 is too fine"),
    (set_in("discount_info", "vip_required", value="no"), "discount_info.vip_required", "neither true nor false"),
    (set_in("product_id", value="p_00aa00_001"), "product_id", "is not the key"),
]


@pytest.mark.parametrize(("change", "field", "fault"), FAULTS)
def test_a_broken_entry_is_named_with_its_field(tmp_path: Path, change: Change, field: str, fault: str) -> None:
    entries = catalogue()
    change(entries[ROW])
    message = refusal(write_json(tmp_path, entries))
    where, _, rest = message.partition(": ")
    assert where == f"product {ROW!r}"
    assert rest.startswith(f"{field}: ")
    assert fault in rest
    assert len(rest.partition("; ")[2]) > 10


def test_a_pack_that_ties_after_the_discount_is_refused(tmp_path: Path) -> None:
    entries = catalogue()
    entries[ROW]["purchase_options"] = [{"size": "single_pack", "price": 3.33}, {"size": "pack_5", "price": 16.69}]
    entries[ROW]["discount_info"]["discount_factor"] = 0.5
    assert "after the discount" in refusal(write_json(tmp_path, entries))


def test_a_list_names_its_entries_by_place_and_id(tmp_path: Path) -> None:
    entries = list(catalogue().values())
    del entries[NUMBER]["base_tags"]
    assert refusal(write_json(tmp_path, entries)).startswith(f"entry {NUMBER + 1} ({ROW!r}): base_tags: is missing")
    entries[NUMBER] = [3]  # type: ignore[call-overload]
    assert refusal(write_json(tmp_path, entries)).startswith(f"entry {NUMBER + 1}: [3] is no object")


def test_an_id_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    entries = catalogue()
    listed = [*entries.values(), entries[ROW]]
    assert f"product_id: {ROW!r} stands here a second time" in refusal(write_json(tmp_path, listed))
    path = write_json(tmp_path, entries)
    double = path.read_text("utf-8").removesuffix("}") + f', "{ROW}": {json.dumps(entries[ROW])}}}'
    path.write_text(double, "utf-8")
    assert refusal(path).startswith(f"product {ROW!r}: product_id: stands in the file twice")


def test_a_field_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    path = write_json(tmp_path, catalogue())
    path.write_text(path.read_text("utf-8").replace('"unit": "g"', '"unit": "g", "unit": "ml"', 1), "utf-8")
    assert "packaging.unit: stands here twice" in refusal(path)


def test_an_id_that_is_taken_for_another_one_is_refused(tmp_path: Path) -> None:
    from hashlib import blake2b

    entries = list(catalogue().values())
    entries[NUMBER]["product_id"] = "SKU 8"
    entries[0]["product_id"] = f"p_{blake2b(b'SKU 8', digest_size=3).hexdigest()}_{NUMBER + 1:03d}"
    assert "'SKU 8' is taken for" in refusal(write_json(tmp_path, entries))


def test_names_that_cannot_be_told_apart_are_refused(tmp_path: Path) -> None:
    entries = catalogue()
    for number in (1, 3):
        entries[product_id(number)].update(name="Kornhof Cake", brand="Kornhof")
        entries[product_id(number)]["packaging"]["weight"] = 90
    entries[product_id(5)].update(name="Kornhof Cake No. 1", brand="Kornhof")
    assert "reads like the name of" in refusal(write_json(tmp_path, entries))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "is no JSON"),
        ("{", "is no JSON"),
        ("[{},]", "is no JSON"),
        ("7", "holds neither an object nor a list"),
        ("[]", "there are no products"),
        ("{}", "there are no products"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a": ' + "9" * 5000 + "}", "is no JSON"),
    ],
)
def test_what_is_no_json_catalogue_is_refused(tmp_path: Path, text: str, fault: str) -> None:
    path = tmp_path / "catalogue.json"
    path.write_text(text, "utf-8")
    assert fault in refusal(path)


def test_bad_json_is_named_by_line(tmp_path: Path) -> None:
    path = tmp_path / "catalogue.json"
    path.write_text(json.dumps(catalogue(), indent=1).replace('"tags": [', '"tags": [[', 1), "utf-8")
    assert re.match(r"line \d+, column \d+: is no JSON", refusal(path))


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    assert "No such file" in refusal(tmp_path / "none.json")
    assert "is no known form" in refusal(tmp_path / "products.xlsx")
    path = tmp_path / "latin.csv"
    path.write_bytes("product_id,Käse".encode("latin-1"))
    assert "is no UTF-8" in refusal(path)


def test_too_few_products_for_a_store_are_refused(tmp_path: Path) -> None:
    few = dict(list(catalogue().items())[:42])
    # The last two are alone in their category, which offers no choice.
    assert "40 products are in a category of 3 or more (10 bar, 10 biscuit" in refusal(write_json(tmp_path, few))


def rows() -> list[dict[str, str]]:
    return [flat(one) for one in catalogue().values()]


LINE = NUMBER + 2


@pytest.mark.parametrize(
    ("column", "value", "fault"),
    [
        ("sugar_g", "", "is missing"),
        ("sugar_g", "trace", "'trace' is not a number"),
        ("sugar_g", "NaN", "'NaN' is not a number"),
        ("sugar_g", "1e3", "'1e3' is not a number"),
        ("single_pack", "-2.00", "-2.00 is negative"),
        ("single_pack", "2,50", "'2,50' is not a number"),
        ("pack_5", "", "is missing"),
        ("unit", "oz", "'oz'"),
        ("vip_required", "maybe", "'maybe' is neither true nor false"),
        ("discount_info.discount_factor", "0", "0 takes off"),
        ("product_id", product_id(2), "stands here a second time"),
        ("product_id", "", "is missing"),
    ],
)
def test_a_broken_cell_is_named_by_line_and_column(tmp_path: Path, column: str, value: str, fault: str) -> None:
    table = rows()
    table[NUMBER][column] = value
    message = refusal(write_csv(tmp_path, table))
    assert message.startswith(f"line {LINE}")
    assert f": {column}: " in message
    assert fault in message


@pytest.mark.parametrize("column", ["weight", "pack_5", "calories", "base_tags"])
def test_a_missing_column_is_named(tmp_path: Path, column: str) -> None:
    table = [{name: cell for name, cell in row.items() if name != column} for row in rows()]
    assert refusal(write_csv(tmp_path, table)).startswith(f"line 1: {column}: there is no such column; ")


def test_a_row_of_another_length_is_refused(tmp_path: Path) -> None:
    path = write_csv(tmp_path, rows())
    lines = path.read_text("utf-8").splitlines()
    path.write_text("\n".join([*lines[:4], lines[4].rpartition(",")[0], *lines[5:]]), "utf-8")
    assert refusal(path).startswith("line 5: vip_required: there are 17 cells for 18 columns")
    path.write_text("\n".join([*lines[:4], lines[4] + ",7", *lines[5:]]), "utf-8")
    assert refusal(path).startswith("line 5: there are 19 cells for 18 columns")
    path.write_text("\n".join([*lines[:4], f'"p"x,{lines[4]}', *lines[5:]]), "utf-8")
    assert refusal(path).startswith("line 5: is no CSV")


def test_a_column_that_is_there_twice_is_refused(tmp_path: Path) -> None:
    path = write_csv(tmp_path, rows())
    path.write_text(path.read_text("utf-8").replace("stock_count", "packaging.weight", 1), "utf-8")
    assert "there are two such columns" in refusal(path)


JUNK = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=6,
)
PLACES: list[tuple[str | int, ...]] = [
    ("name",),
    ("tags",),
    ("base_tags",),
    ("brand",),
    ("category",),
    ("discount_info",),
    ("discount_info", "discount_factor"),
    ("discount_info", "vip_required"),
    ("packaging",),
    ("packaging", "unit"),
    ("packaging", "weight"),
    (*NUTRITION,),
    (*NUTRITION, "sugar_g"),
    ("purchase_options",),
    ("purchase_options", 0),
    ("purchase_options", 1, "size"),
    ("purchase_options", 1, "price"),
]


@settings(max_examples=amount(37, 150))
@given(place=st.sampled_from(PLACES), junk=JUNK)
def test_junk_in_any_field_is_taken_or_refused_in_one_message(
    tmp_path_factory: pytest.TempPathFactory, place: tuple[str | int, ...], junk: object
) -> None:
    entries = copy.deepcopy(ENTRIES)
    set_in(*place, value=junk)(entries[ROW])
    path = write_json(tmp_path_factory.getbasetemp(), entries)
    try:
        world, _ = world_from_catalogue(path)
    except InputError as error:
        assert ROW in str(error)
        assert "\n" not in str(error)
    else:
        assert len(world.tables["products"]) == len(entries)


ENTRIES = catalogue()


def test_decimals_are_told_as_written() -> None:
    from generators.inputs import shown

    assert shown(Decimal("3.50")) == "3.50"
    assert len(shown("x" * 200)) == 60
