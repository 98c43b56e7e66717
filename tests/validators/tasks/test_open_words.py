"""What the user says must leave no choice, and what they keep back must need a question."""

from __future__ import annotations

from schemas.task import IntentUse
from tests.validators.tasks_support import altered, kept_back_where, told_where
from validators.tasks.conduct import check_user_stops
from validators.tasks.told import kept_back


def test_what_is_taken_back_must_not_be_what_another_part_states() -> None:
    """It would be open whether the other part is meant as well."""
    context = told_where(lambda c: c.task.script.change is not None and len(c.task.intents) > 1)
    change = context.task.script.change
    assert change is not None
    (name,) = change.first
    changed = next(slot for slot in context.told if slot.name == name)
    same = changed.model_copy(update={"name": "same", "value": change.first[name], "alternatives": []})
    other = next(use for use in context.task.intents if not name.startswith(use.prefix))

    def stating(use: IntentUse) -> IntentUse:
        return use.model_copy(update={"slots": [*use.slots, same]}) if use is other else use

    verdict = check_user_stops(altered(context, intents=[stating(use) for use in context.task.intents]))
    assert f"which {other.prefix}same states as well" in verdict.reason


def test_that_the_cheapest_is_wanted_is_not_kept_back() -> None:
    """Who does not ask and takes the cheapest would be right by chance."""
    context = kept_back_where(lambda c: any(slot.name.endswith("objective") for slot in kept_back(c)))

    def cheapest(use: IntentUse) -> IntentUse:
        slots = [s.model_copy(update={"value": "cheapest"}) if s.told == "on_request" else s for s in use.slots]
        return use.model_copy(update={"slots": slots})

    verdict = check_user_stops(altered(context, intents=[cheapest(use) for use in context.task.intents]))
    assert "which anyone would assume" in verdict.reason
