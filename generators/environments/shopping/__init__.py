"""Seeds shopping: what the user's store carries, vouchers, past and pending orders, and stray carts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, cast

from generators.environments import odds
from generators.environments.moments import DAY, day_of, draw_waking, iso_time, moment, unused
from generators.environments.payments import membership_terms
from generators.environments.seeder import Seeder
from generators.environments.shopping.assortment import draw_assortment
from generators.environments.shopping.lines import Shelf, Sold, draw_lines, draw_shelf, sold_cents
from generators.environments.shopping.vouchers import open_vouchers, used_voucher
from services.payments.records import Transaction
from services.shopping.orders import ORDER_KIND
from services.shopping.records import CartItem, OrderLine

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.environments.payments import Term
    from generators.environments.seeder import SeedContext
    from services.payments.records import Voucher
    from services.runtime.records import Record
    from services.runtime.streams import Stream
    from services.shopping.records import Product

Made = dict[str, "list[Record]"]
Status = Literal["pending", "completed", "cancelled"]


def _seed(c: SeedContext) -> Mapping[str, Sequence[Record]]:
    products = cast("Mapping[str, Product]", c.world["products"])
    assortment = draw_assortment(c.stream.child("assortment"), list(products.values()))
    shelf = draw_shelf(c.stream.child("habits"), products, assortment, c.profile.dietary_restrictions)
    terms = membership_terms(c.tables)
    made: Made = {"assortment": list(assortment), "transactions": [], "order_lines": [], "vouchers": [], "cart": []}
    _add_past_orders(c, shelf, terms, made)
    _add_pending_orders(c, shelf, terms, made)
    _add_cart(c, shelf, made)
    count = c.stream.child("voucher_count").between(*odds.VOUCHERS) - len(made["vouchers"])
    made["vouchers"] += open_vouchers(c, shelf, max(1, count))
    return made


def _member_on(terms: Sequence[Term], day: int) -> bool:
    return any(term.first <= day <= term.last for term in terms)


def _add_past_orders(c: SeedContext, shelf: Shelf, terms: Sequence[Term], made: Made) -> None:
    """Add paid and cancelled orders, each on a day of its own, some paid with a voucher."""
    stream = c.stream.child("orders")
    today = day_of(c.now)
    taken = {day_of(time) for time in _times(c, made)}
    free = [day for day in range(day_of(c.since), today - odds.SETTLED_DAYS_AGO + 1) if day not in taken]
    days = stream.sample(free, stream.between(*odds.ORDERS))
    with_voucher = set(stream.sample(days, stream.weighted(odds.VOUCHERS_USED)))
    for day in sorted(days):
        mine = stream.child(day)
        member = _member_on(terms, day)
        lines = draw_lines(mine, shelf, member=member, then=True)
        created = draw_waking(mine, day * DAY, (day + 1) * DAY - 1)
        paid = day in with_voucher or not mine.chance(odds.CANCELLED, 100)
        settled = created + mine.between(*odds.PAYING_SECONDS) if paid else None
        order_id = c.new_id("transactions")
        voucher, saving = None, 0
        if day in with_voucher:
            voucher, saving = used_voucher(c, mine.child("voucher"), lines, day=day, member=member, order_id=order_id)
            made["vouchers"].append(voucher)
        _add_order(c, made, order_id, lines, created, settled, "completed" if paid else "cancelled", voucher, saving)


def _add_pending_orders(c: SeedContext, shelf: Shelf, terms: Sequence[Term], made: Made) -> None:
    """Add orders that wait for payment, at the prices of now and within stock; at most one is younger than a day."""
    stream = c.stream.child("pending")
    member = _member_on(terms, day_of(c.now))
    fresh_left = True
    for number in range(stream.weighted(odds.PENDING)):
        mine = stream.child(number)
        fresh = fresh_left and mine.chance(odds.PENDING_FRESH, 100)
        fresh_left = fresh_left and not fresh
        created = _fresh_moment(mine, c, made) if fresh else _stale_moment(mine, c, made)
        lines = draw_lines(mine, shelf, member=member, then=False)
        if lines:
            _add_order(c, made, c.new_id("transactions"), lines, created, None, "pending", None, 0)


def _fresh_moment(stream: Stream, c: SeedContext, made: Made) -> int:
    newest, oldest = odds.FRESH_AGE_SECONDS
    now = moment(c.now)
    return unused(draw_waking(stream, now - oldest, now - newest), _times(c, made))


def _stale_moment(stream: Stream, c: SeedContext, made: Made) -> int:
    """Return a moment on a day without other transactions, a recent one if there is any."""
    newest, oldest = odds.STALE_AGE_DAYS
    today = day_of(c.now)
    taken = {day_of(time) for time in _times(c, made)}
    free = [day for day in range(day_of(c.since), today - newest + 1) if day not in taken]
    day = stream.choice([day for day in free if day >= today - oldest] or free)
    return draw_waking(stream, day * DAY, (day + 1) * DAY - 1)


def _times(c: SeedContext, made: Made) -> set[str]:
    """Return the times at which a transaction was prepared or settled so far."""
    transactions = cast("Sequence[Transaction]", [*c.tables["transactions"], *made["transactions"]])
    return {time for t in transactions for time in (t.created_at, t.settled_at) if time is not None}


def _add_order(
    c: SeedContext,
    made: Made,
    order_id: str,
    lines: Sequence[Sold],
    created: int,
    settled: int | None,
    status: Status,
    voucher: Voucher | None,
    saving: int,
) -> None:
    subtotal = sold_cents(lines)
    made["transactions"].append(
        Transaction(
            id=order_id,
            kind=ORDER_KIND.name,
            status=status,
            subtotal_cents=subtotal,
            saving_cents=saving,
            total_cents=subtotal - saving,
            voucher_id=None if voucher is None else voucher.id,
            created_at=iso_time(created),
            settled_at=None if settled is None else iso_time(settled),
        )
    )
    made["order_lines"] += [
        OrderLine(
            id=c.new_id("order_lines"),
            transaction_id=order_id,
            product_id=line.product.id,
            size=line.size,
            quantity=line.quantity,
            unit_price_cents=line.price_cents,
        )
        for line in lines
    ]


def _add_cart(c: SeedContext, shelf: Shelf, made: Made) -> None:
    """Add lines left in the cart; preparing an order empties it, so they are younger than every order."""
    stream = c.stream.child("cart")
    if not stream.chance(odds.CART_STRAY, 100):
        return
    orders = cast("Sequence[Transaction]", made["transactions"])
    last_order = max(moment(order.created_at) for order in orders)
    now = moment(c.now)
    first = max(last_order + odds.AFTER_ORDER_SECONDS, now - odds.CART_DAYS * DAY)
    taken = _times(c, made)
    at = unused(draw_waking(stream, first, now - odds.CART_LAST_SECONDS), taken, 1)
    lines = draw_lines(stream, shelf, member=False, then=False, count=stream.weighted(odds.CART_LINES))
    for line in lines:
        item = CartItem(
            id=c.new_id("cart"),
            product_id=line.product.id,
            size=line.size,
            quantity=line.quantity,
            added_at=iso_time(at),
        )
        made["cart"].append(item)
        at = unused(at + stream.between(*odds.CART_STEP_SECONDS), taken, 1)


SEEDER = Seeder("shopping", _seed, after=("payments",))
