"""All probabilities and ranges of environments, as data.

A chance is in percent. A range holds both ends. Weighted options are (value, weight) and compare with each other only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.profile_facts import Diet
    from services.shopping.records import Delivery, Size

Range: TypeAlias = tuple[int, int]

# --- the frozen moment --------------------------------------------------------------------------------------------

FIRST_DAY, LAST_DAY = "2025-01-01", "2026-12-31"
HOURS: Range = (8, 21)
MINUTE_STEP = 5
HISTORY_DAYS: Range = (91, 273)
"""Days of records before the frozen day: three to nine months."""

# --- account ------------------------------------------------------------------------------------------------------

PERMISSION_GIVEN: Mapping[str, int] = {"raw_data": 60, "user_notes": 60, "purchase": 50, "med_assistant": 60}
SOURCES: tuple[tuple[int, int], ...] = ((1, 35), (2, 35), (3, 20), (4, 10))
SOURCE_CONNECTED = 65
SECOND_DEVICE = 25
"""For a platform with two kinds of device."""

# --- wearables and sources --------------------------------------------------------------------------------------------

WINDOW_DAYS = 30
"""Days that were recorded by the minute, today included."""
SOURCES_USED: tuple[tuple[int, int], ...] = ((1, 25), (2, 40), (3, 35))
"""Sources that recorded them, as far as the user has so many."""
STRETCH_LEAST = 5
"""Days in a row that a source records at least."""
STRETCH_BETWEEN = 35
"""That the second of two sources recorded a stretch in the middle, and not the end."""
WEEKLY = 75
"""That a weekly goal is set at a source."""
WEEKLY_PERCENT: tuple[int, ...] = (80, 85, 90, 95, 100, 105, 110, 115, 120)
"""Weekly goal in percent of seven daily goals."""
WEEKLY_STEPS: Mapping[str, int] = {"steps": 1_000, "azm": 10, "mets": 1_000, "calories_burn": 100}
"""Weekly goals are multiples of these."""

# --- payments -----------------------------------------------------------------------------------------------------

MembershipStatus: TypeAlias = Literal["none", "valid", "expired", "last_day"]
MEMBERSHIPS: tuple[tuple[MembershipStatus, int], ...] = (("none", 40), ("valid", 32), ("expired", 20), ("last_day", 8))
Duration: TypeAlias = Literal["1_month", "3_months", "1_year"]
DURATIONS: tuple[tuple[Duration, int], ...] = (
    ("1_month", 5),
    ("3_months", 4),
    ("1_year", 2),
)
EARLIER_TERM = 40
"""That a member has had an earlier term, where the records reach back far enough."""
RENEWED_IN_TIME = 50
"""That the earlier term ran until the later one began."""
RENEWAL_LEAD_DAYS: Range = (0, 10)
LAPSE_DAYS: Range = (1, 60)
MEMBERSHIP_REQUESTED = 6
"""That a membership request was left unpaid."""
REQUEST_AGE_DAYS: Range = (2, 25)

BALANCES: tuple[tuple[Range, int], ...] = (((0, 0), 10), ((50, 1_999), 45), ((2_000, 6_000), 25), ((6_001, 25_000), 20))
"""Cents left in the wallet."""
BALANCE_HELD: Range = (2_000, 15_000)
"""Cents above which the wallet has been topped up; drawn once a user."""
TOP_UP_STEP_CENTS = 500
TOP_UP_LEFT_STEPS = 2
"""A top-up found at most this many steps in the wallet, and less than one step more."""
LATE_TOP_UP = 25
"""That the last movement was a top-up."""
TOP_UP_LEAD_SECONDS: Range = (10, 45)
PAYING_SECONDS: Range = (60, 720)
"""From preparing a transaction to paying it."""

# --- the store ----------------------------------------------------------------------------------------------------

CATEGORY_MOST = 8
"""Most products of a category that the store carries; how few, and how many in all, the service declares."""
CATEGORY_MEAN: Range = (4, 7)
"""Bounds of the mean number of products a category."""
BRANDS_LEFT_OUT = 2
"""Brands of which the store carries nothing."""
STOCK_LOW = 15
STOCK_LOW_UNITS: Range = (0, 6)
STOCK_UNITS: Range = (8, 200)
DELIVERIES: tuple[tuple[Delivery, int], ...] = (("today", 30), ("tomorrow", 45), ("3_days", 25))

# --- vouchers -----------------------------------------------------------------------------------------------------

VOUCHERS: Range = (3, 7)
VOUCHERS_USED: tuple[tuple[int, int], ...] = ((0, 25), (1, 45), (2, 30))
PERCENTS = (5, 10, 15, 20, 25)


@dataclass(frozen=True, slots=True)
class VoucherForm:
    """One kind of voucher that has not been used."""

    weight: int
    brand: Literal["carried", "left_out", "any"]
    """A brand of the store, one that it does not carry, or all with an even chance against a brand of the store."""
    days_left: Range
    """Days from today to the last valid day."""
    min_spend_cents: tuple[int, ...]
    members_only: bool = False


LOW_SPENDS = (0, 500, 1_000, 1_500, 2_000, 2_500)
VOUCHER_FORMS: Mapping[str, VoucherForm] = {
    "usable": VoucherForm(4, "any", (1, 180), LOW_SPENDS),
    "last_day": VoucherForm(1, "any", (0, 0), LOW_SPENDS),
    "expired": VoucherForm(2, "any", (-120, -1), LOW_SPENDS),
    "members_only": VoucherForm(2, "any", (1, 180), LOW_SPENDS, members_only=True),
    "brand_left_out": VoucherForm(1, "left_out", (1, 180), LOW_SPENDS),
    "high_min_spend": VoucherForm(1, "carried", (1, 180), (8_000, 12_000, 15_000, 20_000)),
}
"""Kinds of unused vouchers; drawn without replacement from a deck that holds each as often as its weight."""
USED_BRAND = 60
"""That a used voucher was for one brand."""
USED_MEMBERS_ONLY = 35
"""That a voucher a member used was for members only."""
USED_DAYS_LEFT: Range = (0, 90)

# --- orders and cart ----------------------------------------------------------------------------------------------

ORDERS: Range = (8, 30)
"""Past orders, paid or cancelled."""
CANCELLED = 10
PENDING: tuple[tuple[int, int], ...] = ((0, 50), (1, 32), (2, 18))
PENDING_FRESH = 45
"""That a pending order is younger than a day; at most one is."""
FRESH_AGE_SECONDS: Range = (45 * 60, 23 * 3600)
STALE_AGE_DAYS: Range = (2, 20)
SETTLED_DAYS_AGO = 2
"""Past orders are at least this many days old, so that they stay apart from fresh ones."""

LINES: tuple[tuple[int, int], ...] = ((1, 25), (2, 28), (3, 22), (4, 15), (5, 10))
SIZES: tuple[tuple[Size, int], ...] = (("single_pack", 70), ("pack_5", 30))
QUANTITIES: Mapping[Size, tuple[tuple[int, int], ...]] = {
    "single_pack": ((1, 45), (2, 30), (3, 15), (4, 10)),
    "pack_5": ((1, 75), (2, 25)),
}
REGULARS: Range = (6, 12)
"""Products that the user buys again and again."""
REGULAR = 55
"""That a line is one of them."""
FORMER_PRODUCTS: Range = (4, 10)
"""Products that the user bought before they left the store."""
FORMER = 15
"""That a line is one of them."""
PRICE_THEN_SAME = 60
"""That a past line was sold at what would be its price today."""
PRICE_THEN_PERMILLE: Range = (850, 1_040)
"""Else its list price then, compared with today's."""

