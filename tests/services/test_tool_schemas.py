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
get_daily_summary get_range_summary get_hourly_steps get_hourly_calories get_hourly_mets get_hourly_activity
get_daily_sleep_summary get_sport_records
get_user_profile update_profile get_system_settings get_source_features get_med_features
get_session_records get_meal_records analysis_meal create_session_record create_meal_record delete_record
list_notes add_note delete_note list_daily_reminders create_daily_reminder delete_daily_reminder
recommend_sports plot_time_series
browse_items inspect_item add_to_cart remove_from_cart get_cart get_wallet prepare_order upgrade_membership_request
get_transactions
med-get_user_profile med-get_provider_list med-get_resources med-create_appointment med-cancel_appointment
med-update_user_profile
<source>-get_intraday_steps <source>-get_intraday_calories <source>-get_intraday_mets <source>-get_intraday_intensities
<source>-create_activity_plan <source>-get_activity_plan
""".split()
USER = """
update_source set_raw_data_permission set_user_notes_permission set_purchase_permission set_med_assistant_permission
top_up_wallet authorize_checkout
""".split()
OURS = ["recommend_health_food"]
FILES = {"platform_tools": "", "user_tools": "", "med_tools": "", "source_tools": "<source>-"}
"""Published files, and what stands before their names here."""


def test_derived_schemas_are_those_of_the_committed_file() -> None:
    assert json.loads(FILE.read_text("utf-8")) == derived()


def test_the_tools_and_their_sides() -> None:
    catalogue = installed_catalogue()
    assert sorted(tool.name for tool in catalogue.tools_of("assistant")) == sorted([*ASSISTANT, *OURS])
    assert sorted(tool.name for tool in catalogue.tools_of("user")) == sorted(USER)
    assert len(ASSISTANT) + len(USER) == 55  # update_profile, which was published but not offered, among them
    assert len(TOOLS) == 56


def test_a_caller_may_change_the_schemas_it_got() -> None:
    env = sample.environment()
    for entry in env.tools():
        function: Any = entry["function"]
        function["parameters"]["properties"].clear()
    assert env.tools() == sample.environment().tools()
    assert json.loads(FILE.read_text("utf-8")) == derived()


def _shape(schema: dict[str, Any]) -> dict[str, Any]:
    """Names, enums and required names of an object schema, those of nested objects and of elements included."""
    return {
        "required": sorted(schema.get("required", [])),
        "properties": {name: _inside(prop) for name, prop in schema.get("properties", {}).items()},
    }


def _inside(prop: dict[str, Any]) -> dict[str, Any]:
    nested = _shape(prop) if "properties" in prop else {}
    elements = {"items": _inside(prop["items"])} if "items" in prop else {}
    return {"enum": sorted(prop.get("enum", []))} | nested | elements


def _published() -> Iterator[dict[str, Any]]:
    for name, before in FILES.items():
        for entry in json.loads((PUBLISHED / f"{name}.json").read_text("utf-8")):
            yield {**entry["function"], "name": before + entry["function"]["name"]}
    yield json.loads((PUBLISHED / "paused_tools.json").read_text("utf-8"))["function"]


@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="the published tool schemas are not here")
def test_names_arguments_enums_and_required_lists_are_the_published_ones() -> None:
    published = {entry["name"]: _shape(entry["parameters"]) for entry in _published()}
    assert sorted(published) == sorted([*ASSISTANT, *USER])
    ours = {name: _shape(cast("dict[str, Any]", TOOLS[name].schema)) for name in (*ASSISTANT, *USER)}
    assert ours == published


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
