"""Seeds the account: the profile record, mixed permissions, connected and disconnected sources, their devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.environments.goals import goals_of
from generators.environments.odds import PERMISSION_GIVEN, SECOND_DEVICE, SOURCE_CONNECTED, SOURCES
from generators.environments.seeder import Seeder
from services.account.records import Device, Permission, Profile, Source
from services.sources.platforms import DEVICES
from services.sources.platforms import SOURCES as PLATFORMS

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.environments.seeder import SeedContext
    from schemas.profile import DailyGoal
    from schemas.profile import Profile as Person
    from services.runtime.records import Record
    from services.sources.platforms import SourceName


def profile_record(person: Person, goal: DailyGoal) -> Profile:
    """Return what the platform knows of a person: the everyday view, without body, budget and medical view."""
    return Profile(
        id="profile",
        name=f"{person.name.given} {person.name.family}",
        age=person.age,
        gender=person.gender,
        health_risks=tuple(person.health_risks),
        dietary_restrictions=tuple(person.dietary_restrictions),
        sport_preferences=tuple(person.preferences.sport),
        food_preferences=tuple(person.preferences.food),
        goal_steps=goal.steps,
        goal_calories_intake=goal.calories_intake,
        goal_calories_burn=goal.calories_burn,
        goal_azm=goal.AZM,
    )


def _seed(c: SeedContext) -> Mapping[str, Sequence[Record]]:
    permissions, sources = c.stream.child("permissions"), c.stream.child("sources")
    names = sources.sample(PLATFORMS, sources.weighted(SOURCES))
    return {
        "permissions": [
            Permission(id=key, allowed=permissions.chance(percent, 100)) for key, percent in PERMISSION_GIVEN.items()
        ],
        "sources": [Source(id=name, connected=sources.chance(SOURCE_CONNECTED, 100)) for name in names],
        "devices": [device for name in names for device in _devices(c, name)],
    }


def _devices(c: SeedContext, source: SourceName) -> list[Device]:
    stream = c.stream.child("devices", source)
    kinds = stream.sample(DEVICES[source], 1 + stream.chance(SECOND_DEVICE, 100))
    return [Device(id=c.new_id("devices"), source=source, type=kind) for kind in kinds]


def _close(c: SeedContext) -> Mapping[str, Sequence[Record]]:
    """Return the profile record; it is made last, because daily goals follow from what was recorded."""
    return {"profile": [profile_record(c.profile, goals_of(c))]}


SEEDER = Seeder("account", _seed, close=_close)
