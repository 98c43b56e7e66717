"""Past and pending orders as a binder sees them, and pending ones for the start of a task."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, cast

from generators.environments.moments import DAY, draw_waking, iso_time, moment, unused
from generators.tasks.intent import Binding
from generators.tasks.shop.bind import REFUSED, price
from schemas.task import Patch, Reference, Slot
from services.payments.checkout import APPROVAL_HOURS
from services.payments.records import Transaction
from services.runtime.records import to_data
from services.shopping.orders import ORDER_KIND
from services.shopping.records import SIZES, OrderLine, Product

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generators.tasks.intent import Cell, Scene
    from generators.tasks.shop.bind import Shop
    from schemas.base import Json
    from services.runtime.streams import Stream
    from services.shopping.records import Size

About = tuple[str, str]
"""A field of a product that tells orders apart (`name`, `category` or `brand`) and its value."""
SLOT_OF = {"name": "product", "category": "category", "brand": "brand"}
"""Field of a product -> the slot in which a user names its value."""
FIELDS = (("name", 5), ("category", 2), ("brand", 2))
"""Those fields, by how often a user tells orders apart by them."""
STALE_DAYS = (2, 20)
"""Days since a pending order that can no longer be paid was prepared."""
FRESH_SECONDS = (45 * 60, (APPROVAL_HOURS - 1) * 3600)
"""Age of a pending order that can still be paid."""


class Orders:
    """The user's orders, oldest first, and their lines."""

    def __init__(self, scene: Scene) -> None:
        """Read the transactions of a scene."""
        everything = [cast("Transaction", t) for t in scene.records("transactions").values()]
        self.times = {time for t in everything for time in (t.created_at, t.settled_at) if time is not None}
        self.first_day = min((t.created_at[:10] for t in everything), default="")
        self.orders = sorted((t for t in everything if t.kind == ORDER_KIND.name), key=lambda t: t.created_at)
        self.products = cast("dict[str, Product]", scene.records("products"))
        self.lines: dict[str, list[OrderLine]] = {}
        for record in scene.records("order_lines").values():
            line = cast("OrderLine", record)
            self.lines.setdefault(line.transaction_id, []).append(line)

    def lines_of(self, order: Transaction) -> list[OrderLine]:
        """Return the lines of an order."""
        return self.lines.get(order.id, [])

    def what(self, line: OrderLine, field: str) -> str:
        """Return the name, the category or the brand of what a line holds."""
        return getattr(self.products[line.product_id], field)

    def fits(self, line: OrderLine, about: About) -> bool:
        """Return whether a line is of the named product, category or brand."""
        return self.what(line, about[0]) == about[1]

    def of_status(self, *statuses: str) -> list[Transaction]:
        """Return the orders with one of these statuses, oldest first."""
        return [order for order in self.orders if order.status in statuses]

    def holds(self, order: Transaction, about: About) -> bool:
        """Return whether an order has a line of the named product, category or brand."""
        return any(self.fits(line, about) for line in self.lines_of(order))

    def values(self, orders: Sequence[Transaction], field: str) -> list[str]:
        """Return the different values of a field of the products that these orders hold, sorted."""
        return sorted({self.what(line, field) for order in orders for line in self.lines_of(order)})

    def slot(self, about: About, *, constraint: bool = True) -> Slot:
        """Return the slot in which the user says which order they mean; its alternatives are what any order holds."""
        field, value = about
        return Slot(
            name=SLOT_OF[field],
            kind="term" if field == "category" else "name",
            value=value,
            refers_to=Reference(table="products", column=field),
            constraint=constraint,
            alternatives=[cast("Json", other) for other in self.values(self.orders, field) if other != value],
        )


@dataclass(frozen=True, slots=True)
class Wanted:
    """A line of a pending order that is to be made."""

    product: Product
    size: Size
    quantity: int


def draw_wanted(shop: Shop, products: Sequence[Product], count: int, stream: Stream) -> list[Wanted]:
    """Return lines of up to `count` of the products, no more of each than the store has."""
    stock = {item.id: item.stock for item in shop.items}
    lines: list[Wanted] = []
    for product in stream.sample(products, min(count, len(products))):
        size: Size = "pack_5" if stream.chance(1, 4) else "single_pack"
        quantity = min(stream.between(1, 3), stock.get(product.id, 0) // SIZES[size])
        if quantity:
            lines.append(Wanted(product, size, quantity))
    return lines


def pending_order(scene: Scene, shop: Shop, lines: Sequence[Wanted], at: str, stream: Stream) -> list[Patch]:
    """Return the patches of a pending order of these lines at the prices of now, prepared at the time `at`."""
    token = stream.word()

    def new_id(prefix: str, ordinal: int) -> str:
        return f"{prefix}_{blake2b(f'{scene.seed}/{token}/{ordinal}'.encode(), digest_size=5).hexdigest()}"

    order_id = new_id("tx", 0)
    sold: list[OrderLine] = []
    for number, line in enumerate(lines, 1):
        listed = line.product.single_cents if line.size == "single_pack" else line.product.pack_cents
        paid = price(listed, line.product, shop.member)
        sold.append(
            OrderLine(
                id=new_id("line", number),
                transaction_id=order_id,
                product_id=line.product.id,
                size=line.size,
                quantity=line.quantity,
                unit_price_cents=paid,
            )
        )
    total = sum(line.quantity * line.unit_price_cents for line in sold)
    order = Transaction(
        id=order_id,
        kind=ORDER_KIND.name,
        status="pending",
        subtotal_cents=total,
        saving_cents=0,
        total_cents=total,
        voucher_id=None,
        created_at=at,
        settled_at=None,
    )
    return [
        Patch(table="transactions", id=order_id, record=to_data(order)),
        *(Patch(table="order_lines", id=line.id, record=to_data(line)) for line in sold),
    ]


def fresh_time(scene: Scene, orders: Orders, stream: Stream) -> str:
    """Return a time within the last day at which nothing else happened."""
    newest, oldest = FRESH_SECONDS
    now = moment(scene.now)
    return iso_time(unused(draw_waking(stream, now - oldest, now - newest), orders.times))


def stale_time(before: str, orders: Orders, stream: Stream, days: tuple[int, int] = STALE_DAYS) -> str:
    """Return a time some days before the day of `before` at which nothing else happened."""
    day = moment(before[:10]) - DAY * stream.between(*days)
    return iso_time(unused(draw_waking(stream, day, day + DAY - 1), orders.times))


def is_fresh(order: Transaction, scene: Scene) -> bool:
    """Return whether a pending order can still be paid, with an hour to spare."""
    return moment(scene.now) - moment(order.created_at) <= FRESH_SECONDS[1]


def is_stale(order: Transaction, scene: Scene) -> bool:
    """Return whether an order is from before yesterday, so that nobody has to look at the hour."""
    return moment(scene.now[:10]) - moment(order.created_at[:10]) > DAY


def order_binding(cell: Cell, orders: Orders, about: About, setup: Sequence[Patch]) -> Binding:
    """Return the binding of a request that means the order which holds what `about` says."""
    return Binding(
        cell=cell,
        slots=(orders.slot(about),),
        setup=tuple(setup),
        variant=SLOT_OF[about[0]],
        refused=REFUSED.get(cell.form, ()),
    )
