"""Orders: prices, vouchers, stock, and the transaction kind that payments settle."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from schemas.base import Json
from services.payments.checkout import is_member, units
from services.payments.records import Transaction, Voucher
from services.runtime.declare import TransactionKind
from services.runtime.tools import Context
from services.shopping.records import SIZES, CartItem, OrderLine, Product, StockItem

if TYPE_CHECKING:
    from collections.abc import Iterable


def product_of(c: Context, product_id: str) -> Product:
    """Return the product that a record refers to. Raise LookupError when the world has none: the data are broken."""
    product = c.get(Product, product_id)
    if product is None:
        msg = f"the world has no product {product_id!r}"
        raise LookupError(msg)
    return product


def list_price(product: Product, size: str) -> int:
    """Return the list price of one pack of `size`, in cents."""
    return product.single_cents if size == "single_pack" else product.pack_cents


def price_now(product: Product, size: str, member: bool) -> int:
    """Return the price of one pack of `size` for this user, in cents: list price less the discount, rounded half up."""
    price = list_price(product, size)
    if product.discount_members_only and not member:
        return price
    return (2 * price * (100 - product.discount_percent) + 100) // 200


def units_by_product(lines: Iterable[CartItem | OrderLine]) -> dict[str, int]:
    """Return the units that lines hold, per product."""
    held: dict[str, int] = {}
    for line in lines:
        held[line.product_id] = held.get(line.product_id, 0) + line.quantity * SIZES[line.size]
    return held


def require_stock(c: Context, needed: dict[str, int]) -> None:
    """Refuse when the store holds less than `needed` of a product."""
    for product_id, count in needed.items():
        item = c.get(StockItem, product_id)
        left = item.stock if item else 0
        if count > left:
            c.refuse(
                "OUT_OF_STOCK", f"Only {left} units of {product_id} are left.", product_id=product_id, units_left=left
            )


def _lines(c: Context, transaction_id: str) -> list[OrderLine]:
    lines = c.where(OrderLine, "transaction_id", transaction_id)
    return sorted(lines, key=lambda line: (line.product_id, line.size, line.id))


def eligible_cents(c: Context, voucher: Voucher, lines: Iterable[tuple[str, int]]) -> int:
    """Return the sum of the (product id, line total) pairs that a voucher applies to."""
    return sum(
        total
        for product_id, total in lines
        if voucher.brand is None or product_of(c, product_id).brand == voucher.brand
    )


def voucher_problem(c: Context, voucher: Voucher, eligible: int) -> tuple[str, str]:
    """Return why a voucher cannot be used on `eligible` cents, as reason and message; an empty reason when it can."""
    if voucher.used_in is not None:
        return "used", "The voucher has been used."
    if voucher.expires_on < c.today:
        return "expired", f"The voucher expired on {voucher.expires_on}."
    if voucher.members_only and not is_member(c):
        return "vip_required", "The voucher is for members only."
    if eligible == 0:
        return "nothing_eligible", f"The order has nothing of the brand {voucher.brand}."
    if eligible < voucher.min_spend_cents:
        least = units(voucher.min_spend_cents)
        return "min_amount_not_met", f"Eligible items come to {units(eligible)}, the voucher needs {least}."
    return "", ""


def voucher_saving(c: Context, voucher: Voucher, lines: list[tuple[str, int]]) -> int:
    """Return what a voucher takes off in cents, half up once per order; refuse with the reason it cannot be used."""
    eligible = eligible_cents(c, voucher, lines)
    reason, message = voucher_problem(c, voucher, eligible)
    if reason:
        c.refuse("VOUCHER_NOT_USABLE", message, reason=reason)
    return (2 * eligible * voucher.percent_off + 100) // 200


def priced(c: Context, lines: Iterable[CartItem | OrderLine]) -> list[tuple[CartItem | OrderLine, int]]:
    """Return each line with the price of one of its packs now, in cents."""
    member = is_member(c)
    return [(line, price_now(product_of(c, line.product_id), line.size, member)) for line in lines]


def line_totals(lines: Iterable[tuple[CartItem | OrderLine, int]]) -> list[tuple[str, int]]:
    """Return (product id, line total in cents) of priced lines."""
    return [(line.product_id, price * line.quantity) for line, price in lines]


def _voucher(c: Context, transaction: Transaction) -> Voucher | None:
    return None if transaction.voucher_id is None else c.get(Voucher, transaction.voucher_id)


def _transaction(c: Context, transaction_id: str) -> Transaction:
    transaction = c.get(Transaction, transaction_id)
    if transaction is None:
        msg = f"there is no transaction {transaction_id!r}"
        raise LookupError(msg)
    return transaction


def _check(c: Context, transaction_id: str) -> None:
    require_stock(c, units_by_product(_lines(c, transaction_id)))


def _price(c: Context, transaction_id: str) -> int:
    totals = line_totals(priced(c, _lines(c, transaction_id)))
    voucher = _voucher(c, _transaction(c, transaction_id))
    saving = 0 if voucher is None else voucher_saving(c, voucher, totals)
    return sum(total for _, total in totals) - saving


def _reprice(c: Context, transaction_id: str) -> None:
    """Store the prices of now; an order whose voucher can no longer be used keeps its price and fails at checkout."""
    lines = priced(c, _lines(c, transaction_id))
    totals = line_totals(lines)
    transaction = _transaction(c, transaction_id)
    voucher = _voucher(c, transaction)
    if voucher is not None and voucher_problem(c, voucher, eligible_cents(c, voucher, totals))[0]:
        return
    saving = 0 if voucher is None else voucher_saving(c, voucher, totals)
    for line, price in lines:
        if isinstance(line, OrderLine) and line.unit_price_cents != price:
            c.put(replace(line, unit_price_cents=price))
    subtotal = sum(total for _, total in totals)
    c.put(replace(transaction, subtotal_cents=subtotal, saving_cents=saving, total_cents=subtotal - saving))


def _settle(c: Context, transaction_id: str) -> None:
    for product_id, count in units_by_product(_lines(c, transaction_id)).items():
        item = c.get(StockItem, product_id)
        if item is not None:
            c.put(replace(item, stock=item.stock - count))
    voucher = _voucher(c, _transaction(c, transaction_id))
    if voucher is not None:
        c.put(replace(voucher, used_in=transaction_id))


def show_line(c: Context, line: CartItem | OrderLine, price: int) -> dict[str, Json]:
    """Return a line of a cart or an order as tools show it."""
    product = product_of(c, line.product_id)
    return {
        "product_id": line.product_id,
        "name": product.name,
        "brand": product.brand,
        "category": product.category,
        "size": line.size,
        "quantity": line.quantity,
        "unit_price": units(price),
        "line_total": units(price * line.quantity),
    }


def _describe(c: Context, transaction_id: str) -> dict[str, Json]:
    return {"items": [show_line(c, line, line.unit_price_cents) for line in _lines(c, transaction_id)]}


ORDER_KIND = TransactionKind(
    name="order",
    check=_check,
    price=_price,
    reprice=_reprice,
    settle=_settle,
    describe=_describe,
    errors={
        "OUT_OF_STOCK": "The store holds fewer units than the order needs.",
        "VOUCHER_NOT_USABLE": "The voucher can no longer be used for the order; `reason` says why.",
    },
)
