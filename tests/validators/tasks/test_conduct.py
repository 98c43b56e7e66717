"""Policy, confirmations, tools that are offered, and a user who comes to an end."""

from __future__ import annotations

from schemas.plan import Call, Confirm, Tell
from tests.validators.tasks_support import altered, context_of, contexts, position, replanned
from validators.tasks.conduct import check_policy, check_tools_offered, check_user_stops
from validators.tasks.context import TaskContext
from validators.tasks.schema import check_schema


def with_call(context: TaskContext, at: int, **changes: object) -> TaskContext:
    return replanned(context, lambda steps: [*steps[:at], steps[at].model_copy(update=changes), *steps[at + 1 :]])


def test_real_tasks_pass() -> None:
    seen = [check for context in contexts(0) for check in (check_policy, check_user_stops, check_tools_offered)]
    assert len(seen) > 20
    for context in contexts(0):
        for check in (check_policy, check_user_stops, check_tools_offered):
            assert check(context).passed, check(context).reason


def test_a_voucher_that_nobody_asked_for_is_caught() -> None:
    context = context_of("buy-best/fulfil", ())
    at = position(context.task.plan, "prepare_order")
    verdict = check_policy(with_call(context, at, arguments={"voucher_id": "vch_0"}))
    assert "voucher_only_if_asked" in verdict.reason
    asked = altered(with_call(context, at, arguments={"voucher_id": "vch_0"}))
    script = context.task.script.model_copy(update={"permits": ["voucher"]})
    assert check_policy(altered(asked, script=script)).passed


def test_nobody_permits_what_no_policy_asks_for() -> None:
    context = context_of("buy-best/fulfil", ())
    for permits in (["anything"], ["voucher", "membership"], ["voucher", "voucher"]):
        script = context.task.script.model_copy(update={"permits": permits})
        assert "the permits are" in check_schema(altered(context, script=script)).reason


def test_a_membership_that_nobody_offered_is_caught() -> None:
    context = context_of("buy-best/fulfil", ())
    at = position(context.task.plan, "prepare_order")
    request = {"tool": "upgrade_membership_request", "arguments": {"vip_duration": "1_month"}}
    assert "membership_only_if_offered" in check_policy(with_call(context, at, **request)).reason


def test_calls_that_need_a_yes_and_confirmations_of_something_else_are_caught() -> None:
    context = context_of("buy-best/fulfil", ())
    change = Call(side="assistant", tool="update_profile", arguments={"health_risks": []}, origins={})
    bare = replanned(context, lambda steps: [change, *steps])
    assert "without the user's confirmation" in check_policy(bare).reason
    other = Confirm(tool="update_profile", arguments={"health_risks": ["asthma"]})
    assert "never used" in check_policy(replanned(context, lambda steps: [other, change, *steps])).reason
    yes = Confirm(tool="update_profile", arguments={"health_risks": []})
    assert check_policy(replanned(context, lambda steps: [yes, change, *steps])).passed


def test_tools_of_the_other_side_are_caught() -> None:
    context = context_of("buy-best/fulfil", ())
    at = position(context.task.plan, "authorize_checkout")
    assert "not offered to the assistant" in check_tools_offered(with_call(context, at, side="assistant")).reason


def test_a_user_who_never_stops_is_caught() -> None:
    declined = context_of("buy-best/none_satisfies")
    silent = replanned(declined, lambda steps: [step for step in steps if not isinstance(step, Tell)])
    assert "does not decline" in check_user_stops(silent).reason
    consents = altered(
        context_of("buy-best/fulfil", ("PURCHASE",)),
        script=declined.task.script.model_copy(update={"consents": []}),
    )
    assert "which the script does not know" in check_user_stops(consents).reason
