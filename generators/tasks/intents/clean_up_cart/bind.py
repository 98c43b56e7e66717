"""Bind a rule to a cart: some lines fall under it and some do not, and every part of the rule matters."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, cast

from generators.tasks.intent import Binding
from generators.tasks.shop.cart import cart_setup, fill_cart
from schemas.task import Reference, Slot
from services.payments.records import Membership
from services.shopping.records import CartItem, Product

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from generators.tasks.intent import Cell, Scene
    from schemas.base import Json
    from services.runtime.streams import Stream

TRIES = 12
"""Draws of values per rule."""
RULES = (
    ("brand",),
    ("category",),
    ("price_over",),
    ("tag",),
    ("allergen",),
    ("category", "tag"),
    ("brand", "price_over"),
    ("category", "price_over"),
    ("brand", "tag"),
)


@dataclass(frozen=True, slots=True)
class Line:
    """A cart line with its product and what one pack costs now and by the list, in cents."""

    item: CartItem
    product: Product
    paid: int
    listed: int


_MATCHES: dict[str, Callable[[Line, Json], bool]] = {
    "brand": lambda line, value: line.product.brand == value,
    "category": lambda line, value: line.product.category == value,
    "price_over": lambda line, value: line.paid > cast("int", value),
    "tag": lambda line, value: value in line.product.health_tags,
    "allergen": lambda line, value: value in line.product.allergens,
}


def _lines(scene: Scene, items: Sequence[CartItem]) -> list[Line]:
    products = cast("dict[str, Product]", scene.records("products"))
    expires = cast("Membership", scene.records("membership")["membership"]).expires_on
    member = expires is not None and expires >= scene.today
    lines: list[Line] = []
    for item in items:
        product = products[item.product_id]
        listed = product.single_cents if item.size == "single_pack" else product.pack_cents
        full = product.discount_members_only and not member
        paid = listed if full else (listed * (100 - product.discount_percent) + 50) // 100
        lines.append(Line(item, product, paid, listed))
    return lines


def _values(name: str, lines: Sequence[Line]) -> list[Json]:
    """Return the values a rule part could have in this cart, in order."""
    found: set[Json] = set()
    for line in lines:
        match name:
            case "brand":
                found.add(line.product.brand)
            case "category":
                found.add(line.product.category)
            case "price_over":
                # Round limits that a reader of list prices gets wrong: paid is within, the list price is not.
                found |= set(range(-(-line.paid // 50) * 50, line.listed, 50))
            case "tag":
                found |= set(line.product.health_tags)
            case _:
                found |= set(line.product.allergens)
    return sorted(found, key=str)


def _vocabulary(name: str, scene: Scene) -> list[Json]:
    products = cast("dict[str, Product]", scene.records("products"))
    carried = [products[key] for key in scene.records("assortment")]
    lines = [
        Line(CartItem(id="", product_id=p.id, size="single_pack", quantity=1, added_at=""), p, 0, 0) for p in carried
    ]
    return _values(name, lines)


def _doomed(lines: Sequence[Line], rule: dict[str, Json]) -> set[str]:
    return {line.item.id for line in lines if all(_MATCHES[name](line, value) for name, value in rule.items())}


def _list_price_misleads(lines: Sequence[Line], rule: dict[str, Json]) -> bool:
    """Return whether reading list prices instead of prices paid would remove other lines."""
    if "price_over" not in rule:
        return True
    careless = [Line(line.item, line.product, line.listed, line.listed) for line in lines]
    return _doomed(careless, rule) != _doomed(lines, rule)


def _fits(form: str, lines: Sequence[Line], rule: dict[str, Json]) -> bool:
    doomed = _doomed(lines, rule)
    if not _list_price_misleads(lines, rule):
        return False
    if form == "none_satisfies":
        # Each part alone must be what keeps the other from matching, so that all of them matter.
        return not doomed and all(_doomed(lines, {k: v for k, v in rule.items() if k != name}) for name in rule)
    if not 1 <= len(doomed) < len(lines):
        return False
    return all(_doomed(lines, {k: v for k, v in rule.items() if k != name}) != doomed for name in rule)


_REFERS = {
    "brand": Reference(table="products", column="brand"),
    "category": Reference(table="products", column="category"),
    "tag": Reference(table="products", column="health_tags"),
    "allergen": Reference(table="products", column="allergens"),
}


def _slot(name: str, value: Json, lines: Sequence[Line], scene: Scene) -> Slot:
    if name == "price_over":
        others: list[Json] = [0, *(line.paid for line in lines), max(line.paid for line in lines) + 100]
    else:
        others = _vocabulary(name, scene)
    return Slot(
        name=name,
        kind="money_cents" if name == "price_over" else "name" if name == "brand" else "term",
        value=value,
        refers_to=_REFERS.get(name),
        alternatives=[other for other in others if other != value],
    )


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`, or None when no rule fits within the tries."""
    items = fill_cart(scene, stream)
    lines = _lines(scene, items)
    setup = cart_setup(scene, items)
    for names in stream.shuffled(RULES):
        for _ in range(TRIES):
            rule = _draw(cell.form, names, lines, scene, stream)
            if rule and _fits(cell.form, lines, rule):
                slots = tuple(_slot(name, value, lines, scene) for name, value in rule.items())
                return Binding(cell=cell, slots=slots, setup=setup, variant="+".join(names))
    return None


def _draw(form: str, names: tuple[str, ...], lines: Sequence[Line], scene: Scene, stream: Stream) -> dict[str, Json]:
    """Return a value for each part of a rule, or nothing when a part has none in this cart."""
    rule: dict[str, Json] = {}
    for name in names:
        if name == "price_over" and form != "fulfil":
            # No line is over the limit, but some list price is.
            paid, listed = max(line.paid for line in lines), max(line.listed for line in lines)
            pool: list[Json] = list(range(-(-paid // 50) * 50, listed, 50))
        else:
            pool = _values(name, lines) if form == "fulfil" else _vocabulary(name, scene)
        if not pool:
            return {}
        rule[name] = stream.choice(pool)
    return rule
