"""The families file as typed data, and which families suit a profile."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal

from pydantic import BaseModel, ConfigDict

from generators.data_files import read_yaml
from schemas.profile import Activity
from schemas.profile_facts import RISKS, SPORTS

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schemas.profile import Profile

PACKAGE = __name__.rpartition(".")[0]
Range = tuple[int, int]
Days = Literal["work", "free", "all"]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Slots(_Part):
    """When workouts begin: (from, to, weight) in minutes of the day."""

    work: tuple[tuple[int, int, int], ...]
    free: tuple[tuple[int, int, int], ...]


class WalkForm(_Part):
    """A regular walk."""

    days: Days
    start: Range
    minutes: Range
    cadence: Range
    percent: Range


class NapForm(_Part):
    """Sleep by day."""

    percent: Range
    start: Range
    minutes: Range


class RotaForm(_Part):
    """Night shifts in a row, then days off."""

    shifts: Range
    rest: Range


class Routine(_Part):
    """Relative likelihood of moving per hour."""

    work: tuple[int, ...]
    free: tuple[int, ...]


class Family(_Part):
    """One family; what the fields mean stands in the file."""

    weight: int
    ages: Range
    activity: dict[Activity, int]
    children: bool = False
    spared: bool = False
    fitness: Range
    sports: dict[str, int]
    core: int = 1
    sessions: Range
    slots: Slots
    days: tuple[int, int, int, int, int, int, int]
    minutes: Range
    long: Range
    effort: tuple[int, int, int]
    adherence: Range
    day: str
    nights: RotaForm | None = None
    strolls: Range
    chores: Range
    hurries: Range = (2, 6)
    walks: tuple[WalkForm, ...] = ()
    bed: Range
    rise: Range
    free_later: Range
    nap: NapForm | None = None
    woken: Range = (0, 1)


class Families(_Part):
    """The whole file."""

    routines: dict[str, Routine]
    families: dict[str, Family]


@cache
def families() -> Families:
    """Return all families, read once."""
    return Families.model_validate(read_yaml(PACKAGE, "families.yaml"))


def suits(sport: str, profile: Profile) -> bool:
    """Return whether age and conditions of the profile allow the sport; exercise that care providers give suits all."""
    facts = next((f for name, f in SPORTS.items() if name == sport), None)
    if facts is None:
        return True
    spared = {RISKS[risk].spares for risk in profile.health_risks}
    too_hard = facts.effort == 3 and "effort" in spared
    jolts = facts.impact and "impact" in spared
    return profile.age <= facts.max_age and not too_hard and not jolts


def suitable(profile: Profile) -> list[tuple[str, int]]:
    """Return the families that suit a profile with their weights: one at least, the sedentary one fits everybody."""
    found = [(name, _weight(family, profile)) for name, family in families().families.items()]
    return [(name, weight) for name, weight in found if weight] or [("sedentary", 1)]


def liked(sports: Iterable[str], profile: Profile) -> int:
    """Return how many of the sports the profile prefers."""
    return len({*sports} & {*profile.preferences.sport})


def _weight(family: Family, profile: Profile) -> int:
    low, high = family.ages
    core = list(family.sports)[: family.core]
    fits = (
        low <= profile.age <= high
        and (not family.children or profile.household.children > 0)
        and (not family.spared or any(RISKS[risk].spares != "nothing" for risk in profile.health_risks))
        and any(suits(sport, profile) for sport in core)
    )
    return fits * family.weight * family.activity.get(profile.activity, 0) << liked(core, profile)
