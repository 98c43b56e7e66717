"""Appointments in every state: attended, to come, unpaid, lapsed, withdrawn, and cancelled with each kind of refund."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from generators.environments import odds
from generators.environments.medical.data import medical_data
from generators.environments.moments import DAY, iso_day, iso_time
from services.medical.calendar import REFUNDS
from services.medical.fees import APPOINTMENT_KIND
from services.medical.records import Appointment
from services.moments import clock_at
from services.payments.records import Refund, Transaction

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from generators.environments.medical.diary import Diary, Visit
    from generators.environments.seeder import SeedContext
    from services.medical.records import Provider
    from services.runtime.streams import Stream

State: TypeAlias = Literal[
    "past", "upcoming", "fresh", "lapsed", "withdrawn", "refunded_whole", "refunded_part", "not_refunded"
]
ONE_EACH: tuple[State, ...] = ("fresh", "lapsed", "withdrawn", "refunded_whole", "refunded_part", "not_refunded")
_HOUR = 3600
_REFUNDED_LEAD = 6
"""Days that an appointment which is cancelled later is made ahead at least, so that there is room to cancel it."""


@dataclass(slots=True)
class Made:
    """Records made so far."""

    appointments: list[Appointment] = field(default_factory=list[Appointment])
    transactions: list[Transaction] = field(default_factory=list[Transaction])
    refunds: list[Refund] = field(default_factory=list[Refund])


def draw_appointments(c: SeedContext, stream: Stream, diary: Diary, providers: Sequence[Provider]) -> Made:
    """Return the appointments of a person with these providers, with their transactions and refunds."""
    made = Made()
    for number, state in enumerate(_states(stream)):
        mine = stream.child(number)
        visit = _draw_visit(mine, diary, mine.choice(providers), state)
        if visit is not None:
            _add(c, mine, diary, made, visit, state)
    return made


def _states(stream: Stream) -> Iterator[State]:
    data = medical_data().appointments
    counts: tuple[tuple[State, list[tuple[int, tuple[int, int]]]], ...] = (
        ("past", data.past),
        ("upcoming", data.upcoming),
    )
    for state, options in counts:
        count = stream.between(*stream.weighted([(span, weight) for weight, span in options]))
        for _ in range(count):
            yield state
    for state in ONE_EACH:
        if stream.chance(getattr(data, state), 100):
            yield state


def _draw_visit(stream: Stream, diary: Diary, provider: Provider, state: State) -> Visit | None:
    data = medical_data().appointments
    ahead = state in {"upcoming", "fresh", "lapsed"}
    if ahead:
        days = (diary.today + data.ahead_days[0], diary.today + data.ahead_days[1])
    else:
        days = (max(diary.since + _REFUNDED_LEAD + 1, diary.today - data.past_days[1]), diary.today - data.past_days[0])
    if days[0] > days[1]:
        return None
    return diary.draw_visit(stream, provider, days, stream.weighted([(slots, weight) for weight, slots in data.slots]))


def _add(c: SeedContext, stream: Stream, diary: Diary, made: Made, visit: Visit, state: State) -> None:
    created = _created(stream, diary, visit, state)
    paid = state not in {"fresh", "lapsed", "withdrawn"}
    settled = diary.exactly(created + stream.between(*odds.PAYING_SECONDS)) if paid else None
    fee = visit.provider.fee_cents * ((visit.last - visit.first) // visit.provider.slot_minutes)
    transaction = Transaction(
        id=c.new_id("transactions"),
        kind=APPOINTMENT_KIND.name,
        status="completed" if paid else "cancelled" if state == "withdrawn" else "pending",
        subtotal_cents=fee,
        saving_cents=0,
        total_cents=fee,
        voucher_id=None,
        created_at=iso_time(created),
        settled_at=None if settled is None else iso_time(settled),
    )
    made.transactions.append(transaction)
    status: Literal["confirmed", "pending", "cancelled"] = (
        "confirmed" if state in {"past", "upcoming"} else "pending" if state in {"fresh", "lapsed"} else "cancelled"
    )
    if status != "cancelled":
        diary.mine.append(visit)
    made.appointments.append(
        Appointment(
            id=c.new_id("appointments"),
            provider_id=visit.provider.id,
            date=iso_day(visit.day),
            time=clock_at(visit.first),
            end=clock_at(visit.last),
            duration=visit.last - visit.first,
            reason=stream.choice(medical_data().appointments.reasons),
            status=status,
            transaction_id=transaction.id,
            fee_cents=fee,
            created_at=iso_time(created),
        )
    )
    percent = {"refunded_whole": REFUNDS[0][1], "refunded_part": REFUNDS[1][1]}.get(state, 0)
    if percent and settled is not None:
        first, last = _cancelled_within(visit, state)
        at = diary.moment(stream, max(settled + _HOUR, first), last)
        amount = (2 * fee * percent + 100) // 200
        made.refunds.append(
            Refund(id=c.new_id("refunds"), transaction_id=transaction.id, amount_cents=amount, at=iso_time(at))
        )


def _created(stream: Stream, diary: Diary, visit: Visit, state: State) -> int:
    """Return the moment at which an appointment was made."""
    data = medical_data().appointments
    if state == "fresh":
        youngest, oldest = data.fresh_age_minutes
        return diary.moment(stream, diary.now - 60 * oldest, diary.now - 60 * youngest)
    if state == "lapsed":
        day = diary.today - stream.between(*data.lapsed_age_days)
    else:
        least = data.lead_days[0] if state in {"past", "upcoming", "withdrawn"} else _REFUNDED_LEAD
        day = min(diary.today - 1, visit.day - stream.between(least, data.lead_days[1]))
    day = max(diary.since, day)
    return diary.moment(stream, day * DAY, (day + 1) * DAY - 1)


def _cancelled_within(visit: Visit, state: State) -> tuple[int, int]:
    """Return the first and the last moment at which cancelling brings back what the state says."""
    whole, part = (hours * _HOUR for hours, _ in REFUNDS)
    if state == "refunded_whole":
        return 0, visit.begins - whole
    return visit.begins - whole + 1, visit.begins - part
