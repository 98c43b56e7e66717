"""Rules beside texts: their form, and that whether somebody kept one is worked out, by both engines alike."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas import goal as g
from schemas.base import Json
from services import open_environment
from services.medical.compliance import amounts, judged
from services.medical.records import CarePlan
from services.rules import COMPARISONS, METRICS, Comparison, Metric, Rule, compliance, is_kept, rule_of, with_rule
from services.runtime.algebra import compile_goal
from services.runtime.catalogue import installed_catalogue
from services.runtime.environment import Environment
from services.runtime.state import dump_tables
from tests.environments import environment, world
from tests.services import sample
from tests.services.refusals.medical import both
from validators.engine.database import open_database
from validators.engine.evaluate import evaluate_goal

CATALOGUE = installed_catalogue()
PLAN = CarePlan(id="care_1", provider_id="prov_01", created_at="2025-05-14T10:00:00", topics=(), text="x")


def goal_of(metric: Metric, period: str) -> g.Goal:
    """Return what asks for the days of the first care plan's rule, and how many of them kept it."""
    plan = g.Select(source=g.Table(table="care_plans", prefix="p"), where=of_metric(metric))
    comparison, value = (g.Node(name="plan", field=f"p.rule_{name}") for name in ("comparison", "value"))
    rows = judged(amounts(metric, cast("Any", period)), metric, comparison, value)
    total = g.Aggregate(fn="sum", source=g.NodeRows(name="days"), of=g.Col(name="kept"))
    return g.Goal(
        nodes=[
            g.NamedNode(name="plan", rows=g.Select(source=plan, order=[g.Order(key=g.Col(name="p.id"))], limit=1)),
            g.NamedNode(name="days", rows=rows),
            g.NamedNode(name="kept_days", scalar=total),
        ]
    )


def of_metric(metric: str) -> g.Test:
    return g.Test(fn="eq", left=g.Col(name="p.rule_metric"), right=g.Const(value=metric))


def by_both_engines(
    env: Environment, goal: g.Goal, tables: Mapping[str, Iterable[Mapping[str, Json]]]
) -> tuple[dict[str, int], int]:
    """Return which days kept the rule, and their number; both engines must say the same."""
    scope = compile_goal(goal)(env.state_, {}, env.now)
    direct = {row["period"]: row["kept"] for row in cast("Any", scope.nodes["days"])}
    database = open_database(CATALOGUE.tables, CATALOGUE.world_tables)
    database.load_world("w", tables)
    database.load_environment("e", dump_tables(env.state_))
    values = evaluate_goal(goal, {}, env.now, database, ["days"])
    assert {row["period"]: row["kept"] for row in values.rows["days"]} == direct
    assert values.scalars["kept_days"] == scope.nodes["kept_days"]
    return cast("dict[str, int]", direct), cast("int", scope.nodes["kept_days"])


def with_plan(comparison: Comparison, value: int, metric: Metric, period: str) -> Environment:
    plan = {
        "id": "care_1",
        "provider_id": "prov_01",
        "created_at": "2025-05-14T10:00:00",
        "topics": [],
        "text": "x",
        "rule_metric": metric,
        "rule_comparison": comparison,
        "rule_value": value,
        "rule_period": period,
    }
    eaten = both(
        sample.meal("m1", "2025-06-08T08:00:00", ("oatmeal", 2500)),  # 1.0 g of sugar
        sample.meal("m2", "2025-06-08T19:00:00", ("milk", 5000)),  # 24.5 g
        sample.meal("m3", "2025-06-09T08:00:00", ("milk", 4000)),  # 19.6 g
    )
    return sample.environment(**eaten, care_plans=[plan])


@pytest.mark.parametrize(
    ("comparison", "value", "kept"),
    [
        ("at_most", 26, {"2025-06-08": 1, "2025-06-09": 1}),
        ("at_most", 25, {"2025-06-08": 0, "2025-06-09": 1}),
        ("at_most", 19, {"2025-06-08": 0, "2025-06-09": 0}),
        ("at_least", 20, {"2025-06-08": 1, "2025-06-09": 0}),
        ("at_least", 25, {"2025-06-08": 1, "2025-06-09": 0}),
    ],
)
def test_defect_D65_compliance_with_a_care_plan_is_computable(
    comparison: Comparison, value: int, kept: dict[str, int]
) -> None:
    env = with_plan(comparison, value, "sugar", "day")
    found, total = by_both_engines(env, goal_of("sugar", "day"), sample.WORLD.tables)
    assert (found, total) == (kept, sum(kept.values()))
    rule = Rule("sugar", comparison, value, "day")
    by_hand = compliance(rule, {"2025-06-08": 255, "2025-06-09": 196, "2025-06-10": None})
    assert by_hand.kept == tuple(day for day, so in kept.items() if so)
    assert by_hand.broken == tuple(day for day, so in kept.items() if not so)
    assert by_hand.unknown == ("2025-06-10",)


