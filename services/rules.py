"""Rules that a text about daily life may state: a metric, a comparison, a value, and over which period it is meant.

A record that bears a text may hold such a rule beside it, so that whether somebody kept it can be worked out and not
only discussed. Values are whole numbers of the metric's unit; amounts are compared in the unit that records store.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeVar, get_args

from msgspec.structs import replace

from schemas.goal import All, Any, Arith, Case, Const, Expr, Named, Pred, Test, When
from services.predicates import below, is_, is_not
from services.runtime.identity import shared
from services.runtime.records import Record

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.base import Json

Metric = Literal[
    "steps",
    "active_zone_minutes",
    "calories_burned",
    "calories_eaten",
    "sugar",
    "fat",
    "fiber",
    "sodium",
    "sleep",
    "workouts",
    "hard_workouts",
    "workout_minutes",
]
Comparison = Literal["at_least", "at_most"]
Period = Literal["day", "week", "night", "breakfast", "workout"]


@dataclass(frozen=True, slots=True)
class MetricFacts:
    """How a metric is counted."""

    unit: str
    periods: tuple[Period, ...]
    """Periods over which a rule on it can be meant."""
    scale: int = 1
    """What records store of it for one unit: tenths of a gram are ten for a gram."""


METRICS: Mapping[Metric, MetricFacts] = {
    "steps": MetricFacts("steps", ("day",)),
    "active_zone_minutes": MetricFacts("minutes", ("day", "week")),
    "calories_burned": MetricFacts("kcal", ("day",), scale=100),
    "calories_eaten": MetricFacts("kcal", ("day", "breakfast"), scale=10),
    "sugar": MetricFacts("g", ("day", "breakfast"), scale=10),
    "fat": MetricFacts("g", ("day",), scale=10),
    "fiber": MetricFacts("g", ("day", "breakfast"), scale=10),
    "sodium": MetricFacts("mg", ("day",)),
    "sleep": MetricFacts("minutes", ("night",)),
    "workouts": MetricFacts("workouts", ("week",)),
    "hard_workouts": MetricFacts("workouts", ("week",)),
    "workout_minutes": MetricFacts("minutes", ("workout",)),
}
"""What rules speak of. A hard workout is one of vigorous intensity; a week begins on Monday; a night belongs to the day
on which it begins."""
COMPARISONS: tuple[Comparison, ...] = get_args(Comparison)


class Rule(NamedTuple):
    """One rule."""

    metric: Metric
    comparison: Comparison
    value: int
    """In the metric's unit."""
    period: Period


class Ruled(Record, frozen=True):
    """A record whose text may state a rule; all four fields are null where it states none."""

    rule_metric: Metric | None = None
    rule_comparison: Comparison | None = None
    rule_value: int | None = None
    rule_period: Period | None = None


R = TypeVar("R", bound=Ruled)
RULE_FIELDS = ("rule_metric", "rule_comparison", "rule_value", "rule_period")


def rule_of(record: Ruled) -> Rule | None:
    """Return the rule that a record holds, or None."""
    metric, comparison, value, period = (
        record.rule_metric,
        record.rule_comparison,
        record.rule_value,
        record.rule_period,
    )
    if metric is None or comparison is None or value is None or period is None:
        return None
    return Rule(metric, comparison, value, period)


def with_rule(record: R, rule: Rule | None) -> R:
    """Return a record that holds a rule, or none."""
    return replace(record, **dict(zip(RULE_FIELDS, rule or (None,) * len(RULE_FIELDS), strict=True)))


def show_rule(record: Ruled) -> Json:
    """Return a rule as tools show it: {metric, comparison, value, unit, period}, or null."""
    rule = rule_of(record)
    return None if rule is None else {**rule._asdict(), "unit": METRICS[rule.metric].unit}


class Compliance(NamedTuple):
    """In which periods a rule was kept; periods are named by their first day or by the record they stand for."""

    kept: tuple[str, ...]
    broken: tuple[str, ...]
    unknown: tuple[str, ...]
    """Periods of which nothing is on record: neither kept nor broken."""


def is_kept(rule: Rule, amount: int) -> bool:
    """Return whether an amount, in the unit that records store, keeps a rule."""
    limit = rule.value * METRICS[rule.metric].scale
    return amount >= limit if rule.comparison == "at_least" else amount <= limit


def compliance(rule: Rule, amounts: Mapping[str, int | None]) -> Compliance:
    """Return where a rule was kept, given the amount of each period, None where there is no record of it."""
    known = {period: amount for period, amount in sorted(amounts.items()) if amount is not None}
    return Compliance(
        kept=tuple(period for period, amount in known.items() if is_kept(rule, amount)),
        broken=tuple(period for period, amount in known.items() if not is_kept(rule, amount)),
        unknown=tuple(sorted(period for period, amount in amounts.items() if amount is None)),
    )


@shared
def kept(amount: Expr, comparison: Expr, value: Expr, scale: int) -> Named:
    """Return 1 where an amount, in the unit that records store, keeps a rule, else 0, as `is_kept` does.

    The careless reading takes every rule for a lower limit.
    """
    limit = value if scale == 1 else Arith(fn="mul", args=[value, Const(value=scale)])
    least = Case(
        branches=[When(test=Test(fn="ge", left=amount, right=limit), then=Const(value=1))], otherwise=Const(value=0)
    )
    most = Case(
        branches=[When(test=Test(fn="le", left=amount, right=limit), then=Const(value=1))], otherwise=Const(value=0)
    )
    upper = When(test=Test(fn="eq", left=comparison, right=Const(value="at_most")), then=most)
    return Named(name="rule_kept", body=Case(branches=[upper], otherwise=least), naive=least)


def faulty(prefix: str) -> Pred:
    """Return the predicate that a record with these columns holds half a rule, or one that nobody can keep or break."""
    first, *others = (f"{prefix}.{name}" for name in RULE_FIELDS)
    period = f"{prefix}.rule_period"
    return Any(
        of=[
            All(of=[is_(first, None), Any(of=[is_not(other, None) for other in others])]),
            All(of=[is_not(first, None), Any(of=[is_(other, None) for other in others])]),
            below(f"{prefix}.rule_value", 1),
            *(
                All(of=[is_(first, metric), *(is_not(period, one) for one in facts.periods)])
                for metric, facts in METRICS.items()
            ),
        ]
    )
