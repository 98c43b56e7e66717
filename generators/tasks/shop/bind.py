"""The store as a binder sees it: what products cost in a quantity, and the start that an order needs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from generators.tasks.intent import Cell
from schemas.task import Patch, Reference, Slot
from services.payments.records import Membership, Voucher, Wallet
from services.shopping.records import Product, StockItem

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from generators.tasks.intent import Scene
    from schemas.base import Json
    from services.runtime.streams import Stream

DELIVERIES = ("today", "tomorrow", "3_days")
UNITS = ((2, 3), (3, 4), (4, 4), (5, 2), (6, 4), (8, 2), (10, 3), (12, 2))
"""Numbers of units that people ask for, by how often."""
REFERS: Mapping[str, Reference] = {
    "product": Reference(table="products", column="name"),
    "category": Reference(table="products", column="category"),
    "tag": Reference(table="products", column="health_tags"),
    "tag_2": Reference(table="products", column="health_tags"),
    "without": Reference(table="products", column="allergens"),
    "delivery": Reference(table="assortment", column="delivery"),
}
"""What a slot of this name refers to."""
REFUSED: Mapping[str, tuple[str, ...]] = {"cannot_afford": ("BALANCE",), "consent_refused": ("PURCHASE",)}
"""Form -> gates whose consent the user refuses."""


def order_cells(*others: Cell) -> tuple[Cell, ...]:
    """Return the cells of an intent that ends in an order: the usual ones, and `others` that decline in its own way."""
    return (
        Cell("fulfil", weight=2),
        Cell("fulfil", closed=("BALANCE",)),
        Cell("fulfil", closed=("PURCHASE",)),
        *others,
        Cell("cannot_afford", closed=("BALANCE",)),
        Cell("consent_refused", closed=("PURCHASE",)),
    )


@dataclass(frozen=True, slots=True)
class Offer:
    """A product of the store with what it costs in the wished quantity."""

    product: Product
    item: StockItem
    total: int
    list_total: int
    packs: int

    @property
    def misleads(self) -> bool:
        """Whether reading list prices or buying single packs only would come to something else."""
        return self.list_total != self.total or self.packs > 0


def price(cents: int, product: Product, member: bool) -> int:
    """Return the price of one pack now; the same rule as the store's, on the binder's own account."""
    if product.discount_members_only and not member:
        return cents
    return (cents * (100 - product.discount_percent) + 50) // 100


class Shop:
    """The store, the wallet and the membership of a scene."""

    def __init__(self, scene: Scene) -> None:
        """Read them."""
        self.products = cast("dict[str, Product]", scene.records("products"))
        self.items = cast("list[StockItem]", list(scene.records("assortment").values()))
        self.wallet = cast("Wallet", scene.records("wallet")["wallet"])
        expires = cast("Membership", scene.records("membership")["membership"]).expires_on
        self.member = expires is not None and expires >= scene.today
        self.vouchers = sorted(cast("dict[str, Voucher]", scene.records("vouchers")).values(), key=lambda v: v.id)
        self._today = scene.today
        self.sought = [item for item in self.items if self._is_given(item, scene.given)]
        """What a binder may draw: all, or only what an earlier part of the task leads to."""

    def _is_given(self, item: StockItem, given: Mapping[str, Json]) -> bool:
        product = self.products[item.id]
        return product.name == given.get("product", product.name) and product.category == given.get(
            "category", product.category
        )

    def offer(self, item: StockItem, quantity: int, *, member: bool | None = None) -> Offer:
        """Return what `quantity` units cost in the cheapest packing, for the user or for one who is (no) member."""
        product = self.products[item.id]
        known = self.member if member is None else member
        single = price(product.single_cents, product, known)
        pack = price(product.pack_cents, product, known)
        packs = quantity // 5 if pack < 5 * single else 0
        total = packs * pack + (quantity - 5 * packs) * single
        return Offer(product, item, total, quantity * product.single_cents, packs)

    def with_any_voucher(self, total: int) -> int:
        """Return the least that an order of `total` cents could come to with one of the user's vouchers."""
        valid = (v for v in self.vouchers if v.used_in is None and v.expires_on >= self._today)
        fitting = [v.percent_off for v in valid if v.min_spend_cents <= total]
        return (total * (100 - max(fitting, default=0)) + 50) // 100


OTHERS = 8
"""Alternatives of a slot that names a product, at most."""


def product_slot(shop: Shop, item: StockItem, others: Iterable[StockItem], name: str = "product") -> Slot:
    """Return the slot that names a product; of `others`, in order, the user could have named the first few."""
    names: dict[Json, None] = dict.fromkeys(shop.products[other.id].name for other in others if other.id != item.id)
    return Slot(
        name=name,
        kind="name",
        value=shop.products[item.id].name,
        refers_to=REFERS["product"],
        alternatives=list(names)[:OTHERS],
    )


def quantity_slot(units: int, others: Iterable[int], name: str = "quantity") -> Slot:
    """Return the slot that tells how many units; it narrows no choice."""
    counts: dict[Json, None] = dict.fromkeys(other for other in others if other > 0 and other != units)
    return Slot(name=name, kind="count", value=units, constraint=False, alternatives=list(counts))


def fill_wallet(scene: Scene, balance: int) -> list[Patch]:
    """Return the patch by which the wallet holds `balance` cents, as if it had held as much more from the first."""
    wallet = cast("Wallet", scene.records("wallet")["wallet"])
    change = balance - wallet.balance_cents
    if change == 0:
        return []
    return [scene.patch("wallet", "wallet", balance_cents=balance, opening_cents=wallet.opening_cents + change)]


def fund(scene: Scene, cell: Cell, total: int, stream: Stream, *, short_of: int | None = None) -> list[Patch]:
    """Return the patch that lets the wallet cover `total`, or, as the cell says, not even `short_of`."""
    held = cast("Wallet", scene.records("wallet")["wallet"]).balance_cents
    least = total if short_of is None else short_of
    if "BALANCE" in cell.closed and held >= least:
        return fill_wallet(scene, stream.below(least))
    if "BALANCE" not in cell.closed and held < total:
        return fill_wallet(scene, total + stream.between(0, 4000))
    return []


def start(scene: Scene, cell: Cell, total: int, stream: Stream) -> list[Patch]:
    """Return the patches that empty the cart and set permission and balance by the cell, for an order of `total`.

    Where an order is declined for want of money, no voucher would help either.
    """
    short_of = Shop(scene).with_any_voucher(total) if cell.form == "cannot_afford" else total
    patches = [Patch(table="cart", id=key, record=None) for key in scene.records("cart")]
    patches += scene.set_gate("PURCHASE", closed="PURCHASE" in cell.closed)
    return patches + fund(scene, cell, total, stream, short_of=short_of)
