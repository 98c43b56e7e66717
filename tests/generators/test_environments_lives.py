"""Meals, sessions, reminders, care plans and appointments of made users: consistent, and as varied as stated."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from itertools import pairwise
from typing import Any

import pytest

from generators.environments.advice import advice, draw_rule, fitting, said
from generators.environments.medical.data import medical_data
from generators.environments.records.foods import foods_by_role, listed_foods
from generators.environments.records.habits import MAIN, plates
from generators.environments.records.sessions import session_habits
from generators.environments.reminders import reminder_habits
from language import find
from language.terms import key
from schemas.profile_facts import DIETS, FOODS
from services import open_environment
from services.medical.calendar import MOST_SLOTS, REFUNDS
from services.moments import minutes_of
from services.records.meals import meal_type_at
from services.reminders.records import WEEKDAYS
from services.rules import METRICS, RULE_FIELDS, Rule
from services.runtime.streams import Stream
from tests.effort import amount
from tests.environments import Rows, environment, person, world
from tests.nonempty import nonempty

COUNT = amount(100, 200)
SAMPLE = tuple(range(COUNT))
FOOD_BY_ID: dict[str, Any] = {str(row["id"]): row for row in world().tables["foods"]}
PROVIDERS: dict[str, Any] = {str(row["id"]): row for row in world().tables["providers"]}


def rows(index: int, table: str) -> Rows:
    return environment(index).tables[table]


# --- foods and meals ---------------------------------------------------------------------------------------------


def test_the_table_of_foods_knows_what_people_like() -> None:
    foods = {key(one.food.name): one.food for one in listed_foods()}
    assert len(foods) == len(listed_foods())  # no two read alike
    for name, contents in FOODS.items():
        assert foods[key(name)].contents == tuple(sorted(contents)), name


def test_every_role_on_a_plate_has_foods_and_every_food_a_role() -> None:
    wanted = {role.removesuffix("?") for listed in plates().plates.values() for _, roles in listed for role in roles}
    assert wanted == set(foods_by_role())


def test_meals_keep_to_the_diet() -> None:
    eaten = Counter[bool]()
    for index in SAMPLE:
        forbidden = {content for diet in person(index).dietary_restrictions for content in DIETS[diet]}
        for item in rows(index, "meal_items"):
            assert forbidden.isdisjoint(FOOD_BY_ID[item["food_id"]]["contents"])
            eaten[bool(forbidden)] += 1
    assert min(eaten[True], eaten[False]) > 2000


def test_liked_foods_are_eaten_more_often() -> None:
    shares: list[tuple[int, int]] = []
    for food in ("Greek yogurt", "Salmon", "Oatmeal", "Pasta"):
        likes = [i for i in SAMPLE if key(food) in {key(one) for one in person(i).preferences.food}]
        others = [i for i in SAMPLE if i not in likes]
        hits = [
            sum(key(FOOD_BY_ID[item["food_id"]]["name"]) == key(food) for i in group for item in rows(i, "meal_items"))
            for group in (likes, others)
        ]
        shares.append((hits[0] * len(others), hits[1] * len(likes)))
    assert sum(one for one, _ in shares) > 1.3 * sum(other for _, other in shares)


def test_a_meal_counts_as_its_time_says_and_no_two_share_one() -> None:
    for index in SAMPLE:
        meals = rows(index, "meals")
        assert all(meal["meal_type"] == meal_type_at(meal["time"]) for meal in meals)
        assert len({meal["time"] for meal in meals}) == len(meals)
        days = Counter((meal["time"][:10], meal["meal_type"]) for meal in meals)
        assert max(days.values(), default=1) == 1


def test_loggers_are_as_diligent_as_stated() -> None:
    """Meals a day over the window: none, few and nearly all, in the stated shares."""
    logged = Counter[str]()
    for index in SAMPLE:
        main = sum(meal["meal_type"] in MAIN for meal in rows(index, "meals"))
        logged["never" if main == 0 else "seldom" if main < 40 else "often" if main < 75 else "always"] += 1
    weights = {one.name: one.weight for one in plates().loggers}
    assert sum(weights.values()) == 100
    assert abs(logged["never"] - COUNT * weights["never"] / 100) <= 14
    assert logged["always"] > 0.2 * COUNT
    assert logged["seldom"] > 0.15 * COUNT
    assert logged["often"] > 0.2 * COUNT


def test_what_is_eaten_on_a_whole_day_comes_near_the_goal() -> None:
    ratios: list[float] = []
    for index in SAMPLE[:60]:
        env = open_environment(environment(index), world())
        goal = person(index).daily_goal.calories_intake
        now = environment(index).now
        first = (dt.date.fromisoformat(now[:10]) - dt.timedelta(days=29)).isoformat()
        meals: Any = env.call("get_meal_records", {"start_date": first, "end_date": now[:10]})["meals"]
        by_day: dict[str, list[dict[str, Any]]] = {}
        for meal in meals:
            by_day.setdefault(meal["time"][:10], []).append(meal)
        ratios += [
            sum(meal["total_calories"] for meal in listed) / goal
            for listed in by_day.values()
            if {meal["meal_type"] for meal in listed} >= set(MAIN)
        ]
    assert len(ratios) > 400
    ratios.sort()
    assert 0.75 < ratios[len(ratios) // 2] < 1.15
    assert ratios[len(ratios) // 20] > 0.45
    assert ratios[-len(ratios) // 20] < 1.7


def test_portions_are_what_a_person_eats() -> None:
    for index in SAMPLE:
        for item in rows(index, "meal_items"):
            food = FOOD_BY_ID[item["food_id"]]
            assert 10 <= item["amount_tenths"] <= 9000
            assert item["amount_tenths"] % (50 if food["piece"] >= plates().fine_below else 10) == 0


# --- sessions and reminders --------------------------------------------------------------------------------------


def test_sessions_are_of_few_kinds_and_never_overlap() -> None:
    counts = Counter[int]()
    for index in SAMPLE:
        sessions = sorted(rows(index, "sessions"), key=lambda row: row["start"])
        counts[len(sessions)] += 1
        assert all(one["end"] <= other["start"] for one, other in pairwise(sessions))
        kinds = {row["session_type"] for row in sessions}
        assert len(kinds) <= session_habits().kinds_of_a_person[1]
        for row in sessions:
            (kind,) = [one for one in session_habits().kinds if one.name == row["session_type"]]
            lasted = dt.datetime.fromisoformat(row["end"]) - dt.datetime.fromisoformat(row["start"])
            assert kind.minutes[0] <= lasted.total_seconds() / 60 <= kind.minutes[1]
            assert kind.ages[0] <= person(index).age <= kind.ages[1]
            assert row["note"] is None or row["note"] in kind.notes
    assert counts[0] > 0.12 * COUNT
    assert sum(n for count, n in counts.items() if count >= 13) > 0.12 * COUNT


def test_reminders_are_validated_and_some_state_a_rule() -> None:
    ruled = Counter[bool]()
    for index in SAMPLE:
        reminders = rows(index, "reminders")
        assert len({row["title"] for row in reminders}) == len(reminders)
        for row in reminders:
            assert row["repeat_days"] == [day for day in WEEKDAYS if day in row["repeat_days"]]
            assert row["repeat_days"] in [list(days) for _, days in reminder_habits().repeats]
            ruled[row["rule_metric"] is not None] += 1
            if row["rule_metric"]:
                assert [m.value for m in find("count", row["title"])] == [row["rule_value"]], row["title"]
    assert 0.2 < ruled[True] / ruled.total() < 0.4


# --- care --------------------------------------------------------------------------------------------------------


def test_every_form_states_its_value_and_no_other_number() -> None:
    stream = Stream(5, "advice")
    for form in advice().rules:
        assert form.period in METRICS[form.metric].periods
        for voice in ("plan", "reminder", "note"):
            for number in range(40):
                mine = stream.child(form.metric, form.comparison, form.period, voice, number)
                rule = draw_rule(mine, form, person(number))
                text = said(mine, form, rule, voice)  # type: ignore[arg-type]
                assert [m.value for m in find("count", text)] == [rule.value], text
                assert not find("money_cents", text)
    for texts in (*advice().openings.values(), advice().closings, [plain.text for plain in advice().plain_plans]):
        assert not [text for text in texts if find("count", text)]


def test_defect_D29_every_text_speaks_of_kilocalories_as_the_data_do() -> None:
    texts = [text for form in advice().rules for text in (*form.plan, *form.reminder, *form.note)]
    assert not [text for text in texts if "kJ" in text or "joule" in text.lower()]
    for form in advice().rules:
        unit = METRICS[form.metric].unit
        if unit in {"kcal", "g", "mg"}:
            assert all(f"{{value}} {unit} " in f"{text.rstrip('.,!')} " for text in (*form.plan, *form.note)), form


def test_defect_D61_care_plans_and_notes_can_be_told_apart_by_their_time() -> None:
    plans = notes_on_days = notes = 0
    for index in SAMPLE:
        written = rows(index, "care_plans")
        assert len({row["created_at"][:10] for row in written}) == len(written)
        assert len({row["text"] for row in written}) == len(written)
        times = [row["time"] for row in rows(index, "notes")]
        assert len(set(times)) == len(times)
        plans += len(written)
        notes += len(times)
        notes_on_days += len({time[:10] for time in times})
    assert plans > COUNT
    # The few notes that share a day have texts and hours of their own.
    assert notes_on_days > 0.85 * notes
    clocks = Counter(row["created_at"][11:] for index in SAMPLE for row in rows(index, "care_plans"))
    assert max(clocks.values()) < plans / 10


def test_care_plans_state_the_rule_beside_them() -> None:
    seen = Counter[str]()
    for index in SAMPLE:
        risks = person(index).medical_view.health_risks
        offered = {(form.metric, form.comparison, form.period) for form, _ in fitting(risks)}
        for row in rows(index, "care_plans"):
            seen[str(row["rule_metric"])] += 1
            if row["rule_metric"] is None:
                assert row["text"] in {plain.text for plain in advice().plain_plans}
                assert not find("count", row["text"])
                continue
            rule = Rule(*(row[name] for name in RULE_FIELDS))
            assert (rule.metric, rule.comparison, rule.period) in offered
            assert [m.value for m in find("count", row["text"])] == [rule.value], row["text"]
    assert {metric for metric in METRICS if metric not in seen} == set()
    assert 0.1 < seen["None"] / seen.total() < 0.3


def test_some_notes_state_a_rule_and_hold_it() -> None:
    counts = Counter[int]()
    for index in SAMPLE:
        ruled = [row for row in rows(index, "notes") if row["rule_metric"] is not None]
        counts[len(ruled)] += 1
        for row in ruled:
            assert [m.value for m in find("count", row["text"])] == [row["rule_value"]], row["text"]
    assert set(counts) == {0, 1, 2}
    assert 0.3 * COUNT < counts[0] < 0.6 * COUNT


def test_providers_differ_and_are_open() -> None:
    assert len(PROVIDERS) == medical_data().providers.count
    for field in ("doctor", "clinic", "address"):
        assert len({row[field] for row in PROVIDERS.values()}) == len(PROVIDERS)
    hours: dict[str, list[Any]] = {}
    for row in world().tables["opening_hours"]:
        hours.setdefault(str(row["provider_id"]), []).append(row)
    assert set(hours) == set(PROVIDERS)
    for key_, listed in hours.items():
        for row in listed:
            assert (minutes_of(row["closes"]) - minutes_of(row["opens"])) % PROVIDERS[key_]["slot_minutes"] == 0


def is_a_slot(row: dict[str, Any]) -> bool:
    """Whether an appointment or taken slot lies on the grid of its provider's opening hours."""
    weekday = WEEKDAYS[dt.date.fromisoformat(row["date"]).weekday()]
    slot = PROVIDERS[row["provider_id"]]["slot_minutes"]
    return any(
        hours["provider_id"] == row["provider_id"]
        and hours["weekday"] == weekday
        and str(hours["opens"]) <= row["time"]
        and row["end"] <= str(hours["closes"])
        and (minutes_of(row["time"]) - minutes_of(str(hours["opens"]))) % slot == 0
        for hours in world().tables["opening_hours"]
    )


