"""Columns that follow from row models."""

from __future__ import annotations

from typing import Annotated, Literal

import jsonschema
import pyarrow as pa
import pytest
from pydantic import Field

from publishing import columns
from publishing.columns import JsonText, arrow_schema, description, json_schema, schema_digest, type_text
from publishing.rows import CONFIGS, OF_TASK, Config, GoldRow
from schemas.base import Model
from schemas.task import Task

DERIVED = {"environment_id", "world_id", "now", "offered_tools", "kin_of", "knows_json", "certificate_json"}


class Pair(Model):
    """A pair."""

    left: int
    right: list[str]


class Row(Model):
    """A row."""

    name: Annotated[str, Field(pattern=r"^\w+$")]
    side: Literal["left", "right"]
    pair: Pair
    open_json: JsonText[dict[str, int]]
    """Something open."""


def test_types_follow_from_annotations() -> None:
    pair = pa.struct([("left", pa.int64()), ("right", pa.list_(pa.string()))])
    expected = {"name": pa.string(), "side": pa.string(), "pair": pair, "open_json": pa.string()}
    assert arrow_schema(Row) == pa.schema(list(expected.items()))
    shown = [type_text(Row, name) for name in Row.model_fields]
    assert shown == ["string", "string", "{left, right}", "JSON text"]


def test_descriptions_fall_back_to_the_type() -> None:
    shown = [description(Row, name) for name in Row.model_fields]
    assert shown == ["", "One of left, right.", "A pair.", "Something open."]


@pytest.mark.parametrize("kind", [dict[str, int], int | str, float | None, list[dict[str, str]]])
def test_an_open_field_must_be_json_text(kind: object) -> None:
    with pytest.raises(TypeError, match="no fixed column type"):
        columns.arrow_type(kind)


def test_the_json_schema_says_what_json_text_holds() -> None:
    schema = json_schema(Row)
    properties = schema["properties"]
    assert isinstance(properties, dict)
    content = properties["open_json"]
    assert isinstance(content, dict)
    assert content["contentMediaType"] == "application/json"
    assert content["contentSchema"] == {"additionalProperties": {"type": "integer"}, "type": "object"}


def test_the_digest_changes_with_name_type_and_content() -> None:
    class Other(Model):
        """A row."""

        open_json: JsonText[dict[str, int]]

    class Wider(Model):
        """A row."""

        open_json: JsonText[dict[str, str]]

    class Typed(Model):
        """A row."""

        open_json: int

    assert len({schema_digest(row) for row in (Row, Other, Wider, Typed)}) == 4


@pytest.mark.parametrize("config", CONFIGS, ids=lambda config: config.name)
def test_every_config_has_fixed_columns_with_descriptions(config: Config) -> None:
    schema = arrow_schema(config.row)
    assert config.key in schema.names
    assert not [name for name in schema.names if pa.types.is_null(schema.field(name).type)]
    assert not [name for name in schema.names if not description(config.row, name)]
    jsonschema.Draft202012Validator.check_schema(json_schema(config.row))


def test_each_field_of_a_task_stands_in_exactly_one_config() -> None:
    places: dict[str, list[str]] = {}
    for config in CONFIGS:
        for name in config.row.model_fields if config.name in OF_TASK else ():
            places.setdefault(name.removesuffix("_json"), []).append(config.name)
    assert places.pop("task_id") == places.pop("user_id") == list(OF_TASK)
    # Whoever runs the tools looks it up with the start, a reader of tasks with the task.
    assert places["environment_id"] == ["tasks", "starts"]
    assert {name for name, found in places.items() if len(found) > 1} == {"environment_id"}
    derived = {name.removesuffix("_json") for name in DERIVED}
    assert set(places) - derived == set(Task.model_fields) - {"task_id", "user_id"}


def test_what_grades_stands_with_the_gold_only() -> None:
    grading = {
        "goals",
        "plan",
        "expectation",
        "end_hash",
        "intents",
        "gates",
        "tools",
        "template",
        "scenario",
        "features",
    }
    assert grading <= {name.removesuffix("_json") for name in GoldRow.model_fields}