def test_defect_D65_a_rule_on_breakfast_looks_at_breakfasts() -> None:
    # The helper calls every meal a breakfast; m2 is put right here.
    env = with_plan("at_most", 19, "sugar", "breakfast")
    record = env.state_.get("meals", "m2")
    assert record is not None
    env.state_.set("meals", "m2", type(record)(id="m2", time="2025-06-08T19:00:00", meal_type="dinner"))  # type: ignore[call-arg]
    found, _ = by_both_engines(env, goal_of("sugar", "breakfast"), sample.WORLD.tables)
    assert found == {"2025-06-08": 1, "2025-06-09": 0}


def test_defect_D65_every_made_rule_can_be_judged_from_the_records() -> None:
    judged_days, seen = 0, set[str]()
    for index in range(25):
        record = environment(index)
        env = open_environment(record, world())
        for plan in record.tables["care_plans"]:
            metric, period = plan["rule_metric"], plan["rule_period"]
            if metric in (None, "workout_minutes"):
                continue
            found, _ = by_both_engines(env, goal_of(cast("Metric", metric), str(period)), world().tables)
            judged_days += len(found)
            seen.add(str(metric))
    assert judged_days > 200
    assert len(seen) >= 8


@given(st.sampled_from(sorted(METRICS)), st.sampled_from(COMPARISONS), st.integers(1, 10_000), st.integers(0, 10**7))
def test_both_comparisons_hold_the_limit_itself(
    metric: Metric, comparison: Comparison, value: int, amount: int
) -> None:
    rule = Rule(metric, comparison, value, METRICS[metric].periods[0])
    assert is_kept(rule, value * METRICS[metric].scale)
    other = Rule(metric, "at_most" if comparison == "at_least" else "at_least", value, rule.period)
    both_kept = is_kept(rule, amount) and is_kept(other, amount)
    assert both_kept is (amount == value * METRICS[metric].scale)


def test_a_record_holds_a_whole_rule_or_none() -> None:
    rule = Rule("steps", "at_least", 8000, "day")
    assert rule_of(with_rule(PLAN, rule)) == rule
    assert rule_of(PLAN) is None and with_rule(with_rule(PLAN, rule), None) == PLAN


@pytest.mark.parametrize(
    "fields",
    [
        {"rule_metric": "steps"},
        {"rule_value": 8000},
        {"rule_metric": "steps", "rule_comparison": "at_least", "rule_value": 8000, "rule_period": "night"},
        {"rule_metric": "steps", "rule_comparison": "at_least", "rule_value": 0, "rule_period": "day"},
        {"rule_metric": "sleep", "rule_comparison": "at_least", "rule_value": 400},
    ],
)
def test_half_a_rule_breaks_an_invariant(fields: dict[str, Json]) -> None:
    env = with_plan("at_most", 26, "sugar", "day")
    assert "care_plan_rules" not in broken(env)
    plan: dict[str, Json] = {
        "id": "care_1",
        "provider_id": "prov_01",
        "created_at": "2025-05-14T10:00:00",
        "topics": [],
        "text": "x",
        **dict.fromkeys(("rule_metric", "rule_comparison", "rule_value", "rule_period")),
    }
    assert broken(sample.environment(care_plans=[{**plan, **fields}])) == ["care_plan_rules"]
    assert broken(sample.environment(care_plans=[plan])) == []


def test_defect_D65_a_note_may_hold_a_rule_and_shows_it() -> None:
    held = {"rule_metric": "sugar", "rule_comparison": "at_most", "rule_value": 50, "rule_period": "day"}
    notes: list[sample.Row] = [
        {"id": "note_1", "time": "2025-06-01T10:00:00", "text": "Sugar: at most 50 g a day.", **held},
        {"id": "note_2", "time": "2025-06-02T10:00:00", "text": "Tent is missing some pegs."},
    ]
    env = sample.environment(notes=notes, permissions=sample.permissions(user_notes=True))
    listed: Any = env.call("list_notes", {"start_date": "2025-06-01", "end_date": "2025-06-02"})["notes"]
    assert listed[0]["rule"] == {"metric": "sugar", "comparison": "at_most", "value": 50, "unit": "g", "period": "day"}
    assert "rule" not in listed[1]
    half = [{**notes[1], "rule_value": 3}]
    assert broken(sample.environment(notes=half)) == ["note_rules"]


def broken(env: Environment) -> list[str]:
    from services.runtime.algebra import NO_ROW, Scope, compile_pred

    scope = Scope(env.state_, env.now, {})
    return [name for name, one in CATALOGUE.invariants.items() if not compile_pred(one.holds)(NO_ROW, scope)]
