"""Seeds payments: a membership with what was paid for it, then ledger and wallet from all services' transactions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from generators.environments import odds
from generators.environments.moments import DAY, day_of, draw_waking, iso_day, iso_time, moment, unused
from generators.environments.seeder import Seeder, observed_times
from services.payments.checkout import MEMBERSHIP_DAYS, MEMBERSHIP_KIND, MEMBERSHIP_PRICE_CENTS
from services.payments.records import LedgerEntry, Membership, MembershipTerm, Refund, Transaction, Wallet

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.environments.odds import Duration
    from generators.environments.seeder import SeedContext
    from services.runtime.records import Record
    from services.runtime.streams import Stream

EARLIER_DURATIONS: tuple[Duration, ...] = ("1_month", "3_months")
Made = dict[str, "list[Record]"]


@dataclass(frozen=True, slots=True)
class Term:
    """One paid stretch of membership. Days are ordinals; it is valid from `first` through `first` + its length."""

    bought: int
    first: int
    duration: Duration

    @property
    def last(self) -> int:
        """The last valid day."""
        return self.first + MEMBERSHIP_DAYS[self.duration]


def draw_terms(stream: Stream, today: int, since: int) -> list[Term]:
    """Return the terms of a membership, oldest first; paying for each on its day leads to the end of the last one."""
    status = stream.weighted(odds.MEMBERSHIPS)
    starts = {duration: _starts(status, MEMBERSHIP_DAYS[duration], today, since) for duration, _ in odds.DURATIONS}
    options: list[tuple[Duration, int]] = [
        (duration, weight) for duration, weight in odds.DURATIONS if len(starts[duration])
    ]
    if not options:
        return []
    duration = stream.weighted(options)
    first = stream.choice(starts[duration])
    earlier = _draw_earlier(stream.child("earlier"), first, since)
    if earlier is None:
        return [Term(first, first, duration)]
    lead = stream.between(*odds.RENEWAL_LEAD_DAYS) if earlier.last == first else 0
    return [earlier, Term(first - lead, first, duration)]


def _starts(status: odds.MembershipStatus, days: int, today: int, since: int) -> range:
    """Return the days on which a term of `days` may begin so that it has this status today."""
    low, high = {
        "none": (today, today - 1),
        "valid": (today - days + 1, today - 1),
        "expired": (since, today - days - 1),
        "last_day": (today - days, today - days),
    }[status]
    return range(max(low, since), high + 1)


def _draw_earlier(stream: Stream, first: int, since: int) -> Term | None:
    """Return a term that ended on `first`, when the next one began, or some time before, if the records reach back."""
    if not stream.chance(odds.EARLIER_TERM, 100):
        return None
    gap = 0 if stream.chance(odds.RENEWED_IN_TIME, 100) else stream.between(*odds.LAPSE_DAYS)
    duration: Duration = stream.choice(EARLIER_DURATIONS)
    begun = first - gap - MEMBERSHIP_DAYS[duration]
    return Term(begun, begun, duration) if begun >= since else None


def membership_terms(tables: Mapping[str, Sequence[Record]]) -> list[Term]:
    """Return the paid terms that stand in `tables`, oldest first."""
    durations: dict[str, Duration] = {
        t.transaction_id: t.duration for t in cast("Sequence[MembershipTerm]", tables["membership_terms"])
    }
    paid = [t for t in cast("Sequence[Transaction]", tables["transactions"]) if t.id in durations and t.settled_at]
    terms: list[Term] = []
    for transaction in sorted(paid, key=lambda t: t.created_at):
        bought = day_of(transaction.created_at)
        first = max(bought, terms[-1].last) if terms else bought
        terms.append(Term(bought, first, durations[transaction.id]))
    return terms


def _seed(c: SeedContext) -> Mapping[str, Sequence[Record]]:
    today, since = day_of(c.now), day_of(c.since)
    terms = draw_terms(c.stream.child("terms"), today, since)
    made: Made = {"transactions": [], "membership_terms": []}
    requests: list[tuple[int, Duration, bool]] = [(term.bought, term.duration, True) for term in terms]
    unpaid = c.stream.child("unpaid")
    if unpaid.chance(odds.MEMBERSHIP_REQUESTED, 100):
        day = today - unpaid.between(*odds.REQUEST_AGE_DAYS)
        if all(day != bought for bought, _, _ in requests):
            duration: Duration = unpaid.weighted(odds.DURATIONS)
            requests.append((day, duration, False))
    for day, duration, paid in requests:
        transaction = _membership_transaction(c, day, duration, paid)
        made["transactions"].append(transaction)
        term = MembershipTerm(id=c.new_id("membership_terms"), transaction_id=transaction.id, duration=duration)
        made["membership_terms"].append(term)
    expires = iso_day(terms[-1].last) if terms else None
    return {**made, "membership": [Membership(id="membership", expires_on=expires)]}


def _membership_transaction(c: SeedContext, day: int, duration: Duration, paid: bool) -> Transaction:
    stream = c.stream.child("requests", day)
    created = draw_waking(stream, day * DAY, (day + 1) * DAY - 1)
    settled = created + stream.between(*odds.PAYING_SECONDS)
    price = MEMBERSHIP_PRICE_CENTS[duration]
    return Transaction(
        id=c.new_id("transactions"),
        kind=MEMBERSHIP_KIND.name,
        status="completed" if paid else "pending",
        subtotal_cents=price,
        saving_cents=0,
        total_cents=price,
        voucher_id=None,
        created_at=iso_time(created),
        settled_at=iso_time(settled) if paid else None,
    )


class _Move(NamedTuple):
    """One movement of money in or out of the wallet that is no top-up."""

    at: str
    kind: Literal["payment", "refund"]
    cents: int
    """What it adds to the balance."""
    transaction_id: str


def _moves(c: SeedContext) -> list[_Move]:
    """Return payments and refunds, the latest first."""
    paid = [
        _Move(t.settled_at, "payment", -t.total_cents, t.id)
        for t in cast("Sequence[Transaction]", c.tables["transactions"])
        if t.settled_at is not None
    ]
    returned = [
        _Move(refund.at, "refund", refund.amount_cents, refund.transaction_id)
        for refund in cast("Sequence[Refund]", c.tables["refunds"])
    ]
    return sorted([*paid, *returned], key=lambda move: move.at, reverse=True)


def _needed(moves: Sequence[_Move]) -> list[int]:
    """Return the least balance after each move, given the latest first, with which no balance before it is negative."""
    needed: list[int] = []
    least = 0
    for move in reversed(moves):
        least = max(0, least + move.cents)
        needed.append(least)
    return [*reversed(needed), 0]


def _close(c: SeedContext) -> Mapping[str, Sequence[Record]]:
    """Return ledger and wallet, made from the balance of now backwards, so that no balance on the way is negative."""
    stream = c.stream
    moves = _moves(c)
    needed = _needed(moves)
    left = balance = max(needed[0], stream.between(*stream.weighted(odds.BALANCES)))
    held = max(stream.between(*odds.BALANCE_HELD), odds.TOP_UP_STEP_CENTS)
    entries: list[LedgerEntry] = []
    taken = observed_times(c.tables)
    if balance - needed[0] >= odds.TOP_UP_STEP_CENTS and stream.chance(odds.LATE_TOP_UP, 100):
        first = moment(moves[0].at if moves else c.since)
        at = unused(draw_waking(stream, first + 1, moment(c.now) - 1), taken)
        entries.append(_top_up(c, balance - needed[0], at))
        balance -= entries[-1].amount_cents
    for move, least in zip(moves, needed[1:], strict=True):
        entries.append(_entry(c, move.kind, move.cents, move.transaction_id, move.at))
        balance -= move.cents
        if move.kind == "payment" and balance >= held and balance - least >= odds.TOP_UP_STEP_CENTS:
            at = unused(moment(move.at) - stream.between(*odds.TOP_UP_LEAD_SECONDS), taken)
            entries.append(_top_up(c, balance - least, at))
            balance -= entries[-1].amount_cents
    return {"ledger": entries, "wallet": [Wallet(id="wallet", balance_cents=left, opening_cents=balance)]}


def _top_up(c: SeedContext, spare: int, at: int) -> LedgerEntry:
    """Return a top-up before which the wallet held little more than it needed; `spare` is what it has beyond that."""
    steps = spare // odds.TOP_UP_STEP_CENTS
    kept = min(c.stream.between(0, odds.TOP_UP_LEFT_STEPS), steps - 1)
    return _entry(c, "top_up", (steps - kept) * odds.TOP_UP_STEP_CENTS, None, iso_time(at))


def _entry(
    c: SeedContext, kind: Literal["top_up", "payment", "refund"], cents: int, transaction_id: str | None, at: str
) -> LedgerEntry:
    return LedgerEntry(id=c.new_id("ledger"), kind=kind, amount_cents=cents, transaction_id=transaction_id, at=at)


SEEDER = Seeder("payments", _seed, close=_close)