CART_STRAY = 35
CART_LINES: tuple[tuple[int, int], ...] = ((1, 35), (2, 30), (3, 20), (4, 15))
CART_DAYS = 4
"""Most days since the cart was filled."""
CART_LAST_SECONDS = 720
"""The cart was begun at least this long ago."""
CART_STEP_SECONDS: Range = (15, 150)
AFTER_ORDER_SECONDS = 900
"""Between preparing an order and the next line in the cart."""


# --- notes ---------------------------------------------------------------------------------------------------------

NOTES: tuple[tuple[int, int], ...] = (*((n, 8) for n in range(13)),)
"""Notes of a user: none to a dozen."""
RULED_NOTES: tuple[tuple[int, int], ...] = ((0, 45), (1, 35), (2, 20))
"""Further notes, in which the user sets a rule for daily life."""
NOTE_DAYS = 45
"""Days before today in which they were written."""
NOTE_SAME_DAY = 12
"""That a note falls on a day that another one has."""
NoteKind: TypeAlias = Literal["rule", "remark", "topic"]
NOTE_KINDS: tuple[tuple[NoteKind, int], ...] = (("rule", 40), ("remark", 20), ("topic", 40))
NOTE_UNITS: tuple[tuple[int, int], ...] = ((2, 6), (3, 6), (4, 5), (5, 2), (6, 5), (8, 2), (10, 3), (12, 2))
NOTE_LIMIT_STEPS: Range = (10, 60)
"""Limit of a rule in steps of half a currency unit."""

# --- diets ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class DietRule:
    """What a product must not contain or be, and must be, to suit a diet, as far as labels tell."""

    allergens: tuple[str, ...] = ()
    health_tags: tuple[str, ...] = ()
    attributes: tuple[str, ...] = ()


DIETS: Mapping[Diet, DietRule] = {
    "egg_free": DietRule(allergens=("contains_egg",)),
    "gluten_free": DietRule(allergens=("contains_gluten",)),
    "lactose_free": DietRule(allergens=("contains_lactose",)),
    "nut_free": DietRule(allergens=("contains_nuts",)),
    "soy_free": DietRule(allergens=("contains_soy",)),
    "vegan": DietRule(attributes=("vegan",)),
    "low_fat": DietRule(health_tags=("high_fat",)),
    "low_sodium": DietRule(health_tags=("high_sodium",)),
    "low_sugar": DietRule(health_tags=("high_sugar",)),
}
"""Diets that a label can speak for; regulars suit them, other lines may be for the household."""
