"""Goals derived from a person's own days, as documented."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from generators.environments.wearables.physiology.goals import AZM, STEPS, DayTotals, Scale, own_goals, raised

TODAY = "2026-03-17"


def days(*steps: int, worn: int = 900) -> list[DayTotals]:
    return [DayTotals(f"2026-03-{day:02d}", worn, count, 231_999, day, 20_100) for day, count in enumerate(steps, 1)]


def test_a_goal_is_a_tenth_above_the_usual_day() -> None:
    goals = own_goals(days(4_000, 9_000, 7_100, 5_000, 20_000), TODAY)
    assert goals is not None
    # 7,100 x 1.1 = 7,810; mean of 1 to 5 is 3, at least 10; 2,319 x 1.05 = 2,434.95; 20,100 x 1.05 = 21,105.
    assert (goals.steps, goals.azm, goals.calories_burn, goals.mets) == (8_000, 10, 2_450, 21_500)


def test_of_two_middle_days_the_lower_counts() -> None:
    goals = own_goals(days(4_000, 9_000, 7_000, 5_000, 20_000, 1_000), TODAY)
    assert goals is not None
    assert goals.steps == 5_500


def test_today_and_days_hardly_worn_do_not_count() -> None:
    assert own_goals(days(4_000, 9_000, 7_100, 5_000), TODAY) is None
    assert own_goals(days(4_000, 9_000, 7_100, 5_000, 6_000, worn=599), TODAY) is None
    assert own_goals(days(4_000, 9_000, 7_100, 5_000, 6_000), "2026-03-05") is None


@given(st.integers(0, 60_000), st.sampled_from([STEPS, AZM]))
def test_a_goal_is_a_step_within_bounds_and_not_below_the_usual(usual: int, scale: Scale) -> None:
    goal = raised(usual, scale)
    assert scale.least <= goal <= scale.most
    assert goal % scale.step == 0
    assert goal >= min(usual, scale.most)
    assert raised(usual + 1, scale) >= goal