def test_defect_D25_made_appointments_lie_in_slots_and_were_paid() -> None:
    for index in SAMPLE:
        transactions = {row["id"]: row for row in rows(index, "transactions")}
        for row in rows(index, "appointments"):
            assert is_a_slot(row), row
            slot = PROVIDERS[row["provider_id"]]["slot_minutes"]
            assert row["duration"] == minutes_of(row["end"]) - minutes_of(row["time"])
            assert 1 <= row["duration"] // slot <= MOST_SLOTS
            fee = transactions[row["transaction_id"]]
            assert fee["total_cents"] == row["fee_cents"]
            assert row["fee_cents"] == PROVIDERS[row["provider_id"]]["fee_cents"] * row["duration"] // slot
            assert row["created_at"] == fee["created_at"] < f"{row['date']}T{row['time']}:00"
        assert all(is_a_slot(row) for row in rows(index, "taken_slots"))


def test_there_are_appointments_in_every_state() -> None:
    states = Counter[str]()
    for index in SAMPLE:
        now = environment(index).now
        transactions = {row["id"]: row for row in rows(index, "transactions")}
        refunds = {row["transaction_id"]: row for row in rows(index, "refunds")}
        for row in rows(index, "appointments"):
            fee, ahead = transactions[row["transaction_id"]], f"{row['date']}T{row['time']}:00" > now
            age = dt.datetime.fromisoformat(now) - dt.datetime.fromisoformat(row["created_at"])
            refund = refunds.get(row["transaction_id"])
            if row["status"] == "confirmed":
                states["upcoming" if ahead else "past"] += 1
            elif row["status"] == "pending":
                assert ahead
                states["fresh" if age < dt.timedelta(hours=24) else "lapsed"] += 1
            elif fee["status"] == "cancelled":
                states["withdrawn"] += 1
            elif refund is None:
                states["not_refunded"] += 1
            else:
                left = dt.datetime.fromisoformat(f"{row['date']}T{row['time']}:00")
                hours = (left - dt.datetime.fromisoformat(refund["at"])) / dt.timedelta(hours=1)
                percent = next(share for least, share in REFUNDS if hours >= least)
                assert refund["amount_cents"] == (2 * row["fee_cents"] * percent + 100) // 200
                assert fee["settled_at"] < refund["at"] < now
                states["refunded_whole" if percent == 100 else "refunded_part"] += 1
    assert set(states) == {
        "past",
        "upcoming",
        "fresh",
        "lapsed",
        "withdrawn",
        "refunded_whole",
        "refunded_part",
        "not_refunded",
    }
    data = medical_data().appointments
    for state in ("fresh", "lapsed", "withdrawn", "refunded_whole", "refunded_part", "not_refunded"):
        assert states[state] >= 0.4 * COUNT * getattr(data, state) / 100
    assert states["past"] > COUNT


