"""Vouchers: used ones, with the saving they gave, and unused ones of every kind a wallet may hold."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.environments import odds
from generators.environments.moments import day_of, iso_day
from generators.environments.shopping.lines import sold_cents
from language.matching import write
from services.payments.records import Voucher

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generators.environments.odds import VoucherForm
    from generators.environments.seeder import SeedContext
    from generators.environments.shopping.lines import Shelf, Sold
    from services.runtime.streams import Stream


def describe(percent: int, brand: str | None, min_spend_cents: int, members_only: bool) -> str:
    """Return what a voucher is good for, in words; its last day and its use stand in fields of their own."""
    what = "everything" if brand is None else f"products of {brand}"
    least = f", from a spend of {write('money_cents', min_spend_cents)}" if min_spend_cents else ""
    return f"{percent}% off {what} in one order{least}{', members only' if members_only else ''}"


def open_vouchers(c: SeedContext, shelf: Shelf, count: int) -> list[Voucher]:
    """Return `count` unused vouchers of mixed kinds."""
    stream = c.stream.child("vouchers")
    deck = [name for name, form in odds.VOUCHER_FORMS.items() for _ in range(form.weight)]
    return [_open_voucher(c, stream, shelf, odds.VOUCHER_FORMS[name]) for name in stream.sample(deck, count)]


def _open_voucher(c: SeedContext, stream: Stream, shelf: Shelf, form: VoucherForm) -> Voucher:
    brand = _draw_brand(stream, shelf, form)
    percent, least = stream.choice(odds.PERCENTS), stream.choice(form.min_spend_cents)
    return Voucher(
        id=c.new_id("vouchers"),
        description=describe(percent, brand, least, form.members_only),
        brand=brand,
        members_only=form.members_only,
        expires_on=iso_day(day_of(c.now) + stream.between(*form.days_left)),
        min_spend_cents=least,
        percent_off=percent,
        used_in=None,
    )


def _draw_brand(stream: Stream, shelf: Shelf, form: VoucherForm) -> str | None:
    if form.brand == "left_out" and shelf.left_out:
        return stream.choice(shelf.left_out)
    if form.brand == "any" and stream.chance(1, 2):
        return None
    return stream.choice(shelf.brands)


def used_voucher(
    c: SeedContext, stream: Stream, lines: Sequence[Sold], *, day: int, member: bool, order_id: str
) -> tuple[Voucher, int]:
    """Return a voucher that `lines`, bought on `day`, satisfied, and what it took off in cents, rounded half up."""
    brand = stream.choice(lines).product.brand if stream.chance(odds.USED_BRAND, 100) else None
    eligible = sold_cents(line for line in lines if brand is None or line.product.brand == brand)
    percent = stream.choice(odds.PERCENTS)
    least = stream.choice([cents for cents in odds.LOW_SPENDS if cents <= eligible])
    members_only = member and stream.chance(odds.USED_MEMBERS_ONLY, 100)
    voucher = Voucher(
        id=c.new_id("vouchers"),
        description=describe(percent, brand, least, members_only),
        brand=brand,
        members_only=members_only,
        expires_on=iso_day(day + stream.between(*odds.USED_DAYS_LEFT)),
        min_spend_cents=least,
        percent_off=percent,
        used_in=order_id,
    )
    return voucher, (2 * eligible * percent + 100) // 200
