"""Conditions that do not hold are caught: gates that let the plan through, approvals that are good twice."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from schemas.base import Json
from schemas.goal import Const
from schemas.goal import Test as Comparison
from schemas.plan import Call, Confirm
from services.runtime.algebra import compile_pred
from services.runtime.catalogue import Catalogue
from services.runtime.declare import Gate
from services.runtime.tools import Tool
from tests.validators.tasks.altering import inserted
from tests.validators.tasks_support import context_of, contexts, replanned
from validators.tasks.context import TaskContext, UserContext
from validators.tasks.permissions import check_permissions, closing

BOTH = ("BALANCE", "PURCHASE")


def blocked(context: TaskContext) -> tuple[str, int, int]:
    verdict = check_permissions(context)
    assert verdict.check == "task.permissions"
    return verdict.reason, verdict.counts["total"], verdict.counts["blocked"]


def test_conditions_hold_in_real_tasks() -> None:
    tried = 0
    for user in range(3):
        for context in contexts(user):
            reason, total, stopped = blocked(context)
            assert not reason
            assert total == stopped
            tried += total
    assert tried > 60


def test_every_gate_and_every_misuse_of_an_approval_is_tried() -> None:
    """Two gates, and one approval made twice, too late, and with another amount; also where no gate is closed."""
    for gates in ((), ("PURCHASE",), BOTH):
        assert blocked(context_of("buy-best/fulfil", gates)) == ("", 5, 5)
    assert check_permissions(context_of("buy-best/fulfil")).evidence == ""
    assert blocked(context_of("spending-question/fulfil")) == ("", 0, 0)
    assert "the plan passes no gate" in check_permissions(context_of("spending-question/fulfil")).evidence


def test_a_remedy_under_a_wrong_name_is_caught() -> None:
    """The grant is not known as the remedy of its gate, so the call goes through although the gate was closed."""
    context = context_of("buy-best/fulfil", ("PURCHASE",))
    unnamed = replanned(
        context, lambda steps: [s.model_copy(update={"gate": ""}) if isinstance(s, Call) else s for s in steps]
    )
    reason, total, stopped = blocked(unnamed)
    assert "with PURCHASE closed returns a result, not PERMISSION_DENIED" in reason
    assert (total, stopped) == (5, 4)


# --- with services that do not keep their word ---------------------------------------------------------------------


def at_catalogue(context: TaskContext, **changes: object) -> TaskContext:
    """The same task where the services declare something else."""
    user = UserContext(context.user.record, context.user.world)
    user.catalogue = replace(user.catalogue, **changes)  # type: ignore[arg-type]
    return TaskContext(user, context.task)


def with_gate(catalogue: Catalogue, name: str, **changes: object) -> Mapping[str, object]:
    compiled = catalogue.gates[name]
    gate: Gate = replace(compiled.gate, **changes)  # type: ignore[arg-type]
    return {**catalogue.gates, name: replace(compiled, gate=gate, closed=compile_pred(gate.closed))}


def with_tool(catalogue: Catalogue, name: str, **changes: object) -> Mapping[str, Tool]:
    return {**catalogue.tools, name: replace(catalogue.tools[name], **changes)}  # type: ignore[arg-type]


@pytest.mark.parametrize(("gate", "code"), [("BALANCE", "INSUFFICIENT_BALANCE"), ("PURCHASE", "PERMISSION_DENIED")])
def test_a_gate_that_is_never_closed_is_caught(gate: str, code: str) -> None:
    context = context_of("buy-best/fulfil", ())
    never = Comparison(fn="eq", left=Const(value=1), right=Const(value=2))
    open_always = at_catalogue(context, gates=with_gate(context.catalogue, gate, closed=never))
    reason, total, stopped = blocked(open_always)
    assert f"with {gate} closed returns a result, not {code}" in reason
    assert (total, stopped) == (5, 4)


def test_a_gate_that_says_not_how_it_is_closed_fails_the_check() -> None:
    context = context_of("buy-best/fulfil", ())
    silent = at_catalogue(context, gates=with_gate(context.catalogue, "PURCHASE", closing=()))
    with pytest.raises(ValueError, match="does not declare how it is closed"):
        check_permissions(silent)


def test_closing_a_gate_changes_the_records_it_names() -> None:
    context = context_of("buy-best/fulfil", ())
    patch = closing(context, context.catalogue.gates["BALANCE"].gate.closing)
    wallet = context.tables["wallet"]["wallet"]
    balance, opening = wallet["balance_cents"], wallet["opening_cents"]
    assert isinstance(balance, int)
    assert isinstance(opening, int)
    (record,) = patch.values()
    assert getattr(record, "balance_cents") == 0  # noqa: B009
    assert getattr(record, "opening_cents") == opening - balance  # noqa: B009


@pytest.mark.parametrize(
    ("field", "what"),
    [("replayed", "made twice"), ("expired", "made too late"), ("changed", "made with another amount")],
)
def test_an_approval_that_is_not_refused_as_declared_is_caught(field: str, what: str) -> None:
    context = context_of("buy-best/fulfil", ())
    approval = context.catalogue.tools["authorize_checkout"].approval
    assert approval is not None
    other = replace(approval, **{field: "SOMETHING_ELSE"})
    tools = with_tool(context.catalogue, "authorize_checkout", approval=other)
    reason, total, stopped = blocked(at_catalogue(context, tools=tools))
    assert f"{what} returns" in reason
    assert "not SOMETHING_ELSE" in reason
    assert (total, stopped) == (5, 4)


def test_a_call_that_needs_a_yes_is_tried_without_one() -> None:
    context = context_of("spending-question/fulfil")
    arguments: dict[str, Json] = {"daily_goal": {"steps": 1234}}
    update = Call.model_validate({"side": "assistant", "tool": "update_profile", "arguments": arguments, "origins": {}})
    confirmed = inserted(context, 0, Confirm(tool="update_profile", arguments=arguments), update)
    assert blocked(confirmed) == ("", 1, 1)
