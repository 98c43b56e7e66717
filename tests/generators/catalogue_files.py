"""An invented catalogue in the form of files that people bring along, to be written as JSON or CSV."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

Entry = dict[str, Any]
KINDS = {
    "biscuit": ["biscuit", "gluten"],
    "dairy": ["dairy", "lactose"],
    "nut": ["nut"],
    "bar": ["bar"],
    "drink": ["drink"],
    "chip": ["chip"],
}
BRANDS = ("SunMeadow", "Kornhof", "BlueRidge")
NOUNS = ("Classic", "Crisp", "Garden", "Harvest", "Morning", "Royal", "Rustic", "Silver", "Velvet", "Winter")
PER_KIND = 10


def product_id(number: int) -> str:
    """Id of entry `number`, from 0."""
    return f"p_00aa{number:02x}_{number + 1:03d}"


def entry(number: int) -> Entry:
    """One product: odd numbers bear their brand as a tag, even ones at the start of their name."""
    kind = list(KINDS)[number // PER_KIND]
    brand, name = BRANDS[number % 3], f"{NOUNS[number % PER_KIND]} {kind.title()}"
    single = 300 + 7 * number
    return {
        "product_id": product_id(number),
        "name": name if number % 2 else f"{brand} {name}",
        "tags": ["low_sodium", *([brand] if number % 2 else [])],
        "base_tags": list(KINDS[kind]),
        "stock_count": 20 + number,
        "discount_info": {"discount_factor": 0.8 if number % 4 == 0 else 1.0, "vip_required": number % 8 == 0},
        "packaging": {
            "unit": "ml" if kind == "drink" else "g",
            "weight": 100 + number,
            "nutrition_per_serving": {
                "calories": 200.0 + number,
                "sugar_g": 4.5,
                "protein_g": 6.1,
                "fat_g": 7.25,
                "fiber_g": 3,
                "sodium_mg": 80,
            },
        },
        "purchase_options": [
            {"size": "single_pack", "price": single / 100},
            {"size": "pack_5", "price": (single * 9 // 2) / 100},
        ],
        "delivery": "today",
        "index": number,
    }


def catalogue() -> dict[str, Entry]:
    """All entries by id."""
    return {product_id(number): entry(number) for number in range(PER_KIND * len(KINDS))}


def flat(one: Entry) -> dict[str, str]:
    """One entry as a CSV row, columns by the last part of their path."""
    packaging = one["packaging"]
    prices = {option["size"]: option["price"] for option in one["purchase_options"]}
    return {
        **{name: str(one[name]) for name in ("product_id", "name", "stock_count", "delivery")},
        **{name: ";".join(one[name]) for name in ("tags", "base_tags")},
        **{name: str(packaging[name]) for name in ("unit", "weight")},
        **{name: str(value) for name, value in packaging["nutrition_per_serving"].items()},
        **{size: str(price) for size, price in prices.items()},
        "discount_info.discount_factor": str(one["discount_info"]["discount_factor"]),
        "vip_required": str(one["discount_info"]["vip_required"]).lower(),
    }


def write_json(folder: Path, data: object) -> Path:
    """Write a JSON catalogue and return its path."""
    path = folder / "catalogue.json"
    path.write_text(json.dumps(data), "utf-8")
    return path


def write_csv(folder: Path, rows: list[dict[str, str]]) -> Path:
    """Write a CSV catalogue with the columns of the first row and return its path."""
    text = io.StringIO()
    writer = csv.DictWriter(text, list(rows[0]))
    writer.writeheader()
    writer.writerows(rows)
    path = folder / "catalogue.csv"
    path.write_text(text.getvalue(), "utf-8")
    return path
