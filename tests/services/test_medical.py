"""The medical assistant: discovery and gates, slots and conflicts, fees and refunds, profile and care plans."""

from __future__ import annotations

from typing import Any

import pytest

from schemas.base import Json
from services.medical.calendar import REFUNDS
from services.runtime.environment import Environment
from tests.services import sample
from tests.services.refusals.medical import BOOK, both, pending, taken
from tests.services.sample import code_of, done, refused


def cancel(env: Environment, key: str = "appt") -> dict[str, Json]:
    env.confirm("med-cancel_appointment", {"appointment_id": key})
    return done(env, "med-cancel_appointment", appointment_id=key)


def booked(env: Environment, **changes: Json) -> dict[str, Json]:
    return done(env, "med-create_appointment", **{**BOOK, **changes})


def statuses(env: Environment, kind: str = "appointments") -> dict[str, str]:
    found: Any = done(env, "med-get_resources", resource_type="appointments")[kind]
    return {one["date"]: one["status"] for one in found}


def test_the_tools_are_there_after_their_discovery_alone() -> None:
    env = sample.medical()
    env.session = type(env.session)()
    before = {entry["function"]["name"] for entry in env.tools()}  # type: ignore[index, call-overload]
    assert refused(env, "med-get_user_profile") == "TOOL_NOT_AVAILABLE"
    found: Any = done(env, "get_med_features")["tools"]
    names = {entry["function"]["name"] for entry in found}
    assert len(names) == 6 and all(name.startswith("med-") for name in names)
    after = {entry["function"]["name"] for entry in env.tools()}  # type: ignore[index, call-overload]
    assert after - before == names
    assert "error" not in env.call("med-get_user_profile")


@pytest.mark.parametrize(
    ("last_day", "allowed", "code"),
    [
        (None, True, "SUBSCRIPTION_REQUIRED"),
        ("2025-06-09", True, "SUBSCRIPTION_REQUIRED"),
        ("2025-06-10", False, "PERMISSION_DENIED"),
        ("2025-06-10", True, ""),
    ],
)
def test_defect_D19_a_membership_that_has_ended_opens_nothing(last_day: str | None, allowed: bool, code: str) -> None:
    env = sample.environment(
        membership=sample.member_until(last_day), permissions=sample.permissions(med_assistant=allowed)
    )
    assert code_of(env.call("get_med_features")) == code


def test_a_member_by_payment_gets_in_and_a_permission_taken_back_closes_every_tool() -> None:
    env = sample.medical(membership=sample.member_until("2025-06-09"))
    request = done(env, "upgrade_membership_request", vip_duration="1_month")
    assert code_of(env.call("med-get_provider_list")) == "SUBSCRIPTION_REQUIRED"
    done(env, "authorize_checkout", "user", transaction_id=request["transaction_id"])
    done(env, "med-get_provider_list")
    done(env, "set_med_assistant_permission", "user", allow=False)
    error: Any = env.call("med-get_provider_list")["error"]
    assert (error["code"], error["gate"], error["permission"]) == ("PERMISSION_DENIED", "MED", "allow_med_assistant")


# D25: appointments had no calendar, and cancelling a paid one refunded nothing.


def test_defect_D25_providers_show_hours_fees_and_free_slots() -> None:
    env = sample.medical(taken_slots=taken("2025-06-10", "13:15", "14:00"))
    first, second = done(env, "med-get_provider_list")["providers"]  # type: ignore[misc]
    assert first["next_free"] == [  # type: ignore[index, call-overload]
        {"date": "2025-06-10", "time": "13:00"},
        {"date": "2025-06-10", "time": "14:00"},
        {"date": "2025-06-10", "time": "14:15"},
    ]
    assert first["taken"] == [{"date": "2025-06-10", "time": "13:15", "until": "14:00"}]  # type: ignore[index, call-overload]
    assert first["opening_hours"][1] == {"weekday": "Tue", "opens": "08:00", "closes": "12:00"}  # type: ignore[index, call-overload]
    assert (second["slot_minutes"], second["fee_per_slot"]) == (30, 45.01)  # type: ignore[index, call-overload]
    assert second["next_free"][0] == {"date": "2025-06-11", "time": "09:00"}  # type: ignore[index, call-overload]
    for slot in first["next_free"]:  # type: ignore[index, call-overload, union-attr]
        booked(sample.medical(taken_slots=taken("2025-06-10", "13:15", "14:00")), **slot)


