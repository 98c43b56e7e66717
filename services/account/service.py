"""Tools, gates and tables of the account."""

from __future__ import annotations

from typing import Annotated, cast

import msgspec
from msgspec import UNSET, Meta, UnsetType

from schemas.base import Json
from schemas.goal import Col, Const, FieldIs, Lookup, Slot, Test, Write
from schemas.goal import Table as Rows
from services.account import asking
from services.account.records import Device, Permission, Profile, Source
from services.runtime.declare import Gate, Probe, Remedy, Service, Table
from services.runtime.tools import Context, tool

PERMISSIONS = {
    "raw_data": "allow_raw_data_access",
    "user_notes": "allow_user_notes_access",
    "purchase": "allow_purchase",
    "med_assistant": "allow_med_assistant",
}
"""Id of each permission -> its name in the settings."""


def profile_of(c: Context) -> Profile:
    """Return the user's profile, or refuse."""
    profile = c.get(Profile, "profile")
    if profile is None:
        c.refuse("PROFILE_NOT_FOUND", "This account has no profile.")
    return profile


def _show(profile: Profile) -> dict[str, Json]:
    return {
        "basic_info": {"name": profile.name, "age": profile.age, "gender": profile.gender},
        "health_risks": list(profile.health_risks),
        "dietary_restrictions": list(profile.dietary_restrictions),
        "preferences": {"sport": list(profile.sport_preferences), "food": list(profile.food_preferences)},
        "daily_goal": {
            "steps": profile.goal_steps,
            "calories_intake": profile.goal_calories_intake,
            "calories_burn": profile.goal_calories_burn,
            "AZM": profile.goal_azm,
        },
    }


_NO_PROFILE = {"PROFILE_NOT_FOUND": "The account has no profile record."}


@tool(side="assistant", errors=_NO_PROFILE)
def get_user_profile(c: Context) -> dict[str, Json]:
    """Return the user's profile: name, age and gender, health risks, dietary restrictions, preferences and daily goals.

    `basic_info`, `health_risks`, `dietary_restrictions`, `preferences` {sport, food} and `daily_goal` {steps,
    calories_intake and calories_burn in kcal, AZM in minutes}.
    """
    return _show(profile_of(c))


class BasicInfo(msgspec.Struct, forbid_unknown_fields=True):
    """Basic information; fields left out stay."""

    name: str | UnsetType = UNSET
    age: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    gender: str | UnsetType = UNSET


class Preferences(msgspec.Struct, forbid_unknown_fields=True):
    """Long-term preferences; a list that is given replaces the old one."""

    sport: list[str] | UnsetType = UNSET
    food: list[str] | UnsetType = UNSET


class DailyGoal(msgspec.Struct, forbid_unknown_fields=True):
    """Daily goals; fields left out stay."""

    steps: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    calories_intake: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    calories_burn: Annotated[int, Meta(ge=0)] | UnsetType = UNSET
    AZM: Annotated[int, Meta(ge=0)] | UnsetType = UNSET


def given(**values: object) -> dict[str, object]:
    """Return the values that were given, by name, lists as records hold them."""
    return {
        name: tuple(cast("list[object]", value)) if isinstance(value, list) else value
        for name, value in values.items()
        if not isinstance(value, UnsetType)
    }


@tool(
    side="assistant",
    write=True,
    confirm=True,
    asking=asking.PROFILE,
    errors={**_NO_PROFILE, "NOTHING_TO_UPDATE": "No field was given."},
    example={"daily_goal": {"steps": 9000}},
)
def update_profile(
    c: Context,
    basic_info: Annotated[BasicInfo | UnsetType, Meta(description="Name, age in years, gender.")] = UNSET,
    health_risks: Annotated[list[str] | UnsetType, Meta(description="Replaces all health risks.")] = UNSET,
    dietary_restrictions: Annotated[
        list[str] | UnsetType, Meta(description="Replaces all dietary restrictions.")
    ] = UNSET,
    preferences: Annotated[Preferences | UnsetType, Meta(description="Sport and food preferences.")] = UNSET,
    daily_goal: Annotated[DailyGoal | UnsetType, Meta(description="Daily goals.")] = UNSET,
) -> dict[str, Json]:
    """Change the user's profile. Only the fields that are given change; lists are replaced whole.

    The whole profile after the change, in the form of `get_user_profile`.
    """
    info = basic_info if isinstance(basic_info, BasicInfo) else BasicInfo()
    likes = preferences if isinstance(preferences, Preferences) else Preferences()
    goal = daily_goal if isinstance(daily_goal, DailyGoal) else DailyGoal()
    changes = given(
        name=info.name,
        age=info.age,
        gender=info.gender,
        health_risks=health_risks,
        dietary_restrictions=dietary_restrictions,
        sport_preferences=likes.sport,
        food_preferences=likes.food,
        goal_steps=goal.steps,
        goal_calories_intake=goal.calories_intake,
        goal_calories_burn=goal.calories_burn,
        goal_azm=goal.AZM,
    )
    if not changes:
        c.refuse("NOTHING_TO_UPDATE", "Name at least one field to change.")
    profile = msgspec.structs.replace(profile_of(c), **changes)
    c.put(profile)
    return _show(profile)


