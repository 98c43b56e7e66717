"""Bind a question to the user's vouchers: each condition decides, and some voucher at hand cannot be used."""

from __future__ import annotations

import datetime as dt
from hashlib import blake2b
from typing import TYPE_CHECKING, cast

from generators.environments import odds
from generators.environments.shopping.vouchers import describe
from generators.tasks.intent import Binding
from schemas.task import Patch, Reference, Slot
from services.payments.records import Membership, Voucher
from services.runtime.records import to_data

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from generators.tasks.intent import Cell, Scene
    from schemas.base import Json
    from services.runtime.streams import Stream
    from services.shopping.records import Product

TRIES = 12
GIVEN_TRIES = 5
"""Sets of further vouchers that are tried."""
DAYS_LEFT = (1, 120)
LEAST_COUNT = 2
QUESTIONS = {
    "fulfil": (("brand",), ("percent",), ("brand", "percent"), ("brand", "spend")),
    "none_satisfies": (("percent",), ("brand", "percent"), ("brand", "spend", "percent")),
}
"""Form -> sets of conditions that the user may name."""
PERCENTS = (10, 15, 20, 25, 30, 40)
SPENDS = tuple(range(300, 3000, 100))
_BRAND = Reference(table="products", column="brand")
Rule = dict[str, "Json"]


class Vouchers:
    """The vouchers of a scene, and which of them a rule leaves."""

    def __init__(self, scene: Scene) -> None:
        """Read them."""
        self.all = cast("list[Voucher]", list(scene.records("vouchers").values()))
        expires = cast("Membership", scene.records("membership")["membership"]).expires_on
        member = expires is not None and expires >= scene.today
        self.standing: Mapping[str, Callable[[Voucher], bool]] = {
            "used": lambda voucher: voucher.used_in is None,
            "expired": lambda voucher: voucher.expires_on >= scene.today,
            "members": lambda voucher: member or not voucher.members_only,
        }

    def left(self, rule: Rule, but: str = "") -> list[Voucher]:
        """Return what can be used under a rule, were it not for the condition `but`."""
        kept = [v for v in self.all if all(holds(v) for name, holds in self.standing.items() if name != but)]
        return [v for v in kept if all(_fits(v, name, value) for name, value in rule.items() if name != but)]


def _fits(voucher: Voucher, name: str, value: Json) -> bool:
    if name == "brand":
        return voucher.brand in (None, value)
    limit = cast("int", value)
    return voucher.min_spend_cents <= limit if name == "spend" else voucher.percent_off >= limit


def _told(vouchers: Vouchers, rule: Rule, variant: str, form: str, but: str = "") -> set[tuple[object, object]]:
    """Return all that could be told without the condition `but`: several things where no voucher is ahead."""
    usable = vouchers.left(rule, but)
    if form != "fulfil":
        known = _known(vouchers, rule, but)
        best = max((voucher.percent_off for voucher in known), default=0)
        return set() if usable else {(v.percent_off, v.expires_on) for v in known if v.percent_off == best}
    days = sorted(voucher.expires_on for voucher in usable)
    if variant == "count":
        return {(len(days), days[-1])} if days else set()
    return {(v.expires_on, v.percent_off) for v in usable if v.expires_on == days[0]}


def _good(vouchers: Vouchers, rule: Rule, variant: str, form: str) -> bool:
    """Return whether there is an answer, every condition of the rule decides, and so does one that goes unsaid."""
    told = _told(vouchers, rule, variant, form)
    usable = vouchers.left(rule)
    days = sorted((voucher.expires_on for voucher in usable), reverse=variant == "count")
    if len(told) != 1 or (usable and not _ahead(days)):
        return False
    if form == "fulfil" and variant == "count" and len(usable) < LEAST_COUNT:
        return False
    if form != "fulfil" and not _ahead(sorted((v.percent_off for v in _known(vouchers, rule)), reverse=True)):
        return False
    decides = {n: told.isdisjoint(_told(vouchers, rule, variant, form, n)) for n in (*rule, *vouchers.standing)}
    return all(decides[name] for name in rule) and any(decides[name] for name in vouchers.standing)


def _known(vouchers: Vouchers, rule: Rule, but: str = "") -> list[Voucher]:
    """Return the vouchers that could be used, whatever they take off."""
    return vouchers.left({name: value for name, value in rule.items() if name != "percent"}, but)


def _ahead(values: Sequence[object]) -> bool:
    return len(values) == 1 or values[0] != values[1]


def _slot(name: str, value: Json, brands: Sequence[str]) -> Slot:
    others: dict[str, Sequence[Json]] = {"brand": brands, "percent": [5, *PERCENTS], "spend": [100, *SPENDS, 10_000]}
    return Slot(
        name=name,
        kind={"brand": "name", "percent": "percent", "spend": "money_cents"}[name],  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        value=value,
        refers_to=_BRAND if name == "brand" else None,
        alternatives=[other for other in others[name] if other != value],
    )


def _given(scene: Scene, brands: Sequence[str], stream: Stream) -> list[Patch]:
    """Return the patches of a few vouchers more, of which one has expired."""
    patches: list[Patch] = []
    token = stream.word()
    for ordinal in range(stream.between(2, 3)):
        key = f"vch_{blake2b(f'{scene.seed}/{token}/{ordinal}'.encode(), digest_size=5).hexdigest()}"
        # The one that has run out is the best of them, so that overlooking the date makes a difference.
        expired = ordinal == 0
        percent = max(odds.PERCENTS) if expired else stream.choice(odds.PERCENTS)
        least = stream.choice(odds.LOW_SPENDS)
        brand = None if expired or stream.chance(1, 2) else stream.choice(brands)
        members_only = not expired and stream.chance(1, 4)
        days = -stream.between(1, 30) if expired else stream.between(*DAYS_LEFT)
        last_day = dt.date.fromisoformat(scene.today) + dt.timedelta(days=days)
        voucher = Voucher(
            id=key,
            description=describe(percent, brand, least, members_only),
            brand=brand,
            members_only=members_only,
            expires_on=last_day.isoformat(),
            min_spend_cents=least,
            percent_off=percent,
            used_in=None,
        )
        patches.append(Patch(table="vouchers", id=key, record=to_data(voucher)))
    return patches


def _bind(cell: Cell, scene: Scene, setup: Sequence[Patch], stream: Stream) -> Binding | None:
    vouchers = Vouchers(scene.after(setup))
    brands = sorted({voucher.brand for voucher in vouchers.all if voucher.brand is not None})
    pools: dict[str, Sequence[Json]] = {"brand": brands, "percent": PERCENTS, "spend": SPENDS}
    for names in stream.shuffled(QUESTIONS[cell.form]):
        for _ in range(TRIES if all(pools[name] for name in names) else 0):
            variant = "count" if stream.chance(1, 2) else "next"
            rule = {name: stream.choice(pools[name]) for name in names}
            at_the_edge = rule.get("spend") in {voucher.min_spend_cents for voucher in vouchers.all}
            if not at_the_edge and _good(vouchers, rule, variant, cell.form):
                slots = tuple(_slot(name, value, brands) for name, value in rule.items())
                return Binding(cell=cell, slots=slots, setup=tuple(setup), variant=variant)
    return None


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when no question fits the user's vouchers, even with a few more."""
    found = _bind(cell, scene, (), stream)
    products = cast("dict[str, Product]", scene.records("products"))
    brands = sorted({products[key].brand for key in scene.records("assortment")})
    for number in range(0 if found else GIVEN_TRIES):
        setup = _given(scene, brands, stream.child(number))
        found = found or _bind(cell, scene, setup, stream)
    return found