def test_defect_D25_a_slot_is_had_once() -> None:
    env = sample.medical()
    first = booked(env, duration=30)
    assert (first["fee"], first["final_total"], first["status"]) == (40, 40, "pending")
    assert refused(env, "med-create_appointment", **{**BOOK, "time": "09:15"}) == "APPOINTMENT_CONFLICT"
    booked(env, time="09:30")
    done(env, "authorize_checkout", "user", transaction_id=first["transaction_id"])
    assert refused(env, "med-create_appointment", **BOOK) == "APPOINTMENT_CONFLICT"
    error: Any = sample.medical(taken_slots=taken("2025-06-12", "09:00", "09:15")).call("med-create_appointment", BOOK)[
        "error"
    ]
    assert "09:00" not in error["free"] and error["free"][:5] == ["08:00", "08:15", "08:30", "08:45", "09:15"]


def test_defect_D25_an_unpaid_appointment_holds_its_slot_for_a_day_and_no_longer() -> None:
    fresh = pending("2025-06-12", "09:00", "09:15")
    assert refused(sample.medical(**fresh), "med-create_appointment", **BOOK) == "APPOINTMENT_CONFLICT"
    stale = sample.appointment(
        "appt", "2025-06-12", "09:00", "09:15", status="pending", created_at="2025-06-09T11:59:59"
    )
    env = sample.medical(**stale)
    booked(env)
    assert refused(env, "authorize_checkout", "user", transaction_id="tx_appt") == "TRANSACTION_EXPIRED"


def test_defect_D25_the_fee_is_paid_once_and_confirms_the_appointment() -> None:
    env = sample.medical(wallet=sample.wallet(3000))
    made = booked(env, duration=30)
    error: Any = env.call("authorize_checkout", {"transaction_id": made["transaction_id"]}, "user")["error"]
    assert (error["code"], error["total"]) == ("INSUFFICIENT_BALANCE", 40)
    done(env, "top_up_wallet", "user", amount=10)
    paid = done(env, "authorize_checkout", "user", transaction_id=made["transaction_id"])
    assert (paid["paid"], paid["balance"]) == (40, 0)
    assert statuses(env) == {"2025-06-12": "confirmed"}
    again = env.call("authorize_checkout", {"transaction_id": made["transaction_id"]}, "user")
    assert code_of(again) == "TRANSACTION_NOT_PENDING"


@pytest.mark.parametrize(
    ("date", "time", "refund"),
    [
        ("2025-06-12", "12:00", 20),  # 48 hours ahead to the minute
        ("2025-06-12", "11:45", 10),
        ("2025-06-11", "12:00", 10),  # 24 hours ahead
        ("2025-06-11", "11:45", 0),
        ("2025-06-10", "13:00", 0),
    ],
)
def test_defect_D25_what_comes_back_depends_on_how_early_it_is_cancelled(date: str, time: str, refund: int) -> None:
    end = f"{int(time[:2]) + 1}:{time[3:]}"
    env = sample.medical(**sample.appointment("appt", date, time, end), wallet=sample.wallet(500))
    assert cancel(env) == {"appointment_id": "appt", "status": "cancelled", "refund": refund, "balance": 5 + refund}
    assert statuses(env) == {date: "cancelled"}
    entries = [after for _, after in env.delta().get("ledger", {}).values() if after]
    moved = [(entry["kind"], entry["amount_cents"]) for entry in entries]
    assert moved == ([("refund", 100 * refund)] if refund else [])
    transactions: Any = done(env, "get_transactions")["transactions"]
    assert (transactions[0]["status"], transactions[0]["refunded"]) == ("completed", refund)
    assert list(REFUNDS) == [(48, 100), (24, 50)]