def _allowed(c: Context, key: str) -> bool:
    permission = c.get(Permission, key)
    return permission is not None and permission.allowed


@tool(side="assistant")
def get_system_settings(c: Context) -> dict[str, Json]:
    """Return the settings: data sources and whether they are connected, devices, and permissions of the assistant.

    `marketplaces` [{source, connected}], `devices` [{device_id, source, type}], `permissions` with one boolean per
    permission.
    """
    return {
        "marketplaces": [{"source": s.id, "connected": s.connected} for s in sorted(c.all(Source), key=lambda s: s.id)],
        "devices": [
            {"device_id": d.id, "source": d.source, "type": d.type} for d in sorted(c.all(Device), key=lambda d: d.id)
        ],
        "permissions": {name: _allowed(c, key) for key, name in PERMISSIONS.items()},
    }


def _set_permission(c: Context, key: str, allow: bool) -> dict[str, Json]:
    c.put(Permission(id=key, allowed=allow))
    return {"permission": PERMISSIONS[key], "allowed": allow}


Allow = Annotated[bool, Meta(description="True grants the permission, false takes it back.")]
_ALLOW_EXAMPLE: dict[str, Json] = {"allow": True}


@tool(side="user", write=True, example=_ALLOW_EXAMPLE, asking=asking.RAW_DATA)
def set_raw_data_permission(c: Context, allow: Allow) -> dict[str, Json]:
    """Grant or take back permission to read raw minute data.

    `permission` and its new state `allowed`.
    """
    return _set_permission(c, "raw_data", allow)


@tool(side="user", write=True, example=_ALLOW_EXAMPLE, asking=asking.USER_NOTES)
def set_user_notes_permission(c: Context, allow: Allow) -> dict[str, Json]:
    """Grant or take back permission to use the user's notes.

    `permission` and its new state `allowed`.
    """
    return _set_permission(c, "user_notes", allow)


@tool(side="user", write=True, example=_ALLOW_EXAMPLE, asking=asking.PURCHASE)
def set_purchase_permission(c: Context, allow: Allow) -> dict[str, Json]:
    """Grant or take back permission to prepare purchases.

    `permission` and its new state `allowed`.
    """
    return _set_permission(c, "purchase", allow)


@tool(side="user", write=True, example=_ALLOW_EXAMPLE, asking=asking.MED_ASSISTANT)
def set_med_assistant_permission(c: Context, allow: Allow) -> dict[str, Json]:
    """Grant or take back permission to use the medical assistant.

    `permission` and its new state `allowed`.
    """
    return _set_permission(c, "med_assistant", allow)


def permission_gate(name: str, key: str, remedy: str, policy: str) -> Gate:
    """Return the gate that is closed while the permission `key` is not given."""
    allowed = Lookup(
        source=Rows(table="permissions", prefix="permission"),
        where=Test(fn="eq", left=Col(name="permission.id"), right=Const(value=key)),
        field="permission.allowed",
    )

    def switch(value: bool) -> tuple[Write, ...]:
        fields = {"allowed": FieldIs(value=Const(value=value))}
        return (Write(op="update", table="permissions", id=Const(value=key), fields=dict(fields)),)

    return Gate(
        name=name,
        code="PERMISSION_DENIED",
        message=f"The permission {PERMISSIONS[key]} is not given; the user can give it.",
        closed=Test(fn="ne", left=allowed, right=Const(value=True)),
        details={"permission": Const(value=PERMISSIONS[key])},
        probe=Probe("get_system_settings"),
        remedy=Remedy(
            tool=remedy,
            arguments={"allow": Const(value=True)},
            shows=Test(fn="ne", left=Slot(name="allowed"), right=Const(value=True)),
            values={"allowed": ("probe", "permissions", PERMISSIONS[key])},
            takes_back={"allow": False},
        ),
        effect=switch(True),
        closing=switch(False),
        policy=policy,
        asking=asking.PERMISSIONS[key],
    )


SERVICE = Service(
    name="account",
    summary="Profile, permissions, connected sources and devices of the user.",
    tables=(
        Table("profile", Profile, "profile"),
        Table("permissions", Permission, "perm"),
        Table("sources", Source, "source"),
        Table("devices", Device, "device", references={"source": "sources"}),
    ),
    tools=(
        get_user_profile,
        update_profile,
        get_system_settings,
        set_raw_data_permission,
        set_user_notes_permission,
        set_purchase_permission,
        set_med_assistant_permission,
    ),
    gates=(
        permission_gate(
            "PURCHASE",
            "purchase",
            "set_purchase_permission",
            "Preparing an order or a membership request needs the purchase permission; ask the user for it.",
        ),
    ),
)
