"""The check that every told fact and every constraint changes the result."""

from __future__ import annotations

import datetime as dt
from typing import get_args

from schemas import goal as g
from schemas.base import Json
from schemas.task import Patch, Slot
from tests.validators.tasks_support import altered, changed_where, context_of, contexts, kin_where
from validators.tasks.context import TaskContext
from validators.tasks.rewrites import sites_of
from validators.tasks.slots_matter import check_slots_matter
from validators.tasks.told import restated

BUY = "buy-best/fulfil"


def with_slots(context: TaskContext, slots: list[Slot]) -> TaskContext:
    use = context.task.intents[0]
    return altered(context, intents=[use.model_copy(update={"slots": slots})])


def without_condition(context: TaskContext, slot: str) -> TaskContext:
    """The task whose goal does not use a constraint that is told."""
    goal = context.parts[0].goal
    site = next(site for site in sites_of(goal) if site.kind == "condition" and slot in site.slots)
    return altered(context, goals=[site.rewrite(goal)])


def passing(template: str) -> TaskContext:
    for user in range(12):
        for context in contexts(user, 2):
            if context.task.template.startswith(template) and check_slots_matter(context).passed:
                return context
    raise LookupError(f"no task {template} passes")


def test_real_tasks_pass_but_for_a_few() -> None:
    verdicts = [(context.task, check_slots_matter(context)) for user in range(6) for context in contexts(user, 2)]
    passed = [task.template.split("/")[1] for task, verdict in verdicts if verdict.passed]
    assert len(passed) >= 0.95 * len(verdicts)
    assert {*passed} == {"fulfil", *get_args(g.Reason)}
    for _, verdict in verdicts:
        if verdict.passed:
            assert verdict.counts["slots"] == verdict.counts["changed"] > 0
            assert verdict.counts["constraints"] == verdict.counts["binding"]


def test_a_told_slot_that_the_goal_never_uses_is_caught() -> None:
    context = passing(BUY)
    planted = without_condition(context, "category")
    verdict = check_slots_matter(planted)
    assert "no alternative of slot 'category' changes the result" in verdict.reason
    assert "no condition speaks of the constraint 'category'" in verdict.reason


def test_a_constant_quantity_in_the_goal_is_caught() -> None:
    context = passing(BUY)
    (quantity,) = [slot.value for slot in context.told if slot.name == "quantity"]
    text = context.parts[0].goal.model_dump_json()
    fixed = text.replace('{"op":"slot","name":"quantity"}', f'{{"op":"const","value":{quantity}}}')
    assert fixed != text
    planted = altered(context, goals=[g.Goal.model_validate_json(fixed)])
    assert "no alternative of slot 'quantity' changes the result" in check_slots_matter(planted).reason


def test_a_constraint_that_rules_nothing_out_is_caught() -> None:
    context = passing(BUY)
    (quantity,) = [slot for slot in context.told if slot.name == "quantity"]
    goal = context.parts[0].goal
    loose = g.Test(fn="le", left=g.Col(name="total"), right=g.Slot(name="budget"))
    nodes = [
        node.model_copy(update={"rows": node.rows.model_copy(update={"where": g.All(of=[node.rows.where, loose])})})
        if node.name == "choices" and isinstance(node.rows, g.Select) and node.rows.where is not None
        else node
        for node in goal.nodes
    ]
    budget = quantity.model_copy(
        update={"name": "budget", "kind": "money_cents", "value": 10**9, "constraint": True, "alternatives": [1]}
    )
    planted = with_slots(altered(context, goals=[goal.model_copy(update={"nodes": nodes})]), [*context.told, budget])
    verdict = check_slots_matter(planted)
    assert verdict.reason == "leaving out the constraint 'budget' changes nothing"
    assert verdict.counts["changed"] == verdict.counts["slots"]