def test_unpaid_appointments_can_be_paid_unless_they_have_lapsed() -> None:
    codes = Counter[str]()
    for index in SAMPLE[:100]:
        env = open_environment(environment(index), world())
        env.call("top_up_wallet", {"amount": 10_000}, side="user")
        for row in rows(index, "appointments"):
            if row["status"] == "pending":
                result: Any = env.call("authorize_checkout", {"transaction_id": row["transaction_id"]}, side="user")
                codes[result.get("error", {}).get("code", "")] += 1
    assert set(codes) == {"", "TRANSACTION_EXPIRED"}


@pytest.mark.parametrize("table", ["meals", "sessions", "care_plans", "appointments"])
def test_defect_D28_no_record_of_a_made_user_is_of_a_time_to_come(table: str) -> None:
    fields = {"meals": "time", "sessions": "end", "care_plans": "created_at", "appointments": "created_at"}
    found = nonempty((row[fields[table]], environment(i).now) for i in SAMPLE for row in rows(i, table))
    assert all(time <= now for time, now in found)


def test_the_medical_profile_is_the_medical_view() -> None:
    for index in SAMPLE[::10]:
        (record,) = rows(index, "med_profile")
        view = person(index).medical_view
        assert record["health_risks"] == view.health_risks
        assert record["dietary_restrictions"] == view.dietary_restrictions
        assert set(record["health_risks"]) >= set(person(index).health_risks)
