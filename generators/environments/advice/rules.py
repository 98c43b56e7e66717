"""Rules from the data file: which fit a person, with which value, and in what words."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import TYPE_CHECKING, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict

from generators.data_files import read_yaml
from language import write
from schemas.profile_facts import Risk
from services.rules import Comparison, Metric, Period, Rule

if TYPE_CHECKING:
    from schemas.profile import Profile
    from services.runtime.streams import Stream

Range: TypeAlias = tuple[int, int]
Voice = Literal["plan", "reminder", "note"]


class _Data(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class ValueOf(_Data):
    """Where the value of a rule comes from: a range, or a share of a daily goal of the person."""

    step: int
    range: Range | None = None
    goal: Literal["steps", "AZM", "calories_burn", "calories_intake"] | None = None
    percent: Range | None = None


class Form(_Data):
    """One rule with the words that state it."""

    metric: Metric
    comparison: Comparison
    period: Period
    value: ValueOf
    topics: list[str]
    risks: list[Risk]
    anybody: bool
    plan: list[str]
    reminder: list[str]
    note: list[str]


class Plain(_Data):
    """Advice that states no rule."""

    topics: list[str]
    text: str


class Advice(_Data):
    """The data file."""

    rules: list[Form]
    openings: dict[str, list[str]]
    closings: list[str]
    plain_plans: list[Plain]


@cache
def advice() -> Advice:
    """Return the data file, read once."""
    return Advice.model_validate(read_yaml(__name__.rpartition(".")[0], "advice.yaml"))


def fitting(risks: Sequence[Risk]) -> list[tuple[Form, int]]:
    """Return the rules that may be given to a person with these risks, those for the risks three times as likely."""
    known = set(risks)
    forms = [(form, 3 if known.intersection(form.risks) else int(form.anybody)) for form in advice().rules]
    return [(form, weight) for form, weight in forms if weight]


def draw_rule(stream: Stream, form: Form, profile: Profile) -> Rule:
    """Return a rule of this form with a value for the person."""
    return Rule(form.metric, form.comparison, _draw_value(stream, form.value, profile), form.period)


def _draw_value(stream: Stream, value: ValueOf, profile: Profile) -> int:
    if value.range is not None:
        low, high = value.range
        return low + value.step * stream.below((high - low) // value.step + 1)
    if value.goal is None or value.percent is None:
        msg = f"advice.yaml states neither a range nor a share of a goal: {value}"
        raise ValueError(msg)
    exact = getattr(profile.daily_goal, value.goal) * stream.between(*value.percent)
    return max(1, (exact + 50 * value.step) // (100 * value.step)) * value.step


def said(stream: Stream, form: Form, rule: Rule, voice: Voice) -> str:
    """Return words that state a rule, and no other number."""
    forms: Sequence[str] = getattr(form, voice)
    return stream.choice(forms).format(value=write("count", rule.value, stream.below(2)))
