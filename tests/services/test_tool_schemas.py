"""What models read of the tools: derived schemas against the committed file and against the published catalogue."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import jsonschema
import pytest

from services.runtime.catalogue import installed_catalogue
from services.runtime.tools import Tool, parse_arguments
from tests.services import sample
from tests.services.golden_tools import FILE, derived

TOOLS = installed_catalogue().tools
ORDINARY = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"
PUBLISHED = Path(os.environ.get("PAUSEGEN_REFERENCE_DATA", ORDINARY)) / "pause"
ASSISTANT = """
get_user_profile update_profile get_system_settings browse_items inspect_item add_to_cart remove_from_cart get_cart
get_wallet prepare_order upgrade_membership_request get_transactions list_notes add_note delete_note
""".split()
USER = """
set_raw_data_permission set_user_notes_permission set_purchase_permission set_med_assistant_permission top_up_wallet
authorize_checkout
""".split()


def test_derived_schemas_are_those_of_the_committed_file() -> None:
    assert json.loads(FILE.read_text("utf-8")) == derived()


def test_the_tools_and_their_sides() -> None:
    catalogue = installed_catalogue()
    assert {tool.name for tool in catalogue.tools_of("assistant")} >= set(ASSISTANT)
    assert {tool.name for tool in catalogue.tools_of("user")} >= set(USER)
    assert len(ASSISTANT) + len(USER) == 21


def test_a_caller_may_change_the_schemas_it_got() -> None:
    env = sample.environment()
    for entry in env.tools():
        function: Any = entry["function"]
        function["parameters"]["properties"].clear()
    assert env.tools() == sample.environment().tools()
    assert json.loads(FILE.read_text("utf-8")) == derived()


def _shape(schema: dict[str, Any]) -> dict[str, Any]:
    """Names, enums and required names of an object schema, nested ones included."""
    return {
        "required": sorted(schema.get("required", [])),
        "properties": {
            name: {"enum": sorted(prop.get("enum", []))} | (_shape(prop) if "properties" in prop else {})
            for name, prop in schema.get("properties", {}).items()
        },
    }


def _published() -> Iterator[dict[str, Any]]:
    for name in ("platform_tools", "user_tools"):
        yield from (entry["function"] for entry in json.loads((PUBLISHED / f"{name}.json").read_text("utf-8")))
    yield json.loads((PUBLISHED / "paused_tools.json").read_text("utf-8"))["function"]


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published tool schemas are not here")
def test_names_arguments_enums_and_required_lists_are_the_published_ones() -> None:
    published = {entry["name"]: _shape(entry["parameters"]) for entry in _published()}
    ours = {name: _shape(cast("dict[str, Any]", TOOLS[name].schema)) for name in (*ASSISTANT, *USER)}
    assert ours == {name: published[name] for name in ours}


@pytest.mark.parametrize("tool", TOOLS.values(), ids=TOOLS.keys())
def test_a_tool_explains_itself(tool: Tool) -> None:
    jsonschema.Draft202012Validator.check_schema(tool.schema)
    jsonschema.validate(tool.example, tool.schema)
    assert set(parse_arguments(tool, tool.example)) == set(tool.example)
    assert tool.summary.endswith(".") and tool.returns.endswith(".")
    for prop in cast("dict[str, dict[str, Any]]", tool.schema["properties"]).values():
        assert prop["description"].endswith(".")
        assert "type" in prop or "anyOf" in prop
    assert "$ref" not in json.dumps(tool.schema)