def test_a_slot_without_alternatives_or_with_idle_ones_is_caught() -> None:
    context = passing("clean-up-cart/fulfil")
    slot = context.told[0]
    idle: list[list[Json]] = [[], [slot.value]]
    for alternatives in idle:
        slots = [slot.model_copy(update={"alternatives": alternatives}), *context.told[1:]]
        assert f"no alternative of slot {slot.name!r}" in check_slots_matter(with_slots(context, slots)).reason


def test_both_ends_of_a_period_bind() -> None:
    context = passing("spending-question/fulfil/orders")
    assert check_slots_matter(context).counts == {
        "slots": 1,
        "changed": 1,
        "constraints": 2,
        "binding": 2,
        "first_wish": 0,
    }
    (slot,) = context.told
    assert isinstance(slot.value, list)
    wide = slot.model_copy(update={"value": ["1999-01-01", slot.value[1]]})
    assert (
        "leaving out the constraint 'period' changes nothing" in check_slots_matter(with_slots(context, [wide])).reason
    )


def test_refusals_are_looked_at_as_if_the_user_consented() -> None:
    """What is bought does not show in the result of a refused consent; what would be bought does."""
    context = passing("buy-best/consent_refused")
    assert check_slots_matter(context).counts["changed"] == len(context.told)
    assert not check_slots_matter(without_condition(context, "category")).passed


def test_a_task_without_slots_passes_with_its_reason() -> None:
    verdict = check_slots_matter(with_slots(context_of("clean-up-cart/fulfil"), []))
    assert verdict.passed
    assert verdict.evidence == "the task has no slots"


def test_a_first_wish_that_leads_to_the_same_is_caught_in_twins_too() -> None:
    """What matters in general is looked at in the task that a twin came from; its own change of mind is not."""
    for context in (changed_where(), kin_where("twin", lambda c: c.task.script.change is not None)):
        change = context.task.script.change
        assert change is not None
        assert check_slots_matter(context).counts["first_wish"] == len(change.first)
        first = {slot.name: slot.value for slot in restated(context)}
        script = context.task.script.model_copy(update={"change": change.model_copy(update={"first": first})})
        assert "leads to what the last one does" in check_slots_matter(altered(context, script=script)).reason


def test_a_twin_is_told_as_the_task_it_came_from() -> None:
    context = kin_where("twin", lambda c: c.task.script.change is None)
    assert check_slots_matter(context).counts == {"first_wish": 0}
    alone = altered(context, kin=None)
    assert check_slots_matter(alone).counts["slots"] == len(context.told)


def counted_back(context: TaskContext, ordered_on: str) -> TaskContext:
    """The question about the last 30 days, with all other orders than one moved away, and that one to a day."""
    first = (dt.date.fromisoformat(context.now[:10]) - dt.timedelta(days=30)).isoformat()
    done = [row for row in context.tables["transactions"].values() if row["settled_at"] is not None]
    days = [ordered_on, *("2020-01-01" for _ in done[1:])]
    setup = [
        Patch(
            table="transactions",
            id=str(row["id"]),
            record={**row, "created_at": f"{day}T12:00:00", "settled_at": f"{day}T12:01:00"},
        )
        for row, day in zip(done, days, strict=True)
    ]
    slots = [
        slot.model_copy(update={"value": [first, context.now[:10]]}) if slot.kind == "period" else slot
        for slot in context.told
    ]
    return altered(with_slots(context, slots), setup=setup)


def test_whether_the_first_of_the_last_days_is_meant_must_not_matter() -> None:
    context = context_of("spending-question/fulfil/orders")
    first = dt.date.fromisoformat(context.now[:10]) - dt.timedelta(days=30)
    at_edge = check_slots_matter(counted_back(context, first.isoformat()))
    inside = check_slots_matter(counted_back(context, (first + dt.timedelta(days=5)).isoformat()))
    assert "'period' may be taken to start on" in at_edge.reason
    assert "may be taken" not in inside.reason
