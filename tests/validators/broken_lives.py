"""Ways in which the records of daily life and care can break their invariants, one record at a time."""

from __future__ import annotations

from collections.abc import Callable

from schemas.environment import EnvironmentRecord
from tests.environments import Tables, environment, first

PLOT = {
    "id": "plot_0000000000",
    "start": "2025-01-01T00:00:00",
    "granularity": "day",
    "unit": None,
    "created_at": "2025-01-01T00:00:00",
}


def lived() -> EnvironmentRecord:
    """An environment with meals, sessions, reminders, care plans, and appointments, one of them refunded."""

    def has_all(record: EnvironmentRecord) -> bool:
        tables = record.tables
        confirmed = sum(row["status"] == "confirmed" for row in tables["appointments"])
        enough = min(len(tables[name]) for name in ("meals", "sessions")) >= 2 and confirmed >= 2
        return enough and all(tables[name] for name in ("reminders", "care_plans", "refunds", "notes"))

    return next(environment(i) for i in range(300) if has_all(environment(i)))


def same(table: str, field: str) -> Callable[[Tables], object]:
    """Give the second record of a table the value of the first."""
    return lambda t: t[table][1].update({field: t[table][0][field]})


def move_onto_another(t: Tables) -> None:
    one, other = [row for row in t["appointments"] if row["status"] == "confirmed"][:2]
    other.update({name: one[name] for name in ("date", "time", "end")})


def take(t: Tables) -> None:
    visit = first(t["appointments"], status="confirmed")
    t["taken_slots"][0].update({name: visit[name] for name in ("provider_id", "date", "time", "end")})


def refund_twice(t: Tables) -> None:
    t["refunds"].append({**t["refunds"][0], "id": "refund_zzzzzzzzzz"})


def refund_too_much(t: Tables) -> None:
    refund = t["refunds"][0]
    more = first(t["transactions"], id=refund["transaction_id"])["total_cents"] + 1
    first(t["ledger"], kind="refund", transaction_id=refund["transaction_id"]).update(amount_cents=more)
    refund.update(amount_cents=more)


INVARIANTS: dict[str, tuple[str, Callable[[Tables], object]]] = {
    "a meal of nothing": (
        "meals_have_items",
        lambda t: t["meal_items"].__setitem__(
            slice(None), [row for row in t["meal_items"] if row["meal_id"] != t["meals"][0]["id"]]
        ),
    ),
    "an item of no meal": ("meals_have_items", lambda t: t["meals"].pop()),
    "an amount of nothing": ("amounts_eaten", lambda t: t["meal_items"][0].update(amount_tenths=0)),
    "a barrel": ("amounts_eaten", lambda t: t["meal_items"][0].update(amount_tenths=50_001)),
    "two meals at once": ("meals_at_different_times", same("meals", "time")),
    "a session backwards": ("sessions_end", lambda t: t["sessions"][0].update(end=t["sessions"][0]["start"])),
    "two sessions begun at once": ("sessions_start_apart", same("sessions", "start")),
    "a reminder for never": ("reminders_have_days", lambda t: t["reminders"][0].update(repeat_days=[])),
    "a day twice": ("reminder_days_once", lambda t: t["reminders"][0].update(repeat_days=["Mon", "Mon"])),
    "a reminder of nothing": ("reminders_titled", lambda t: t["reminders"][0].update(title="")),
    "half a rule of a reminder": ("reminder_rules", lambda t: t["reminders"][0].update(rule_metric=None, rule_value=3)),
    "half a rule of a note": ("note_rules", lambda t: t["notes"][0].update(rule_metric=None, rule_value=3)),
    "half a rule of a plan": (
        "care_plan_rules",
        lambda t: t["care_plans"][0].update(rule_metric="steps", rule_period="night"),
    ),
    "a plot of nothing": ("plots_have_points", lambda t: t["plots"].append({**PLOT, "values_thousandths": []})),
    "a plot of too much": (
        "plots_have_points",
        lambda t: t["plots"].append({**PLOT, "values_thousandths": [1] * 1441}),
    ),
    "another fee": ("appointments_have_fees", lambda t: t["appointments"][0].update(fee_cents=1)),
    "two appointments for one fee": ("appointments_have_fees", same("appointments", "transaction_id")),
    "an appointment gone": ("appointments_have_fees", lambda t: t["appointments"].pop()),
    "confirmed and not paid": (
        "appointments_paid",
        lambda t: first(t["appointments"], status="confirmed").update(status="pending"),
    ),
    "two at once": ("appointments_apart", move_onto_another),
    "on somebody else's slot": ("appointments_apart", take),
    "no time at all": ("appointments_last", lambda t: t["appointments"][0].update(end=t["appointments"][0]["time"])),
    "no minutes": ("appointments_last", lambda t: t["appointments"][0].update(duration=0)),
    "two medical profiles": (
        "one_medical_profile",
        lambda t: t["med_profile"].append({**t["med_profile"][0], "id": "med_profile_2"}),
    ),
    "a refund that takes": ("ledger_signs", lambda t: first(t["ledger"], kind="refund").update(amount_cents=-5)),
    "a refund twice": ("refunded_once", refund_twice),
    "a refund of more than all": ("refunded_once", refund_too_much),
    "a refund ahead of its payment": ("refunded_once", lambda t: t["refunds"][0].update(at="2024-01-01T00:00:00")),
    "a refund that is not in the ledger": (
        "refunded_once",
        lambda t: first(t["ledger"], kind="refund").update(kind="payment"),
    ),
}
