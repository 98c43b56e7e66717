"""Who a user is: persona, health, goals, preferences, and how the user behaves towards an assistant."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from schemas.base import Model
from schemas.profile_facts import Diet, Food, Risk, Sport

Gender = Literal["female", "male", "non_binary"]
Locale = Literal["en-AU", "en-CA", "en-GB", "en-IE", "en-NZ", "en-US"]
Activity = Literal["sedentary", "light", "moderate", "active"]
"""Habitual activity: little or none; light exercise 1-3, moderate 3-5, hard 6-7 days a week."""
Style = Literal["terse", "chatty", "formal", "careless"]
"""How the user writes: few words; many words; full, polite sentences; lower case with few marks."""


class PersonName(Model):
    """An invented name."""

    given: str
    family: str


class Household(Model):
    """Who lives together, the user included."""

    adults: Annotated[int, Field(ge=1, le=4)]
    """Persons of 18 and more, the user included."""
    children: Annotated[int, Field(ge=0, le=4)]
    """Persons under 18."""


class Body(Model):
    """What energy needs are computed from."""

    height_cm: Annotated[int, Field(ge=140, le=210)]
    weight_kg: Annotated[int, Field(ge=38, le=180)]


class Preferences(Model):
    """What the user likes, without repeats."""

    sport: Annotated[list[Sport], Field(min_length=1, max_length=3)]
    food: Annotated[list[Food], Field(min_length=2, max_length=4)]


class DailyGoal(Model):
    """What the user wants to reach on a day; each follows from body, age, activity and health risks."""

    steps: Annotated[int, Field(ge=3_000, le=15_000)]
    calories_intake: Annotated[int, Field(ge=800, le=5_000)]
    """kcal to eat."""
    calories_burn: Annotated[int, Field(ge=800, le=5_000)]
    """kcal to burn, resting energy included."""
    AZM: Annotated[int, Field(ge=10, le=90)]
    """Active zone minutes: minutes of at least moderate intensity."""
    mets: Annotated[int, Field(ge=14_400, le=30_000)]
    """Tenths of a MET summed over the minutes of the day: a day of rest is 14,400."""


class Budget(Model):
    """What the user plans to spend."""

    weekly_food_cents: Annotated[int, Field(ge=2_000, le=100_000)]
    """Cents a week for the food of the whole household."""
    monthly_wellness_cents: Annotated[int, Field(ge=1_000, le=20_000)]
    """Cents a month for sport, supplements and care."""


class BasicInfo(Model):
    """The person as care providers file it."""

    name: str
    """Given and family name."""
    age: Annotated[int, Field(ge=18, le=90)]
    """Years."""
    gender: Gender


class MedicalView(Model):
    """What care providers know: at least what the everyday profile says, and nothing against it."""

    basic_info: BasicInfo
    health_risks: Annotated[list[Risk], Field(max_length=5)]
    dietary_restrictions: Annotated[list[Diet], Field(max_length=5)]


StatedField = Literal[
    "name.given",
    "name.family",
    "age.from",
    "age.to",
    "gender",
    "household.adults",
    "household.children",
    "health_risks",
    "dietary_restrictions",
    "preferences.sport",
    "preferences.food",
]


class StatedFact(Model):
    """One thing that a description said of the user before the user was made."""

    field: StatedField
    """Field of the profile that keeps to it; `age.from` and `age.to` are the bounds of the age."""
    value: str
    """The value, or for a list one of its entries, `none` when it was said to be empty; numbers in digits."""


class Profile(Model):
    """One invented user."""

    user_id: Annotated[str, Field(pattern=r"^u[0-9]{6,}$")]
    """`u` and the index in at least six digits."""
    index: Annotated[int, Field(ge=0)]
    """Place of the user in the run; with the root seed it decides everything about the user."""
    name: PersonName
    age: Annotated[int, Field(ge=18, le=90)]
    """Years."""
    gender: Gender
    household: Household
    locale: Locale
    body: Body
    activity: Activity
    health_risks: Annotated[list[Risk], Field(max_length=3)]
    """Chronic conditions and risks the user knows of, without repeats."""
    dietary_restrictions: Annotated[list[Diet], Field(max_length=3)]
    """Restrictions the user keeps, without repeats and none that another one covers."""
    preferences: Preferences
    daily_goal: DailyGoal
    budget: Budget
    style: Style
    medical_view: MedicalView
    narrative: str
    """80-120 words in first or third person that state facts of this record and nothing else."""
    stated: list[StatedFact]
    """What a description given to the run said; empty for users that are invented from nothing."""
