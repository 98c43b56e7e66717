"""Form of a world: its JSON Schema, the hash that names it, and the keys and order of its tables."""

from __future__ import annotations

import hashlib
import json
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Protocol, cast

from jsonschema import Draft202012Validator

from schemas.world import PRODUCTS, Product, World
from validators.worlds.declared import form_faults, key_faults
from validators.worlds.tables import products

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jsonschema import ValidationError

    from validators.worlds.tables import Record


class _Validator(Protocol):
    """The one method in use of a `jsonschema` validator, whose own annotation is incomplete."""

    def iter_errors(self, instance: object) -> Iterable[ValidationError]: ...


def schema_faults(record: Record) -> Iterator[str]:
    """Yield what breaks the JSON Schema of worlds and products, and the declared form of other tables."""
    for error in _validator().iter_errors(record):
        yield f"{error.json_path}: {error.message}"
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


@lru_cache(maxsize=1)
def _validator() -> _Validator:
    """Return the validator of a world whose product rows are products."""
    product: dict[str, Any] = Product.model_json_schema()
    world: dict[str, Any] = World.model_json_schema()
    rows = {"type": "array", "items": {"$ref": "#/$defs/Product"}}
    world["properties"]["tables"] = {"type": "object", "properties": {PRODUCTS: rows}, "required": [PRODUCTS]}
    world["$defs"] = {**world.get("$defs", {}), **product.pop("$defs", {}), "Product": product}
    Draft202012Validator.check_schema(world)
    return cast("_Validator", Draft202012Validator(world))