def test_defect_D25_half_a_cent_is_given_back_whole() -> None:
    appointment = sample.appointment("appt", "2025-06-11", "15:00", "15:30", fee_cents=4501)
    assert cancel(sample.medical(**appointment))["refund"] == 22.51


def test_defect_D25_an_unpaid_appointment_is_cancelled_with_its_transaction() -> None:
    env = sample.medical(**pending("2025-06-12", "09:00", "09:15"))
    assert cancel(env)["refund"] == 0
    assert refused(env, "authorize_checkout", "user", transaction_id="tx_appt") == "TRANSACTION_NOT_PENDING"
    booked(env)  # the slot is free again


def test_defect_D25_an_appointment_that_has_begun_is_neither_paid_nor_cancelled() -> None:
    env = sample.medical(**pending("2025-06-10", "12:00", "12:15"))
    assert refused(env, "authorize_checkout", "user", transaction_id="tx_appt") == "APPOINTMENT_PAST"
    env.confirm("med-cancel_appointment", {"appointment_id": "appt"})
    assert refused(env, "med-cancel_appointment", appointment_id="appt") == "APPOINTMENT_PAST"


def test_defect_D22_an_appointment_in_1999_lasting_100000_minutes_is_refused() -> None:
    env = sample.medical()
    assert refused(env, "med-create_appointment", **{**BOOK, "date": "1999-01-04"}) == "IN_PAST"
    assert refused(env, "med-create_appointment", **{**BOOK, "duration": 100_000}) == "INVALID_DURATION"


def test_transactions_tell_of_an_appointment_no_more_than_its_id() -> None:
    env = sample.environment(**sample.appointment("appt", "2025-06-12", "09:00", "09:30"))
    (row,) = done(env, "get_transactions")["transactions"]  # type: ignore[misc]
    assert (row["type"], row["appointment_id"]) == ("appointment", "appt")  # type: ignore[index, call-overload]
    assert not {"Check-up", "prov_01", "2025-06-12", "09:00"} & set(map(str, row.values()))  # type: ignore[union-attr]


def test_the_medical_profile_changes_apart_from_the_account() -> None:
    env = sample.medical()
    env.confirm("med-update_user_profile", {"basic_info": {"age": 42}, "health_risks": []})
    changed = done(env, "med-update_user_profile", basic_info={"age": 42}, health_risks=[])
    assert changed == {
        "basic_info": {"name": "Ines Halloran", "age": 42, "gender": "female"},
        "health_risks": [],
        "dietary_restrictions": ["gluten_free", "low_sodium"],
    }
    assert done(env, "med-get_user_profile") == changed
    profile: Any = done(env, "get_user_profile")
    assert profile["basic_info"]["age"] == 41


def test_appointments_and_care_plans_are_listed_in_order() -> None:
    tables = both(
        sample.appointment("b", "2025-06-20", "09:00", "09:15"), sample.appointment("a", "2025-06-12", "10:00", "10:15")
    )
    plans: list[sample.Row] = [
        {
            "id": f"care_{day}",
            "provider_id": "prov_01",
            "created_at": f"2025-05-{day}T10:00:00",
            "topics": ["activity"],
            "text": "At least 8,000 steps a day.",
            "rule_metric": "steps",
            "rule_comparison": "at_least",
            "rule_value": 8000,
            "rule_period": "day",
        }
        for day in (21, 14)
    ]
    env = sample.medical(**tables, care_plans=plans)
    assert list(statuses(env)) == ["2025-06-12", "2025-06-20"]
    listed: Any = done(env, "med-get_resources", resource_type="care_plans")["care_plans"]
    assert [one["plan_id"] for one in listed] == ["care_14", "care_21"]
    assert listed[0]["rule"]["unit"] == "steps"
