"""The account: profile, settings and permissions."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.base import Json
from services.account.service import PERMISSIONS
from services.runtime.environment import Environment
from tests.services import sample
from tests.services.sample import done, refused

PROFILE = {
    "basic_info": {"name": "Ines Halloran", "age": 41, "gender": "female"},
    "health_risks": ["hypertension"],
    "dietary_restrictions": ["gluten_free"],
    "preferences": {"sport": ["running"], "food": ["soup"]},
    "daily_goal": {"steps": 8000, "calories_intake": 2100, "calories_burn": 2200, "AZM": 30},
}


def update(env: Environment, **arguments: Json) -> dict[str, Json]:
    """Update the profile with the user's yes."""
    env.confirm("update_profile", arguments)
    return done(env, "update_profile", "assistant", **arguments)


def test_the_profile_is_shown_in_the_published_form() -> None:
    assert done(sample.environment(), "get_user_profile") == PROFILE


@pytest.mark.parametrize(
    ("arguments", "changed"),
    [
        ({"basic_info": {"age": 42}}, {"basic_info": {"name": "Ines Halloran", "age": 42, "gender": "female"}}),
        ({"basic_info": {"age": 42.0}}, {"basic_info": {"name": "Ines Halloran", "age": 42, "gender": "female"}}),
        ({"health_risks": []}, {"health_risks": []}),
        ({"dietary_restrictions": ["vegan", "nut_free"]}, {"dietary_restrictions": ["vegan", "nut_free"]}),
        ({"preferences": {"food": ["rice"]}}, {"preferences": {"sport": ["running"], "food": ["rice"]}}),
        (
            {"daily_goal": {"AZM": 0, "steps": 9000}},
            {"daily_goal": {"steps": 9000, "calories_intake": 2100, "calories_burn": 2200, "AZM": 0}},
        ),
        ({"basic_info": {}, "health_risks": ["asthma"]}, {"health_risks": ["asthma"]}),
    ],
)
def test_only_given_fields_change(arguments: dict[str, Json], changed: dict[str, Json]) -> None:
    env = sample.environment()
    expected = {**PROFILE, **changed}
    assert update(env, **arguments) == expected
    assert done(env, "get_user_profile") == expected
    assert set(env.delta()) == {"profile"}


def test_an_update_needs_a_yes_to_these_arguments() -> None:
    env = sample.environment()
    assert refused(env, "update_profile", health_risks=[]) == "CONFIRMATION_REQUIRED"
    env.confirm("update_profile", {"health_risks": []})
    assert refused(env, "update_profile", health_risks=["asthma"]) == "CONFIRMATION_REQUIRED"
    done(env, "update_profile", health_risks=[])
    assert refused(env, "update_profile", health_risks=[]) == "CONFIRMATION_REQUIRED"


def test_an_update_to_the_same_values_changes_nothing() -> None:
    env = sample.environment()
    update(env, health_risks=["hypertension"])
    assert env.delta() == {}


def test_the_settings_show_sources_devices_and_all_permissions() -> None:
    assert done(sample.environment(), "get_system_settings") == {
        "marketplaces": [{"source": "fitbit", "connected": True}, {"source": "oura", "connected": False}],
        "devices": [
            {"device_id": "device_1", "source": "fitbit", "type": "watch"},
            {"device_id": "device_2", "source": "oura", "type": "ring"},
        ],
        "permissions": {
            "allow_raw_data_access": False,
            "allow_user_notes_access": False,
            "allow_purchase": True,
            "allow_med_assistant": False,
        },
    }


@pytest.mark.parametrize(
    ("tool", "key"),
    [
        ("set_raw_data_permission", "raw_data"),
        ("set_user_notes_permission", "user_notes"),
        ("set_purchase_permission", "purchase"),
        ("set_med_assistant_permission", "med_assistant"),
    ],
)
def test_a_permission_is_granted_and_taken_back_by_the_user_alone(tool: str, key: str) -> None:
    env = sample.environment(permissions=sample.permissions())
    assert refused(env, tool, allow=True) == "WRONG_SIDE"
    assert done(env, tool, "user", allow=True) == {"permission": PERMISSIONS[key], "allowed": True}
    settings: Any = done(env, "get_system_settings")["permissions"]
    assert settings == {name: name == PERMISSIONS[key] for name in PERMISSIONS.values()}
    assert set(env.delta()["permissions"]) == {key}
    done(env, tool, "user", allow=True)
    done(env, tool, "user", allow=False)
    assert env.delta() == {}
