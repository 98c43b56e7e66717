from __future__ import annotations

from typing import Any

import pytest
from jsonschema import Draft202012Validator

from schemas.base import Json
from validators.json_form import Form

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "name": {"type": "string", "pattern": "^u[0-9]+$"},
        "age": {"type": "integer", "minimum": 18},
        "tags": {"type": "array", "items": {"enum": ["a", "b"]}},
    },
    "required": ["name"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "record",
    [
        {"name": "u1", "age": 18, "tags": ["a", "b"]},
        {"name": "u1", "age": 20.0},
        {"name": "u1", "age": True},
        {"name": "u1", "age": 2**70},
        {"name": "u1", "age": float("nan")},
        {"name": "u1", "tags": ["a", "c"], "more": 1},
        {"name": "\ud800"},
        {"name": "u1\n"},
        {1: 2},
        {},
        [],
        None,
    ],
)
def test_faults_are_those_that_the_deciding_engine_tells(record: Json) -> None:
    told = [f"{error.json_path}: {error.message}" for error in Draft202012Validator(SCHEMA).iter_errors(record)]
    assert list(Form(SCHEMA).faults(record)) == told


def test_a_schema_that_is_none_is_refused() -> None:
    with pytest.raises(ValueError, match="nonsense"):
        Form({"type": "nonsense"})
