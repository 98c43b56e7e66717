"""Records of the account."""

from __future__ import annotations

from typing import Literal, TypeAlias

from services.runtime.records import Record


class Profile(Record, frozen=True):
    """What the platform knows about the user; one record, id `profile`."""

    name: str
    age: int
    """Years."""
    gender: str
    health_risks: tuple[str, ...]
    dietary_restrictions: tuple[str, ...]
    sport_preferences: tuple[str, ...]
    food_preferences: tuple[str, ...]
    goal_steps: int
    """Steps a day."""
    goal_calories_intake: int
    """kcal a day eaten."""
    goal_calories_burn: int
    """kcal a day burned."""
    goal_azm: int
    """Active zone minutes a day."""


class Permission(Record, frozen=True):
    """One switch of what the assistant may use; the id names it."""

    allowed: bool


class Source(Record, frozen=True):
    """A wearable platform the user has an account with; the id names it."""

    connected: bool


DeviceType: TypeAlias = Literal["watch", "band", "ring"]


class Device(Record, frozen=True):
    """A device that records for a source."""

    source: str
    type: DeviceType
