"""Goals of a fresh environment: daily ones follow from the user's own days, weekly ones from the daily ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

import numpy as np

from validators.wearables.arrays import MINUTES, rows_by_id, window_of

if TYPE_CHECKING:
    from collections import Counter
    from collections.abc import Iterator

    from validators.environments.context import Case
    from validators.wearables.arrays import Window

_WORN, _DAYS = 600, 5
"""Worn minutes that a day needs in order to count, and how many such days a goal needs."""
_WEEKLY_STEPS = {"steps": 1_000, "azm": 10, "calories_burn": 100}
_LEAST, _MOST = 80, 120
"""Percent of seven daily goals between which a weekly goal lies, before it is rounded."""


class _Rule(NamedTuple):
    """A goal is so many percent of the usual value, up to the next step, within bounds."""

    percent: int
    step: int
    least: int
    most: int


_RULES = {
    "goal_steps": _Rule(110, 500, 3_000, 15_000),
    "goal_calories_burn": _Rule(105, 50, 800, 5_000),
    "goal_azm": _Rule(110, 5, 10, 90),
}


def goal_faults(case: Case, tally: Counter[str]) -> Iterator[str]:
    """Yield goals that do not follow as documented from the days that were recorded."""
    window, profiles = window_of(case), rows_by_id(case.record, "profile")
    profile = profiles.get("profile")
    if window is None or profile is None:
        return
    for field, wanted in _daily(window, recorded=set(rows_by_id(case.record, "wearable_days"))).items():
        tally["daily"] += 1
        if profile[field] != wanted:
            yield f"{field} is {profile[field]}, the user's own days give {wanted}"
    for source, plan in rows_by_id(case.record, "activity_plans").items():
        for field, step in _WEEKLY_STEPS.items():
            weekly, daily = plan[field], cast("int", profile[f"goal_{field}"])
            if weekly is None:
                continue
            tally["weekly"] += 1
            low, high = (max(step, _to_step(7 * daily * percent, 100 * step) * step) for percent in (_LEAST, _MOST))
            if not low <= cast("int", weekly) <= high or cast("int", weekly) % step:
                yield f"the weekly goal {field} of {source} is {weekly}, seven daily goals are {7 * daily}"


def _daily(window: Window, recorded: set[str]) -> dict[str, int]:
    """Return the goals that follow from the days before today; none when too few of them count."""
    worn = (window.series["heart_rate"] > 0).sum(axis=1)
    counts = [n for n, day in enumerate(window.days[:-1]) if day in recorded and worn[n] >= _WORN]
    if len(counts) < _DAYS or window.minutes <= MINUTES:
        return {}
    usual = {
        "goal_steps": _lower_median(window.series["steps"][counts].sum(axis=1).tolist()),
        "goal_calories_burn": _lower_median(window.series["calories"][counts].sum(axis=1).tolist()) // 100,
        "goal_azm": _to_step(int((window.series["intensity"][counts] >= 2).sum()), len(counts)),
    }
    return {field: _raised(value, _RULES[field]) for field, value in usual.items()}


def _lower_median(values: list[int]) -> int:
    return int(np.sort(np.array(values))[(len(values) - 1) // 2])


def _raised(usual: int, rule: _Rule) -> int:
    whole, rest = divmod(usual * rule.percent, 100 * rule.step)
    return max(rule.least, min(rule.most, (whole + (rest > 0)) * rule.step))


def _to_step(numerator: int, denominator: int) -> int:
    """Return a quotient rounded half up."""
    quotient, rest = divmod(numerator, denominator)
    return quotient + (2 * rest >= denominator)
