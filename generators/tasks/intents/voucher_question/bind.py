"""Bind a question to the user's vouchers: each condition decides, and some voucher at hand cannot be used."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from generators.tasks.intent import Binding
from schemas.task import Reference, Slot
from services.payments.records import Membership, Voucher

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from generators.tasks.intent import Cell, Scene
    from schemas.base import Json
    from services.runtime.streams import Stream

TRIES = 40
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


def _told(vouchers: Vouchers, rule: Rule, variant: str, form: str, but: str = "") -> object:
    """Return what would be told without the condition `but`; None where there is nothing to tell or no one best."""
    usable = vouchers.left(rule, but)
    if form != "fulfil":
        known = vouchers.left({name: value for name, value in rule.items() if name != "percent"}, but)
        best = sorted(((v.percent_off, v.expires_on) for v in known), reverse=True)
        return None if usable or not _ahead([percent for percent, _ in best]) else best[0]
    days = sorted(v.expires_on for v in usable)
    if variant == "count":
        return (len(days), days[-1]) if days else None
    first = min(usable, key=lambda v: v.expires_on, default=None)
    return (first.expires_on, first.percent_off) if first and _ahead(days) else None


def _ahead(values: Sequence[object]) -> bool:
    return bool(values) and (len(values) == 1 or values[0] != values[1])


def _good(vouchers: Vouchers, rule: Rule, variant: str, form: str) -> bool:
    """Return whether there is an answer, every condition of the rule decides, and so does one that goes unsaid."""
    told = _told(vouchers, rule, variant, form)
    if told is None or (variant == "count" and form == "fulfil" and len(vouchers.left(rule)) < 2):
        return False
    without = {name: _told(vouchers, rule, variant, form, name) for name in (*rule, *vouchers.standing)}
    return all(without[name] != told for name in rule) and any(without[name] != told for name in vouchers.standing)


def _slot(name: str, value: Json, brands: Sequence[str]) -> Slot:
    others: dict[str, Sequence[Json]] = {"brand": brands, "percent": PERCENTS, "spend": [100, *SPENDS, 10_000]}
    return Slot(
        name=name,
        kind={"brand": "name", "percent": "percent", "spend": "money_cents"}[name],  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        value=value,
        refers_to=_BRAND if name == "brand" else None,
        alternatives=[other for other in others[name] if other != value],
    )


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when no question fits the user's vouchers within the tries."""
    vouchers = Vouchers(scene)
    brands = sorted({voucher.brand for voucher in vouchers.all if voucher.brand is not None})
    pools: dict[str, Sequence[Json]] = {"brand": brands, "percent": PERCENTS, "spend": SPENDS}
    for names in stream.shuffled(QUESTIONS[cell.form]):
        for _ in range(TRIES if all(pools[name] for name in names) else 0):
            variant = "count" if stream.chance(1, 2) else "next"
            rule = {name: stream.choice(pools[name]) for name in names}
            if rule.get("spend") not in {v.min_spend_cents for v in vouchers.all} and _good(
                vouchers, rule, variant, cell.form
            ):
                slots = tuple(_slot(name, value, brands) for name, value in rule.items())
                return Binding(cell=cell, slots=slots, variant=variant)
    return None
