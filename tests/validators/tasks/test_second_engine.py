"""The check that the goal, evaluated in SQL, implies the task's expectation."""

from __future__ import annotations

from schemas.contract import Change, Equal
from tests.validators.tasks_support import altered, context_of, contexts
from validators.tasks.context import TaskContext
from validators.tasks.second_engine import check_second_engine, first_difference


def expecting(context: TaskContext, **changes: object) -> TaskContext:
    return altered(context, expectation=context.task.expectation.model_copy(update=changes))


def test_real_tasks_agree() -> None:
    for user in range(6):
        for context in contexts(user, 2):
            verdict = check_second_engine(context)
            assert verdict.passed, (context.task.task_id, verdict.reason)
            assert verdict.counts == {"compared": 1, "agreed": 1}


def test_a_wrong_value_is_named_with_its_path() -> None:
    context = context_of("buy-best/fulfil")
    contract = context.task.expectation.any_of[0]
    changes = list(contract.changes)
    at = next(i for i, change in enumerate(changes) if change.table == "assortment")
    changes[at] = changes[at].model_copy(update={"fields": {"stock": Equal(value=-1)}})
    verdict = check_second_engine(expecting(context, any_of=[contract.model_copy(update={"changes": changes})]))
    assert verdict.counts == {"compared": 1, "agreed": 0}
    assert verdict.reason.startswith(f"expectation.any_of[0].changes[{at}].fields.stock.value is -1")


def test_a_needless_grant_in_the_expectation_is_caught() -> None:
    context = context_of("buy-best/fulfil", ())
    grant = Change(op="update", table="permissions", id="purchase", fields={"allowed": Equal(value=True)})
    contract = context.task.expectation.any_of[0]
    granted = contract.model_copy(update={"changes": [*contract.changes, grant]})
    assert "the second engine finds nothing" in check_second_engine(expecting(context, any_of=[granted])).reason


def test_other_slots_than_the_plan_was_made_for_are_caught() -> None:
    context = context_of("buy-best/fulfil")
    use = context.task.intents[0]
    slots = [slot.model_copy(update={"value": 1}) if slot.name == "quantity" else slot for slot in use.slots]
    assert not check_second_engine(altered(context, intents=[use.model_copy(update={"slots": slots})])).passed


def test_a_missing_ask_a_missing_answer_and_a_missing_form_are_caught() -> None:
    context = context_of("buy-best/cannot_afford")
    assert ".asks[0]" in check_second_engine(expecting(context, asks=[])).reason
    answers = context.task.expectation.answers[:1]
    assert ".answers[1]" in check_second_engine(expecting(context, answers=answers)).reason
    several = next(
        context
        for user in range(12)
        for context in contexts(user, 2)
        if context.parts[0].goal.decline is not None and len(context.task.expectation.any_of) > 1
    )
    fewer = expecting(several, any_of=several.task.expectation.any_of[:1])
    assert ".any_of[1]" in check_second_engine(fewer).reason


def test_first_difference_tells_numbers_from_truths_and_absence_from_null() -> None:
    assert first_difference({"a": [1, {"b": None}]}, {"a": [1, {"b": None}]}) == ""
    assert first_difference({"a": 1}, {"a": True}) == "expectation.a is 1, the second engine finds True"
    assert first_difference({"a": None}, {}) == "expectation.a is None, the second engine finds nothing"
    assert first_difference([1], [1, 2]) == "expectation[1] is nothing, the second engine finds 2"
