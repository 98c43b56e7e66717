"""Form of a world: its JSON Schema, the hash that names it, and the keys and order of its tables."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from typing import TYPE_CHECKING, Any

from schemas.world import PRODUCTS, Product, World
from validators.json_form import Form
from validators.worlds.declared import form_faults, key_faults
from validators.worlds.tables import products

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validators.worlds.tables import Record


def schema_faults(record: Record) -> Iterator[str]:
    """Yield what breaks the JSON Schema of worlds and products, and the declared form of other tables."""
    yield from _form().faults(record)
    yield from form_faults(record)


def content_id_faults(record: Record) -> Iterator[str]:
    """Yield a fault unless the id is the hash of the content."""
    text = json.dumps(record["tables"], sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    expected = "w_" + hashlib.sha256(text.encode()).hexdigest()[:12]
    if record["world_id"] != expected:
        yield f"world_id is {record['world_id']!r}, but the content is that of {expected!r}"


def keys_faults(record: Record) -> Iterator[str]:
    """Yield tables that nobody declares or that are missing, an empty catalogue, and ids out of order or twice."""
    yield from key_faults(record)
    if not products(record):
        yield "there are no products"


@cache
def _form() -> Form:
    """Return the form of a world whose product rows are products."""
    product: dict[str, Any] = Product.model_json_schema()
    world: dict[str, Any] = World.model_json_schema()
    rows = {"type": "array", "items": {"$ref": "#/$defs/Product"}}
    world["properties"]["tables"] = {"type": "object", "properties": {PRODUCTS: rows}, "required": [PRODUCTS]}
    world["$defs"] = {**world.get("$defs", {}), **product.pop("$defs", {}), "Product": product}
    return Form(world)
