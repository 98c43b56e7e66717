"""Which sport to do next: worked out from the workouts that are passed and from what is known of the person.

- Sport: of those that train what is asked for and that suit the person (age, joints and heart to be spared), one the
  person likes, else the one with most minutes in the passed records, else the first by name.
- Minutes: the mean of the passed records of that sport (of all of them where none is of it, `USUAL_MINUTES` where none
  is passed) times a percentage for the intensity, within `MINUTES`.
- Calories and active zone minutes: what these records come to per minute, times the minutes; null without records.
Everything is rounded half up once, at the end. Whoever should avoid effort gets no more than medium intensity.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, Literal, cast

import msgspec
from msgspec import Meta

from language.terms import key
from schemas.base import Json
from schemas.profile_facts import RISKS, SPORTS, Spared, Sport
from services.account.service import profile_of
from services.runtime.tools import Context, tool

if TYPE_CHECKING:
    from services.account.records import Profile

Preference = Literal["cardio", "endurance", "speed_training", "strength", "recovery", "mixed_cardio"]
Intensity = Literal["low", "medium", "high"]

TRAINS: Mapping[Preference, tuple[Sport, ...]] = {
    "cardio": ("cycling", "dancing", "hiking", "rowing", "running", "skating", "swimming", "walking"),
    "endurance": ("cycling", "hiking", "rowing", "running", "skiing", "swimming", "walking"),
    "speed_training": ("badminton", "basketball", "football", "rowing", "running", "swimming", "tennis", "walking"),
    "strength": ("boxing", "climbing", "pilates", "rowing", "strength_training", "yoga"),
    "recovery": ("pilates", "swimming", "tai_chi", "walking", "yoga"),
    "mixed_cardio": (
        "badminton",
        "basketball",
        "boxing",
        "cycling",
        "dancing",
        "football",
        "golf",
        "rowing",
        "running",
        "swimming",
        "table_tennis",
        "tennis",
        "volleyball",
        "walking",
    ),
}
"""What each sport trains. Every list holds one that suits everybody."""
PERCENT: Mapping[Intensity, int] = {"low": 70, "medium": 100, "high": 130}
"""Length of a workout against what is usual, in percent."""
USUAL_MINUTES = 30
MINUTES = (10, 180)
"""Shortest and longest workout that is recommended."""
HARD = 3
"""Effort that whoever should avoid effort is spared."""
_MOST = 100_000


class SportRecord(msgspec.Struct, forbid_unknown_fields=True):
    """A past workout."""

    sport_type: Annotated[str, Meta(description="Sport, such as running.")]
    duration_minutes: Annotated[float, Meta(description="Minutes, more than 0.")]
    calories: Annotated[float, Meta(description="kcal burned, at least 0.")]
    azm: Annotated[float, Meta(description="Active zone minutes, at least 0.")]


def spared(profile: Profile) -> set[Spared]:
    """Return what the person's health risks ask to avoid in sport."""
    return {facts.spares for risk, facts in RISKS.items() if risk in profile.health_risks and facts.spares != "nothing"}


def suiting(profile: Profile, preference: Preference) -> list[Sport]:
    """Return the sports that train what is asked for and suit the person, by name; walking where none does."""
    avoid = spared(profile)
    fitting: list[Sport] = [
        sport
        for sport in TRAINS[preference]
        if profile.age <= SPORTS[sport].max_age
        and not ("impact" in avoid and SPORTS[sport].impact)
        and not ("effort" in avoid and SPORTS[sport].effort >= HARD)
    ]
    return fitting or ["walking"]


def _named(text: str) -> str:
    return "_".join(key(text))


def _exact(c: Context, record: SportRecord) -> tuple[Fraction, Fraction, Fraction]:
    """Return minutes, calories and active zone minutes. Refuse what no workout can have."""
    minutes, calories, azm = (Fraction(str(v)) for v in (record.duration_minutes, record.calories, record.azm))
    if not 0 < minutes <= _MOST or not 0 <= calories <= _MOST or not 0 <= azm <= _MOST:
        c.refuse(
            "INVALID_RECORD",
            "A workout has a duration above 0, and calories and active zone minutes of 0 or more.",
            sport_type=record.sport_type,
        )
    return minutes, calories, azm


def _half_up(value: Fraction) -> int:
    return (2 * value.numerator + value.denominator) // (2 * value.denominator)


def _choose(profile: Profile, preference: Preference, minutes: Mapping[str, Fraction]) -> Sport:
    liked = {_named(sport) for sport in profile.sport_preferences}

    def rank(sport: Sport) -> tuple[bool, Fraction, str]:
        return _named(sport) not in liked, -minutes.get(_named(sport), Fraction(0)), sport

    return min(suiting(profile, preference), key=rank)


@tool(
    side="assistant",
    gates=("VIP",),
    errors={
        "INVALID_RECORD": "A record has no duration, or less than nothing of something.",
        "PROFILE_NOT_FOUND": "The account has no profile record.",
    },
    example={
        "recent_sports_records": [{"sport_type": "running", "duration_minutes": 40, "calories": 380, "azm": 36}],
        "preference": "cardio",
        "intensity": "medium",
    },
)
def recommend_sports(
    c: Context,
    recent_sports_records: Annotated[list[SportRecord], Meta(description="Past workouts to build on; may be empty.")],
    preference: Annotated[Preference, Meta(description="What the workout should train.")],
    intensity: Annotated[Intensity, Meta(description="How hard it should be.")],
) -> dict[str, Json]:
    """Recommend the next workout from past ones and from the user's age, health risks and preferred sports.

    `sport_type`, `intensity` (no more than medium for whoever should avoid effort), `duration_minutes`, expected
    `calories` in kcal and `azm` in minutes (null where no records were passed), `based_on_records`, how many of them
    count, `preferred`, whether it is a sport the user likes, and `avoids`, what the health risks rule out.
    """
    profile = profile_of(c)
    exact = [(_named(record.sport_type), _exact(c, record)) for record in recent_sports_records]
    done: dict[str, Fraction] = {}
    for name, (minutes, _, _) in exact:
        done[name] = done.get(name, Fraction(0)) + minutes
    sport = _choose(profile, preference, done)
    base = [amounts for name, amounts in exact if name == _named(sport)] or [amounts for _, amounts in exact]
    level: Intensity = "medium" if intensity == "high" and "effort" in spared(profile) else intensity
    length = _length(base, level)
    return {
        "sport_type": sport,
        "intensity": level,
        "duration_minutes": length,
        "calories": _expected(base, 1, length),
        "azm": _expected(base, 2, length),
        "based_on_records": len(base),
        "preferred": _named(sport) in {_named(liked) for liked in profile.sport_preferences},
        "avoids": cast("list[Json]", sorted(spared(profile))),
    }


def _length(base: Sequence[tuple[Fraction, ...]], intensity: Intensity) -> int:
    mean = sum((minutes for minutes, *_ in base), Fraction(0)) / len(base) if base else Fraction(USUAL_MINUTES)
    shortest, longest = MINUTES
    return min(longest, max(shortest, _half_up(mean * PERCENT[intensity] / 100)))


def _expected(base: Sequence[tuple[Fraction, ...]], place: int, length: int) -> int | None:
    """Return what the records come to per minute at one of their places, times the length."""
    if not base:
        return None
    return _half_up(sum((one[place] for one in base), Fraction(0)) * length / sum(one[0] for one in base))
