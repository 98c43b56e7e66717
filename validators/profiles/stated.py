"""Does the profile keep to what a description said of the user?"""

from __future__ import annotations

from collections.abc import Iterator
from operator import attrgetter

from schemas.profile import Profile
from validators.profiles.context import ProfileContext

_LISTS = ("health_risks", "dietary_restrictions", "preferences.sport", "preferences.food")
_SINGLE = ("name.given", "name.family", "gender", "household.adults", "household.children")


def stated_faults(profile: Profile, _: ProfileContext) -> Iterator[str]:
    """Yield what was said of the user and is not so in the profile, and what was said against itself."""
    for fact in profile.stated:
        same = [other.value for other in profile.stated if other.field == fact.field]
        match fact.field:
            case "age.from":
                holds = profile.age >= int(fact.value)
            case "age.to":
                holds = profile.age <= int(fact.value)
            case name if name in _LISTS:
                held: list[str] = attrgetter(name)(profile)
                holds = not held and same == ["none"] if fact.value == "none" else fact.value in held
            case name:
                holds = name in _SINGLE and str(attrgetter(name)(profile)) == fact.value and len(same) == 1
        if not holds:
            yield f"it was said that {fact.field} is {fact.value!r}, and the profile says otherwise"
