"""Parts that take up what the part before them finds."""

from __future__ import annotations

from functools import cache

from generators.profiles import make_profile
from generators.tasks import Share, make_round
from schemas.plan import Tell
from schemas.provenance import Instruction
from schemas.task import IntentUse, Slot, Task
from tests.nonempty import nonempty
from tests.validators.tasks_support import SEED, altered, made, user_context, world
from validators.tasks import check_task
from validators.tasks.conduct import check_user_stops
from validators.tasks.context import TaskContext
from validators.tasks.schema import check_schema

USERS = 14


@cache
def chained() -> tuple[TaskContext, ...]:
    """Tasks in which a part takes up what another finds."""
    found: list[TaskContext] = []
    for user in range(USERS):
        environment = made(user).environment
        batch = make_round(SEED, make_profile(SEED, user), environment, world(), 0, 0, Share(multi_intent_percent=100))
        found += [TaskContext(user_context(user), t) for t in batch.candidates if "chained_parts" in t.features]
    return tuple(nonempty(found))


def taken(task: Task) -> Slot:
    return next(slot for use in task.intents for slot in use.slots if slot.told == "by_part")


def with_slot(context: TaskContext, **changes: object) -> TaskContext:
    """The task with its taken-up slot changed."""
    intents: list[IntentUse] = []
    for use in context.task.intents:
        slots = [slot.model_copy(update=changes) if slot.told == "by_part" else slot for slot in use.slots]
        intents.append(use.model_copy(update={"slots": slots}))
    return altered(context, intents=intents)


def test_chained_tasks_pass_every_check() -> None:
    failed = {v.check for context in chained() for v in check_task(context).verdicts if not v.passed}
    assert failed <= {"task.references", "task.slots_matter"}
    assert any(all(v.passed for v in check_task(context).verdicts) for context in chained())


def test_what_is_taken_up_is_what_the_plan_tells_before() -> None:
    for context in chained():
        slot, plan = taken(context.task), context.task.plan
        tells = [step for step in plan.steps if isinstance(step, Tell) and slot.source in step.answers]
        assert [tell.answers[slot.source] for tell in tells] == [slot.value]
        prefix = next(use.prefix for use in context.task.intents if any(s.told == "by_part" for s in use.slots))
        said = {origin.slot for origin in plan.nodes if isinstance(origin, Instruction)}
        assert prefix + slot.name not in said


def test_a_value_that_the_earlier_part_does_not_find_is_caught() -> None:
    context = chained()[0]
    other = taken(context.task).alternatives[0]
    assert "is no answer" not in check_user_stops(context).reason
    assert f"is {other!r}" in check_user_stops(with_slot(context, value=other)).reason


def test_a_source_that_is_no_earlier_answer_is_caught() -> None:
    assert "is no answer of an earlier part" in check_user_stops(with_slot(chained()[0], source="9.product")).reason


def test_a_source_of_a_slot_that_is_told_is_caught() -> None:
    assert "has a source" in check_user_stops(with_slot(chained()[0], told="upfront")).reason


def test_the_label_follows_from_the_slots() -> None:
    context = chained()[0]
    features = [feature for feature in context.task.features if feature != "chained_parts"]
    assert "features" in check_schema(altered(context, features=features)).reason
