"""Other ways in which records of shopping could stand at the start of a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from services.runtime.declare import Flip

if TYPE_CHECKING:
    from services.shopping.records import StockItem

PLENTY = 60
"""Units in stock that any request can be met from."""


def _last_unit(item: StockItem, _: str) -> StockItem | None:
    return replace(item, stock=1) if item.stock > 1 else None


def _restocked(item: StockItem, _: str) -> StockItem | None:
    return replace(item, stock=PLENTY) if item.stock < PLENTY else None


def _slow(item: StockItem, _: str) -> StockItem | None:
    return replace(item, delivery="3_days") if item.delivery != "3_days" else None


FLIPS = (
    Flip("last_unit", "assortment", _last_unit),
    Flip("restocked", "assortment", _restocked),
    Flip("slow_delivery", "assortment", _slow),
)
