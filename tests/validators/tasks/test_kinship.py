"""The check of kin: real twins and variations hold, and every way in which two tasks are no kin is caught."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from schemas.task import Kin
from tests.nonempty import nonempty
from tests.validators.tasks_support import context_of, kin_where, talkative_contexts
from validators.tasks.context import TaskContext
from validators.tasks.kinship import UNDECIDED, check_kin

if TYPE_CHECKING:
    from schemas.task import Task


def first_of(context: TaskContext) -> Task:
    """The task that one came from."""
    kin = context.task.kin
    assert kin is not None
    (found,) = [peer for peer in context.peers if peer.task_id == kin.of]
    return found


def beside(context: TaskContext, task: Task | None = None, **changes: object) -> TaskContext:
    """The task beside the one that it came from, either of them changed."""
    first = first_of(context).model_copy(update=changes)
    return TaskContext(context.user, task or context.task, [first])


def reason(context: TaskContext) -> str:
    verdict = check_kin(context)
    assert not verdict.passed
    return verdict.reason


def passing(kind: str) -> TaskContext:
    return kin_where(kind, lambda context: check_kin(context).passed)


def flipped_record() -> TaskContext:
    """A twin that starts otherwise."""
    return kin_where("twin", lambda c: c.task.setup != first_of(c).setup and check_kin(c).passed)


def flipped_consent() -> TaskContext:
    """A twin whose user answers otherwise."""
    return kin_where("twin", lambda c: c.task.setup == first_of(c).setup and check_kin(c).passed)


def test_nearly_all_real_kin_pass() -> None:
    kin = [context for context in talkative_contexts(5) if context.task.kin is not None]
    passed = [context for context in nonempty(kin) if check_kin(context).passed]
    assert len(passed) >= 0.85 * len(kin)
    for context in passed:
        counts = check_kin(context).counts
        twin = context.task.kin is not None and context.task.kin.kind == "twin"
        assert counts == {"of": 2 if twin else 0, "passed": 0}


def test_a_task_that_came_from_no_other_has_nothing_to_show() -> None:
    verdict = check_kin(context_of("buy-best/fulfil"))
    assert verdict.passed and verdict.counts == {} and verdict.evidence == "the task is the first of its scenario"


def test_a_candidate_is_looked_at_when_it_has_its_place() -> None:
    """A place decides which tasks are beside it; what no place was found for is never kept."""
    context = passing("twin")
    waiting = TaskContext(context.user, context.task, placed=False)
    assert check_kin(waiting).passed and check_kin(waiting).evidence == UNDECIDED
    assert "is no earlier task of the user's round" in reason(TaskContext(context.user, context.task))


@pytest.mark.parametrize("kind", ["twin", "variation"])
def test_the_other_task_must_be_the_first_of_the_same_scenario(kind: str) -> None:
    context = passing(kind)
    assert "is no earlier task" in reason(beside(context, ordinal=context.task.ordinal + 1))
    assert "is no earlier task" in reason(beside(context, ordinal=context.task.ordinal))
    assert f"that of {first_of(context).task_id} is 'abc'" in reason(beside(context, scenario="abc"))
    kin = Kin(kind="variation", of="u000000-t00000")
    assert "is itself a variation of u000000-t00000" in reason(beside(context, kin=kin))


# --- twins -----------------------------------------------------------------------------------------------------------


def test_twins_that_say_different_things_are_caught() -> None:
    context = passing("twin")
    said = "the twins do not say the same"
    assert said in reason(beside(context, instruction="Something else."))
    use, *others = first_of(context).intents
    slot, *more = use.slots
    for changes in ({"value": "other"}, {"told": "implicit"}):
        slots = [slot.model_copy(update=changes), *more]
        assert said in reason(beside(context, intents=[use.model_copy(update={"slots": slots}), *others]))
    script = first_of(context).script.model_copy(update={"permits": ["membership"]})
    assert said in reason(beside(context, script=script))


def test_twins_that_change_their_mind_differently_are_caught() -> None:
    context = kin_where("twin", lambda c: c.task.script.change is not None and check_kin(c).passed)
    script = first_of(context).script
    assert script.change is not None
    for change in (None, script.change.model_copy(update={"message": "Yes, and something else."})):
        assert "the twins do not say the same" in reason(
            beside(context, script=script.model_copy(update={"change": change}))
        )


def test_twins_that_differ_in_nothing_are_caught() -> None:
    context = passing("twin")
    first = first_of(context)
    same = first.model_copy(
        update={"kin": context.task.kin, "task_id": context.task.task_id, "ordinal": context.task.ordinal}
    )
    told = reason(beside(context, same))
    assert "the twins differ in 0 things: none" in told
    assert f"the gold of {first.task_id} passes its twin" in told
    assert f"the gold of {same.task_id} passes its twin" in told


def test_twins_that_differ_in_a_record_and_in_a_consent_are_caught() -> None:
    context = kin_where(
        "twin", lambda c: c.task.setup != first_of(c).setup and bool(c.task.script.consents) and check_kin(c).passed
    )
    script = first_of(context).script
    (consent, *others) = script.consents
    consents = [consent.model_copy(update={"granted": not consent.granted}), *others]
    told = reason(beside(context, script=script.model_copy(update={"consents": consents})))
    assert "the twins differ in 2 things: " in told and f"the consent for {consent.gate}" in told


def test_twins_that_differ_in_two_records_are_caught() -> None:
    context = flipped_record()
    first = first_of(context)
    table = next(name for name, rows in context.tables.items() if rows)
    key, record = next(
        (key, row)
        for key, row in context.tables[table].items()
        if (table, key) not in {(p.table, p.id) for p in context.task.setup}
    )
    patch = context.task.setup[0].model_copy(update={"table": table, "id": key, "record": dict(record)})  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType, reportCallIssue]
    assert "the twins differ in 2 things" in reason(beside(context, setup=[*first.setup, patch]))


def test_twins_whose_golds_pass_each_other_are_caught() -> None:
    """The plan of the one is put into the other: what it wants is what it did before."""
    context = flipped_record()
    first = first_of(context)
    plan = context.task.plan
    assert f"the gold of {first.task_id} passes its twin" in reason(beside(context, plan=plan))


def test_a_flipped_consent_is_one_thing() -> None:
    context = flipped_consent()
    gates = {c.gate: c for c in first_of(context).script.consents}
    assert len([c for c in context.task.script.consents if gates[c.gate] != c]) == 1
    assert check_kin(context).counts == {"of": 2, "passed": 0}


# --- variations ------------------------------------------------------------------------------------------------------


def test_a_variation_that_reads_the_same_is_caught() -> None:
    context = passing("variation")
    assert "the variation reads as the other task does" in reason(beside(context, instruction=context.task.instruction))


def test_a_variation_that_wants_something_else_is_caught() -> None:
    context = passing("variation")
    first, other = first_of(context), context_of("spending-question/fulfil").task
    script = first.script.model_copy(update={"consents": [*first.script.consents, *first.script.consents]})
    if not first.script.consents:
        script = other.script.model_copy(update={"consents": context_of("buy-best/fulfil").task.script.consents})
    for name, changes in {
        "start": {"start_hash": "0" * 32},
        "goals": {"goals": [*first.goals, *first.goals]},
        "expectation": {"expectation": other.expectation},
        "consents": {"script": script},
    }.items():
        assert f"the variation has another {name}" in reason(beside(context, **changes))
