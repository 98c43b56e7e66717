"""The check that the instruction reads back as exactly the slots, each referring to one thing."""

from __future__ import annotations

import pytest

from schemas.base import Json
from schemas.task import Reference, Slot
from tests.validators.tasks_support import altered, context_of, contexts, world
from validators.tasks.context import TaskContext
from validators.tasks.references import check_references

BUY = "buy-best/fulfil"


def saying(context: TaskContext, text: str) -> TaskContext:
    return altered(context, instruction=text)


def with_slots(context: TaskContext, slots: list[Slot], text: str) -> TaskContext:
    use = context.task.intents[0]
    return altered(context, intents=[use.model_copy(update={"slots": slots})], instruction=text)


def reason(context: TaskContext) -> str:
    verdict = check_references(context)
    assert not verdict.passed
    return verdict.reason


def brand_slot(value: Json = None) -> Slot:
    brands = sorted({str(row["brand"]) for row in world().tables["products"]})
    refers = Reference(table="products", column="brand")
    return Slot(name="brand", kind="name", value=brands[0] if value is None else value, refers_to=refers)


def test_real_tasks_pass() -> None:
    for user in range(6):
        for context in contexts(user, 2):
            verdict = check_references(context)
            assert verdict.passed, (context.task.instruction, verdict.reason)


@pytest.mark.parametrize("template", [BUY, "clean-up-cart/fulfil", "spending-question/fulfil"])
def test_a_slot_that_the_text_leaves_out_is_caught(template: str) -> None:
    assert "is not in what is said" in reason(saying(context_of(template), "Please do it."))


def test_a_number_that_is_no_slot_is_caught() -> None:
    context = context_of(BUY)
    (quantity,) = [slot.value for slot in context.told if slot.name == "quantity"]
    assert isinstance(quantity, int)
    assert f"says {quantity + 1}" in reason(saying(context, f"{context.task.instruction} Or {quantity + 1} maybe."))


def test_an_amount_that_is_no_slot_is_caught() -> None:
    context = context_of("clean-up-cart/fulfil/brand")
    assert "says 1250, which is no money_cents" in reason(saying(context, f"{context.task.instruction} I have $12.50."))


def test_another_word_of_the_same_column_is_caught() -> None:
    context = context_of("clean-up-cart/fulfil/category")
    slot = next(slot for slot in context.told if slot.name == "category")
    others = sorted({str(row["category"]) for row in world().tables["products"]} - {str(slot.value)})
    text = f"{context.task.instruction} Not the {others[0]}."
    assert f"says {others[0]!r}, which is no term" in reason(saying(context, text))


def test_a_name_that_is_no_slot_is_caught() -> None:
    context = context_of("spending-question/fulfil/orders")
    name = str(world().tables["products"][5]["name"])
    assert f"names {name!r}" in reason(saying(context, f"{context.task.instruction} I liked the {name.lower()}."))


def test_a_period_off_by_a_day_is_caught() -> None:
    context = context_of("spending-question/fulfil/orders")
    text = "How many orders went through between 1 May 2031 and 30 May 2031?"
    assert "is not in what is said" in reason(saying(context, text))


def test_a_slot_whose_value_is_in_no_record_is_caught() -> None:
    context = context_of("clean-up-cart/fulfil/brand")
    broken = with_slots(context, [brand_slot("Nobody & Sons")], "Drop everything by Nobody & Sons.")
    assert "means 0 values of products.brand" in reason(broken)


def test_a_slot_that_could_mean_two_values_is_caught() -> None:
    context = context_of("clean-up-cart/fulfil/brand")
    column = Reference(table="permissions", column="id")
    slot = Slot(name="which", kind="term", value="purchase", refers_to=column)
    tables = {**context.tables, "permissions": {key: {"id": key} for key in ("purchase", "Purchases")}}
    both = with_slots(context, [slot], "Use the purchase permission.")
    both.__dict__["tables"] = tables
    both.task.setup.append(context_of(BUY, ("PURCHASE",)).task.setup[0].model_copy(update={"table": "permissions"}))
    assert "means 2 values of permissions.id" in reason(both)


def test_an_unknown_column_fails_the_check() -> None:
    context = context_of("clean-up-cart/fulfil/brand")
    slot = brand_slot().model_copy(update={"refers_to": Reference(table="products", column="colour")})
    with pytest.raises(KeyError):
        check_references(with_slots(context, [slot], f"Drop {slot.value}."))


def test_what_is_told_on_request_may_not_stand_in_the_instruction() -> None:
    context = context_of("clean-up-cart/fulfil/brand")
    slot = brand_slot().model_copy(update={"told": "on_request"})
    assert "is told on_request" in reason(with_slots(context, [slot], f"Drop things by {slot.value}."))
    assert check_references(with_slots(context, [slot], "Drop things by a maker I will name.")).passed


def test_a_longer_phrase_of_one_slot_is_no_shorter_one_of_another() -> None:
    context = context_of("clean-up-cart/fulfil/brand")
    refers = {name: Reference(table="products", column=name) for name in ("allergens", "category")}
    slots = [
        Slot(name="allergen", kind="term", value="contains_nuts", refers_to=refers["allergens"]),
        Slot(name="category", kind="term", value="bar", refers_to=refers["category"]),
    ]
    # "nuts" is a category as well.
    assert check_references(with_slots(context, slots, "Drop every bar that contains nuts.")).passed
    assert not check_references(with_slots(context, slots[1:], "Drop every bar and all nuts.")).passed


def test_one_pack_is_no_number_where_nothing_is_counted() -> None:
    context = context_of("clean-up-cart/fulfil/brand")
    slot = Slot(name="price_over", kind="money_cents", value=450)
    assert check_references(with_slots(context, [slot], "Drop lines where one pack costs more than $4.50.")).passed
    assert not check_references(
        with_slots(context, [slot], "Drop two lines where a pack costs more than $4.50.")
    ).passed


def test_a_name_refers_to_something() -> None:
    context = context_of("clean-up-cart/fulfil/brand")
    slots = [slot.model_copy(update={"refers_to": None}) for slot in context.task.intents[0].slots]
    verdict = check_references(with_slots(context, slots, context.task.instruction))
    assert "is a name, and refers to nothing" in verdict.reason
