"""Tools, tables and invariants of shopping."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from schemas.base import Json
from schemas.goal import Any, Const, Has, Slot, Test
from services.numbers import tenths
from services.payments.checkout import units
from services.payments.records import Transaction, Voucher
from services.payments.residue import left_over, unpaid
from services.runtime.declare import Alternative, Policy, Service, Table, Undo, View
from services.runtime.tools import Context, tool
from services.shopping.expressions import packs, unit_price
from services.shopping.flips import FLIPS
from services.shopping.invariants import INVARIANTS, SEEDING
from services.shopping.orders import (
    ORDER_KIND,
    line_totals,
    list_price,
    priced,
    product_of,
    require_stock,
    show_line,
    units_by_product,
    voucher_saving,
)
from services.shopping.records import SIZES, CartItem, OrderLine, Product, StockItem

PAGE_SIZE = 15


@tool(side="assistant", errors={"PAGE_OUT_OF_RANGE": "There is no such page."}, example={"page": 1})
def browse_items(
    c: Context, page: Annotated[int, Meta(description="Page number, from 1; a result says how many pages there are.")]
) -> dict[str, Json]:
    """List the products of the store, a page at a time. Health tags, stock and nutrition are shown by inspect_item.

    `page`, `total_pages` and `items` [{product_id, name, category, brand, price of one single pack before discount,
    discount as the factor that the price is multiplied with, discount_vip_only}].
    """
    carried = sorted(c.all(StockItem), key=lambda item: item.id)
    pages = max(1, -(-len(carried) // PAGE_SIZE))
    if not 1 <= page <= pages:
        c.refuse("PAGE_OUT_OF_RANGE", f"Pages run from 1 to {pages}.", total_pages=pages)
    shown = [product_of(c, item.id) for item in carried[(page - 1) * PAGE_SIZE : page * PAGE_SIZE]]
    return {
        "page": page,
        "total_pages": pages,
        "items": [
            {
                "product_id": p.id,
                "name": p.name,
                "category": p.category,
                "brand": p.brand,
                "price": units(p.single_cents),
                "discount": units(100 - p.discount_percent),
                "discount_vip_only": p.discount_members_only,
            }
            for p in shown
        ],
    }


@tool(
    side="assistant",
    errors={"INVALID_PRODUCT_ID": "The store carries no such product."},
    example={"product_id": "p_0423db_001"},
)
def inspect_item(c: Context, product_id: Annotated[str, Meta(description="Id of a product.")]) -> dict[str, Json]:
    """Return all details of a product. health_tags follow from its nutrition and count; label_tags are only printed.

    As a row of browse_items, and `health_tags`, `label_tags`, `allergens`, `attributes`, `stock` in units, `delivery`,
    `packaging` {measure g or ml, weight of one unit, nutrition per unit: calories in kcal, sugar_g, protein_g, fat_g,
    fiber_g, sodium_mg; a unit is what one single pack holds} and `purchase_options` [{size, units, price before
    discount}], the single pack first; `discount_percent`
    applies to every size, for members only where `discount_vip_only`.
    """
    item = c.get(StockItem, product_id)
    if item is None:
        c.refuse("INVALID_PRODUCT_ID", f"The store carries no product {product_id!r}.")
    p = product_of(c, product_id)
    return {
        "product_id": p.id,
        "name": p.name,
        "category": p.category,
        "brand": p.brand,
        "health_tags": list(p.health_tags),
        "label_tags": list(p.label_tags),
        "allergens": list(p.allergens),
        "attributes": list(p.attributes),
        "stock": item.stock,
        "delivery": item.delivery,
        "discount_percent": p.discount_percent,
        "discount_vip_only": p.discount_members_only,
        "packaging": {
            "measure": p.unit,
            "weight": p.serving_weight,
            "nutrition": {
                "calories": tenths(p.calories_dkcal),
                "sugar_g": tenths(p.sugar_dg),
                "protein_g": tenths(p.protein_dg),
                "fat_g": tenths(p.fat_dg),
                "fiber_g": tenths(p.fiber_dg),
                "sodium_mg": p.sodium_mg,
            },
        },
        "purchase_options": [
            {"size": size, "units": count, "price": units(list_price(p, size))} for size, count in SIZES.items()
        ],
    }


@tool(
    side="assistant",
    write=True,
    errors={
        "INVALID_PRODUCT_ID": "The store carries no such product.",
        "INVALID_SIZE": "The product is not sold in this size.",
        "OUT_OF_STOCK": "The store holds fewer units than the cart would need.",
    },
    example={"product_id": "p_0423db_001", "size": "single_pack", "quantity": 2},
    alternatives=(
        Alternative("size", "pack_5", "single_pack"),
        Alternative("size", "pack_5", "single_pack", scaled="quantity", times=5),
        Alternative("size", "single_pack", "pack_5"),
    ),
    undo=Undo("remove_from_cart", "cart_item_id", "cart_item_id"),
    splits="quantity",
)
def add_to_cart(
    c: Context,
    product_id: Annotated[str, Meta(description="Id of the product to add.")],
    size: Annotated[str, Meta(description="Size as shown by inspect_item, such as single_pack or pack_5.")],
    quantity: Annotated[int, Meta(description="Number of packs of this size, at least 1.", ge=1)],
) -> dict[str, Json]:
    """Add a line to the cart. A number of units is bought in the combination of packs that costs least.

    The new line: `cart_item_id`, product, size, quantity, `unit_price` of one pack and `line_total` at the prices of
    now.
    """
    if c.get(StockItem, product_id) is None:
        c.refuse("INVALID_PRODUCT_ID", f"The store carries no product {product_id!r}.")
    if size not in SIZES:
        c.refuse("INVALID_SIZE", f"{size!r} is not sold; sizes are {', '.join(SIZES)}.", sizes=list(SIZES))
    held = units_by_product(c.where(CartItem, "product_id", product_id)).get(product_id, 0)
    require_stock(c, {product_id: held + quantity * SIZES[size]})
    line = c.create(CartItem, product_id=product_id, size=size, quantity=quantity, added_at=c.stamp())
    ((_, price),) = priced(c, [line])
    return {"cart_item_id": line.id, **show_line(c, line, price)}


@tool(
    side="assistant",
    write=True,
    errors={"CART_ITEM_NOT_FOUND": "The cart has no such line."},
    example={"cart_item_id": "cart_0123456789"},
)
def remove_from_cart(
    c: Context, cart_item_id: Annotated[str, Meta(description="Id of the cart line, as shown by get_cart.")]
) -> dict[str, Json]:
    """Remove one line from the cart.

    `removed`, the id of the line.
    """
    line = c.get(CartItem, cart_item_id)
    if line is None:
        c.refuse("CART_ITEM_NOT_FOUND", f"The cart has no line {cart_item_id!r}.")
    c.delete(line)
    return {"removed": cart_item_id}


def _cart(c: Context) -> list[CartItem]:
    return sorted(c.all(CartItem), key=lambda line: (line.added_at, line.id))


@tool(side="assistant")
def get_cart(c: Context) -> dict[str, Json]:
    """Return the lines of the cart in the order they were added, at the prices of now.

    `items` [{cart_item_id, product_id, name, brand, category, size, quantity, unit_price of one pack, line_total}] and
    `total`.
    """
    lines = priced(c, _cart(c))
    total = sum(cents for _, cents in line_totals(lines))
    return {
        "items": [{"cart_item_id": line.id, **show_line(c, line, price)} for line, price in lines],
        "total": units(total),
    }


@tool(
    side="assistant",
    write=True,
    gates=("PURCHASE",),
    errors={
        "CART_EMPTY": "There is nothing in the cart.",
        "OUT_OF_STOCK": "The store holds fewer units than the cart needs.",
        "VOUCHER_NOT_FOUND": "The user has no such voucher.",
        "VOUCHER_NOT_USABLE": "The voucher cannot be used for this order; `reason` says why.",
    },
    example={"voucher_id": None},
)
def prepare_order(
    c: Context,
    voucher_id: Annotated[str | None, Meta(description="Voucher to apply, or null for none.")] = None,
) -> dict[str, Json]:
    """Turn the whole cart into a pending order. A voucher is used only when the user asks; the user pays at checkout.

    `transaction_id`, `status`, `items`, `subtotal`, `saving` by the voucher and `final_total`, in currency units.
    """
    lines = priced(c, _cart(c))
    if not lines:
        c.refuse("CART_EMPTY", "There is nothing in the cart.")
    require_stock(c, units_by_product(line for line, _ in lines))
    totals = line_totals(lines)
    saving = 0
    if voucher_id is not None:
        voucher = c.get(Voucher, voucher_id)
        if voucher is None:
            c.refuse("VOUCHER_NOT_FOUND", f"The user has no voucher {voucher_id!r}.")
        saving = voucher_saving(c, voucher, totals)
    subtotal = sum(cents for _, cents in totals)
    order = c.create(
        Transaction,
        kind=ORDER_KIND.name,
        status="pending",
        subtotal_cents=subtotal,
        saving_cents=saving,
        total_cents=subtotal - saving,
        voucher_id=voucher_id,
        created_at=c.stamp(),
        settled_at=None,
    )
    for line, price in lines:
        c.create(
            OrderLine,
            transaction_id=order.id,
            product_id=line.product_id,
            size=line.size,
            quantity=line.quantity,
            unit_price_cents=price,
        )
        if isinstance(line, CartItem):
            c.delete(line)
    return {
        "transaction_id": order.id,
        "status": order.status,
        "items": [show_line(c, line, price) for line, price in lines],
        "subtotal": units(subtotal),
        "saving": units(saving),
        "final_total": units(order.total_cents),
    }


_LINE_FIELDS = ("transaction_id", "product_id", "size", "unit_price_cents", "quantity")
_UNPAID_ORDER = (unpaid(ORDER_KIND.name), left_over("order_lines", _LINE_FIELDS, at_most=6))
"""An order that could not be paid, with its lines."""

SERVICE = Service(
    name="shopping",
    summary="A store to browse, a cart, and orders.",
    family="shopping",
    tables=(
        Table("assortment", StockItem, "item", references={"id": "products"}),
        Table(
            "cart",
            CartItem,
            "cart",
            references={"product_id": "assortment"},
            stamps=("added_at",),
            observed=("added_at",),
            indexes=("product_id",),
        ),
        Table(
            "order_lines",
            OrderLine,
            "line",
            references={"transaction_id": "transactions", "product_id": "products"},
            view=View(keys=("transaction_id", "product_id", "size", "unit_price_cents"), sums=("quantity",)),
            indexes=("transaction_id",),
        ),
    ),
    world_tables=(Table("products", Product, "product"),),
    flips=FLIPS,
    tools=(browse_items, inspect_item, add_to_cart, remove_from_cart, get_cart, prepare_order),
    invariants=INVARIANTS,
    seeding=SEEDING,
    residue={"BALANCE": _UNPAID_ORDER},
    policies=(
        Policy(
            name="voucher_only_if_asked",
            text="Use a voucher only when the user has asked for it.",
            tool="prepare_order",
            holds=Any(
                of=[
                    Test(fn="eq", left=Slot(name="voucher_id"), right=Const(value=None)),
                    Has(column="permits", value=Const(value="voucher")),
                ]
            ),
        ),
    ),
    named={"unit_price": unit_price, "packs": packs},
    transaction_kinds=(ORDER_KIND,),
)
