"""Records of shopping: the user's store and cart, the lines of orders, and the shared products."""

from __future__ import annotations

from typing import Literal

from services.runtime.records import Record, Time

SIZES = {"single_pack": 1, "pack_5": 5}
"""Size of a sale -> units it holds."""
Size = Literal["single_pack", "pack_5"]
Delivery = Literal["today", "tomorrow", "3_days"]


class Product(Record, frozen=True):
    """One product of the world; see `schemas.world.Product` for the units."""

    name: str
    brand: str
    category: str
    health_tags: tuple[str, ...]
    allergens: tuple[str, ...]
    attributes: tuple[str, ...]
    unit: str
    serving_weight: int
    calories_dkcal: int
    sugar_dg: int
    protein_dg: int
    fat_dg: int
    fiber_dg: int
    sodium_mg: int
    single_cents: int
    pack_units: int
    pack_cents: int
    discount_percent: int
    discount_members_only: bool
    label_tags: tuple[str, ...]
    source: Literal["generated", "imported"]


class StockItem(Record, frozen=True):
    """A product that the user's store carries; the id is the product's."""

    stock: int
    """Units left; a pack of five takes five."""
    delivery: Delivery


class CartItem(Record, frozen=True):
    """One line of the cart."""

    product_id: str
    size: Size
    quantity: int
    added_at: Time


class OrderLine(Record, frozen=True):
    """One line of an order, at the price it was prepared with."""

    transaction_id: str
    product_id: str
    size: Size
    quantity: int
    unit_price_cents: int
    """Price of one pack of this size."""
