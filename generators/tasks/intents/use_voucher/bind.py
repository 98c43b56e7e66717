"""Bind an order to a wallet of vouchers: one saves most, and what misleads lies beside it; or none can be used."""

from __future__ import annotations

from dataclasses import replace
from datetime import date, timedelta
from hashlib import blake2b
from typing import TYPE_CHECKING

from generators.environments import odds
from generators.environments.shopping.vouchers import describe
from generators.tasks.intent import Binding
from generators.tasks.shop.bind import REFUSED, Shop, product_slot, quantity_slot, start
from schemas.task import Patch
from services.payments.records import Voucher
from services.runtime.records import to_data

if TYPE_CHECKING:
    from generators.tasks.intent import Cell, Scene
    from generators.tasks.shop.bind import Offer
    from services.runtime.streams import Stream

TRIES = 60
MOST_UNITS = 15
GIFTS = 4
"""Tries with one voucher more."""
VALID_DAYS = (2, 60)
EXPIRED_DAYS = (1, 40)
"""Days since the last day of a voucher that would spoil a decline."""


class _Wallet:
    """The user's vouchers, looked at for one order."""

    def __init__(self, scene: Scene, shop: Shop) -> None:
        self.today = scene.today
        self.member = shop.member
        self.vouchers = shop.vouchers

    def valid(self, offer: Offer) -> list[Voucher]:
        """Return the vouchers that only the minimum spend could rule out."""
        return [
            v
            for v in self.vouchers
            if v.used_in is None
            and v.expires_on >= self.today
            and (self.member or not v.members_only)
            and v.brand in (None, offer.product.brand)
        ]

    def misleads(self, offer: Offer, percent: int) -> bool:
        """Return whether a voucher of more than `percent` falls to a single condition, which one may overlook."""
        return any(self._failed(v, offer) == 1 for v in self.vouchers if v.percent_off > percent)

    def _failed(self, voucher: Voucher, offer: Offer) -> int:
        if voucher.brand not in (None, offer.product.brand):
            return 0
        return (
            (voucher.used_in is not None)
            + (voucher.expires_on < self.today)
            + (voucher.members_only and not self.member)
            + (voucher.min_spend_cents > offer.total)
        )

    def usable(self, offer: Offer) -> list[Voucher]:
        """Return the vouchers that can be used, the one that saves most first."""
        fitting = [v for v in self.valid(offer) if v.min_spend_cents <= offer.total]
        return sorted(fitting, key=lambda v: -saving(v, offer))


def saving(voucher: Voucher, offer: Offer) -> int:
    """Return what a voucher takes off an order of nothing but the offer, in cents, half up."""
    return (2 * offer.total * voucher.percent_off + 100) // 200


def _binding(cell: Cell, scene: Scene, shop: Shop, offer: Offer, units: int, paid: int, stream: Stream) -> Binding:
    others = stream.sample(shop.items, min(len(shop.items), 12))
    return Binding(
        cell=cell,
        slots=(product_slot(shop, offer.item, others), quantity_slot(units, (units + 1, units - 1, 2 * units))),
        setup=tuple(start(scene, cell, paid, stream)),
        refused=REFUSED.get(cell.form, ()),
    )


def _best(cell: Cell, scene: Scene, shop: Shop, offer: Offer, units: int, stream: Stream) -> Binding | None:
    """Bind an order for which one voucher saves most, while another looks better."""
    wallet = _Wallet(scene, shop)
    usable = wallet.usable(offer)
    if not usable:
        return None
    best = saving(usable[0], offer)
    if len(usable) > 1 and saving(usable[1], offer) == best:
        return None
    if not wallet.misleads(offer, usable[0].percent_off) and not (offer.misleads and len(usable) > 1):
        return None
    return _binding(cell, scene, shop, offer, units, offer.total - best, stream)


def _none(cell: Cell, scene: Scene, shop: Shop, offer: Offer, units: int, stream: Stream) -> Binding | None:
    """Bind an order that stays below the minimum of some voucher, after what could be used has run out."""
    wallet = _Wallet(scene, shop)
    gaps = sorted(v.min_spend_cents - offer.total for v in wallet.valid(offer) if v.min_spend_cents > offer.total)
    if not gaps or gaps[:1] == gaps[1:2]:
        return None
    days = date.fromisoformat(scene.today)
    expired = tuple(
        scene.patch("vouchers", v.id, expires_on=(days - timedelta(stream.between(*EXPIRED_DAYS))).isoformat())
        for v in wallet.usable(offer)
    )
    binding = _binding(cell, scene, shop, offer, units, offer.total, stream)
    return replace(binding, setup=(*expired, *binding.setup))


def _given(scene: Scene, stream: Stream) -> Patch:
    """Return the patch by which the user has one more voucher, good for everything and valid for a while."""
    percent, least = stream.choice(odds.PERCENTS), stream.choice(odds.LOW_SPENDS)
    last_day = date.fromisoformat(scene.today) + timedelta(stream.between(*VALID_DAYS))
    key = blake2b(f"{scene.seed}/{stream.word()}".encode(), digest_size=5).hexdigest()
    voucher = Voucher(
        id=f"vch_{key}",
        description=describe(percent, None, least, members_only=False),
        brand=None,
        members_only=False,
        expires_on=last_day.isoformat(),
        min_spend_cents=least,
        percent_off=percent,
        used_in=None,
    )
    return Patch(table="vouchers", id=voucher.id, record=to_data(voucher))


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when the wallet offers none within the tries.

    Where the user's own vouchers are good for nothing, there is one more.
    """
    found = _search(cell, scene, stream)
    for _ in range(GIFTS):
        if found is not None:
            return found
        given = _given(scene, stream)
        found = _search(cell, scene.after([given]), stream)
        if found is not None:
            changed = any(patch.id == given.id for patch in found.setup)
            return found if changed else replace(found, setup=(given, *found.setup))
    return found


def _search(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    shop = Shop(scene)
    form = _none if cell.form == "none_satisfies" else _best
    for _ in range(TRIES if shop.sought else 0):
        item, units = stream.choice(shop.sought), stream.between(2, MOST_UNITS)
        if item.stock < units:
            continue
        binding = form(cell, scene, shop, shop.offer(item, units), units, stream)
        if binding is not None:
            return binding
    return None
