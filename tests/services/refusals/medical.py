"""Refusals of the medical assistant, and of paying for appointments."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from schemas.base import Json
from services.runtime.environment import Environment
from tests.services import sample
from tests.services.refusals import Case, made

TOOLS = (
    "get_med_features",
    "med-get_user_profile",
    "med-update_user_profile",
    "med-get_provider_list",
    "med-get_resources",
    "med-create_appointment",
    "med-cancel_appointment",
)
ARGUMENTS: dict[str, dict[str, Json]] = {
    "med-update_user_profile": {"health_risks": []},
    "med-get_resources": {"resource_type": "appointments"},
    "med-cancel_appointment": {"appointment_id": "appt"},
}
BOOK: dict[str, Any] = {
    "provider_id": "prov_01",
    "date": "2025-06-12",
    "time": "09:00",
    "duration": 15,
    "reason": "Check-up",
}
ARGUMENTS["med-create_appointment"] = BOOK
CANCEL: dict[str, Json] = {"appointment_id": "appt"}
MEMBER = sample.member_until("2025-06-10")
THURSDAY = ("2025-06-12", "09:00", "09:30")


def opened(**tables: list[sample.Row]) -> Callable[[], Environment]:
    """Return a maker of environments in which the medical tools can be used."""
    return lambda: sample.medical(sample.NOW, **tables)


def taken(date: str, time: str, end: str, provider: str = "prov_01") -> list[sample.Row]:
    """Return a slot that somebody else has."""
    return [{"id": "taken_1", "provider_id": provider, "date": date, "time": time, "end": end}]


def pending(date: str, time: str, end: str, **fields: Json) -> dict[str, list[sample.Row]]:
    """Return an appointment whose fee can be paid."""
    return sample.appointment("appt", date, time, end, status="pending", created_at="2025-06-10T11:00:00", **fields)


def both(*parts: dict[str, list[sample.Row]]) -> dict[str, list[sample.Row]]:
    """Return the tables of several parts together."""
    return {name: [row for part in parts for row in part.get(name, [])] for part in parts for name in part}


CASES = [
    *(
        case
        for tool in TOOLS
        for case in (
            Case(tool, "SUBSCRIPTION_REQUIRED", ARGUMENTS.get(tool, {}), opened(membership=sample.member_until(None))),
            Case(
                tool,
                "SUBSCRIPTION_REQUIRED",
                ARGUMENTS.get(tool, {}),
                opened(membership=sample.member_until("2025-06-09")),
            ),
            Case(tool, "PERMISSION_DENIED", ARGUMENTS.get(tool, {}), opened(permissions=sample.permissions())),
        )
    ),
    Case("med-get_user_profile", "MED_PROFILE_NOT_FOUND", {}, opened(med_profile=[])),
    Case("med-update_user_profile", "MED_PROFILE_NOT_FOUND", {"health_risks": []}, opened(med_profile=[])),
    Case("med-update_user_profile", "NOTHING_TO_UPDATE", {}, opened()),
    Case("med-update_user_profile", "NOTHING_TO_UPDATE", {"basic_info": {}}, opened()),
    *(
        Case("med-create_appointment", code, {**BOOK, **wrong}, opened())
        for code, wrong in (
            ("PROVIDER_NOT_FOUND", {"provider_id": "prov_99"}),
            ("REASON_EMPTY", {"reason": "\t"}),
            ("INVALID_DATE", {"date": "2025-06-31"}),
            ("INVALID_TIME", {"time": "9:00"}),
            ("INVALID_TIME", {"time": "24:00"}),
            ("INVALID_DURATION", {"duration": 0}),
            ("INVALID_DURATION", {"duration": -15}),
            ("INVALID_DURATION", {"duration": 20}),
            ("INVALID_DURATION", {"duration": 75}),
            ("INVALID_DURATION", {"duration": 100_000}),
            ("IN_PAST", {"date": "1999-06-10"}),
            ("IN_PAST", {"date": "2025-06-10", "time": "12:00"}),
            ("TOO_FAR_AHEAD", {"date": "2025-08-11"}),
            ("PROVIDER_CLOSED", {"date": "2025-06-14"}),
            ("PROVIDER_CLOSED", {"time": "07:45"}),
            ("PROVIDER_CLOSED", {"time": "11:45", "duration": 30}),
            ("PROVIDER_CLOSED", {"time": "23:45"}),
            ("NOT_A_SLOT", {"time": "09:10"}),
        )
    ),
    *(
        Case("med-create_appointment", "SLOT_TAKEN", {**BOOK, "duration": 60}, opened(taken_slots=taken(*slot)))
        for slot in (
            ("2025-06-12", "09:00", "10:00"),
            ("2025-06-12", "08:00", "09:15"),
            ("2025-06-12", "09:45", "11:00"),
            ("2025-06-12", "09:15", "09:30"),
        )
    ),
    Case("med-create_appointment", "APPOINTMENT_CONFLICT", BOOK, opened(**sample.appointment("appt", *THURSDAY))),
    Case("med-create_appointment", "APPOINTMENT_CONFLICT", BOOK, opened(**pending(*THURSDAY))),
    Case(
        "med-create_appointment",
        "APPOINTMENT_CONFLICT",
        BOOK,
        opened(**sample.appointment("appt", *THURSDAY, provider_id="prov_02")),
    ),
    Case("med-cancel_appointment", "APPOINTMENT_NOT_FOUND", CANCEL, opened()),
    Case(
        "med-cancel_appointment",
        "APPOINTMENT_CANCELLED",
        CANCEL,
        opened(**sample.appointment("appt", *THURSDAY, status="cancelled")),
    ),
    Case(
        "med-cancel_appointment",
        "APPOINTMENT_PAST",
        CANCEL,
        opened(**sample.appointment("appt", "2025-06-10", "11:00", "11:30")),
    ),
    Case(
        "med-cancel_appointment",
        "WALLET_NOT_FOUND",
        CANCEL,
        opened(**sample.appointment("appt", *THURSDAY), wallet=[]),
    ),
    Case(
        "authorize_checkout",
        "APPOINTMENT_PAST",
        {"transaction_id": "tx_appt"},
        made(**pending("2025-06-10", "11:30", "11:45")),
    ),
    Case(
        "authorize_checkout",
        "SLOT_TAKEN",
        {"transaction_id": "tx_appt"},
        made(**pending(*THURSDAY), taken_slots=taken(*THURSDAY)),
    ),
    Case(
        "authorize_checkout",
        "APPOINTMENT_CONFLICT",
        {"transaction_id": "tx_appt"},
        made(**both(pending(*THURSDAY), sample.appointment("other", *THURSDAY))),
    ),
]
