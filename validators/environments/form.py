"""Form of an environment: the JSON Schema of every record, derived from the types that services declare."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import jsonschema_rs
import msgspec

from schemas.environment import EnvironmentRecord

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from services.runtime.catalogue import Catalogue

_PATTERNS = {
    "environment_id": r"^u[0-9]{6,}-env$",
    "user_id": r"^u[0-9]{6,}$",
    "now": r"^[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}$",
    "seed": r"^[0-9a-f]{16}$",
    "world_id": r"^w_[0-9a-f]{12}$",
    "state_hash": r"^[0-9a-f]{32}$",
}


@dataclass(frozen=True, slots=True)
class Forms:
    """JSON Schemas of one catalogue, and their validators."""

    schema: Mapping[str, Any]
    """Of a whole environment."""
    whole: jsonschema_rs.Validator
    tables: Mapping[str, jsonschema_rs.Validator]
    """Of one record of each table."""


def environment_schema(catalogue: Catalogue) -> dict[str, Any]:
    """Return the JSON Schema of an environment record whose tables are those of `catalogue`, none missing."""
    records = {name: table.record for name, table in sorted(catalogue.tables.items())}
    references, parts = msgspec.json.schema_components(list(records.values()), ref_template="#/$defs/{name}")
    schema = EnvironmentRecord.model_json_schema()
    for name, pattern in _PATTERNS.items():
        schema["properties"][name]["pattern"] = pattern
    schema["properties"]["tables"] = {
        "type": "object",
        "properties": {
            name: {"type": "array", "items": reference} for name, reference in zip(records, references, strict=True)
        },
        "required": list(records),
        "additionalProperties": False,
    }
    schema["$defs"] = parts
    return schema


def forms_of(catalogue: Catalogue) -> Forms:
    """Return the schemas of `catalogue`."""
    schema = environment_schema(catalogue)
    tables = cast("dict[str, dict[str, Any]]", schema["properties"]["tables"]["properties"])
    return Forms(
        schema=schema,
        whole=jsonschema_rs.validator_for(schema),
        tables={
            name: jsonschema_rs.validator_for({**part["items"], "$defs": schema["$defs"]})
            for name, part in tables.items()
        },
    )


def schema_faults(plain: object, validator: jsonschema_rs.Validator) -> Iterator[str]:
    """Yield what breaks a schema, with the path to it."""
    if validator.is_valid(plain):
        return
    for error in validator.iter_errors(plain):
        yield f"{'.'.join(str(step) for step in error.instance_path) or 'record'}: {error.message}"
