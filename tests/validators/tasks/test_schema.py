"""Malformed tasks are caught by their form."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

import pytest
from jsonschema import Draft202012Validator

from schemas.base import Json
from schemas.certificate import Verdict
from schemas.contract import Answer, Contract, Expectation, Total
from schemas.plan import Call, Plan
from schemas.provenance import Derived, Element, Result
from schemas.task import Consent, Patch, Slot, Task
from tests.validators.tasks.altering import call, nothing_expected
from tests.validators.tasks_support import altered, context_of, contexts
from validators.tasks.context import TaskContext
from validators.tasks.schema import check_schema, schema_faults, slot_faults

Change = Callable[[TaskContext], dict[str, object]]


@pytest.fixture(scope="module")
def task() -> TaskContext:
    return context_of("buy-best/fulfil", ("BALANCE", "PURCHASE"))


def test_real_tasks_pass() -> None:
    for context in contexts(0):
        assert check_schema(context) == Verdict(check="task.schema", passed=True)


def test_the_engines_of_json_schema_agree(task: TaskContext) -> None:
    """The one in use accepts and refuses what the reference implementation does."""
    oracle = Draft202012Validator(Task.model_json_schema())
    data = cast("dict[str, Json]", task.task.model_dump(mode="json"))
    (goal,) = cast("list[dict[str, Json]]", data["goals"])
    wrong: list[dict[str, Json]] = [
        {**data, "level": "medium"},
        {**data, "ordinal": "1"},
        {**data, "unknown": 1},
        {name: value for name, value in data.items() if name != "goals"},
        {**data, "goals": [{**goal, "nodes": [{"name": "n", "scalar": {"op": "nothing"}}]}]},
        {**data, "goals": [goal, {**goal, "nodes": 1}]},
        {**data, "goals": [goal, "a goal"]},
        {**data, "goals": {"0": goal}},
        {**data, "plan": {"steps": [{"step": "call", "side": "nobody"}], "nodes": []}},
    ]
    assert oracle.is_valid(data)
    assert not list(schema_faults(data))
    for record in wrong:
        assert not oracle.is_valid(record)
        faults = list(schema_faults(record))
        assert faults and list(schema_faults(record)) == faults
    assert not list(schema_faults(data))


def test_the_record_is_judged_as_it_was_read(task: TaskContext) -> None:
    data = {**task.task.model_dump(mode="json"), "level": "medium"}
    verdict = check_schema(TaskContext(task.user, task.task, data=data))
    assert not verdict.passed
    assert "level" in verdict.reason


def plan_with(context: TaskContext, **changes: object) -> dict[str, object]:
    return {"plan": context.task.plan.model_copy(update=changes)}


def steps_with(context: TaskContext, step: Call) -> dict[str, object]:
    tools = sorted({*context.task.tools, step.tool})
    return {**plan_with(context, steps=[*context.task.plan.steps, step]), "tools": tools}


def slots_with(context: TaskContext, *slots: Slot) -> dict[str, object]:
    (use,) = context.task.intents
    return {"intents": [use.model_copy(update={"slots": [*use.slots, *slots]})]}


def told_twice(context: TaskContext) -> dict[str, object]:
    answers = [Answer(name="spent", kind="count", value=value) for value in (1, 2)]
    return {"expectation": context.task.expectation.model_copy(update={"answers": answers})}


def refusing(context: TaskContext, gate: str) -> list[Consent]:
    return [c.model_copy(update={"granted": c.gate != gate}) for c in context.task.script.consents]


def first_call(context: TaskContext) -> Call:
    return next(step for step in context.task.plan.steps if isinstance(step, Call))


FAULTS: dict[str, tuple[Change, str]] = {
    "slot named twice": (lambda c: slots_with(c, c.told[0]), "the slot 'quantity' occurs 2 times"),
    "answer named twice": (told_twice, "the answer 'spent' occurs 2 times"),
    "consent stated twice": (
        lambda c: {"script": c.task.script.model_copy(update={"consents": c.task.script.consents * 2})},
        "the consent",
    ),
    "record set up twice": (lambda c: {"setup": [*c.task.setup, c.task.setup[0]]}, "the setup record"),
    "setup of another record": (
        lambda c: {"setup": [*c.task.setup, Patch(table="wallet", id="purse", record=c.tables["wallet"]["wallet"])]},
        "the setup of wallet/purse holds the record 'wallet'",
    ),
    "no plan": (lambda c: {"plan": Plan(steps=[], nodes=[]), "tools": [], "gates": []}, "the plan is empty"),
    "unknown tool": (lambda c: steps_with(c, call("teleport")), "there is no tool 'teleport'"),
    "a tool of the other side": (
        lambda c: steps_with(c, call("top_up_wallet")),
        "top_up_wallet is not offered to the assistant",
    ),
    "unknown gate": (
        lambda c: {**steps_with(c, call("get_wallet", gate="MOON")), "gates": ["BALANCE", "MOON", "PURCHASE"]},
        "there is no gate 'MOON'",
    ),
    "a tool that is not called": (lambda c: {"tools": [*c.task.tools, "zzz"]}, "tools is"),
    "a gate that is not met": (lambda c: {"gates": ["BALANCE"]}, "gates is ['BALANCE']"),
    "unsorted features": (lambda c: {"features": ["b", "a"]}, "features is not sorted"),
    "another user": (lambda c: {"user_id": "u999999"}, "the task is of user 'u999999'"),
    "an id of another place": (lambda c: {"ordinal": c.task.ordinal + 1}, "task_id is"),
    "nothing said": (lambda c: {"instruction": "  "}, "the instruction is empty"),
    "no intent": (lambda c: {"intents": []}, "there is no intent"),
    "an empty goal": (lambda c: {"expectation": nothing_expected()}, "nothing is required"),
    "no acceptable end": (lambda c: {"expectation": Expectation(any_of=[])}, "nothing is required"),
    "an end that needs nothing": (
        lambda c: {"expectation": Expectation(any_of=[*c.task.expectation.any_of, Contract()])},
        "nothing is required",
    ),
    "a total of nothing": (
        lambda c: {"expectation": Expectation(any_of=[Contract(totals=[Total(table="ledger", value=0)])])},
        "nothing is required",
    ),
    "an origin that is not there": (
        lambda c: plan_with(
            c,
            steps=[
                *c.task.plan.steps[:-1],
                c.task.plan.steps[-1].model_copy(update={"origins": {"transaction_id": 10_000}}),
            ],
        ),
        "'transaction_id' comes from node 10000",
    ),
    "a node computed from a later one": (
        lambda c: plan_with(c, nodes=[Element(of=1, path=["x"]), *c.task.plan.nodes[1:]]),
        "does not come before it",
    ),
    "a node computed from itself": (
        lambda c: plan_with(
            c,
            nodes=[*c.task.plan.nodes, Derived(value={"op": "now"}, args={"x": len(c.task.plan.nodes)})],  # type: ignore[arg-type]
        ),
        "does not come before it",
    ),
    "a result of no call": (
        lambda c: plan_with(
            c,
            nodes=[
                *c.task.plan.nodes,
                Result(step=next(n for n, s in enumerate(c.task.plan.steps) if not isinstance(s, Call))),
            ],
        ),
        "which is none that could give it",
    ),
    "a decision that decides nothing": (
        lambda c: plan_with(c, decisions=[0]),
        "the decision 0 is no node that decides",
    ),
    "a form that the goal does not have": (
        lambda c: {"intents": [c.task.intents[0].model_copy(update={"form": "out_of_stock"})]},
        "the form of buy-best is 'out_of_stock', its goal is 'fulfil'",
    ),
    "a prefix that one part does not have": (
        lambda c: {"intents": [c.task.intents[0].model_copy(update={"prefix": "1."})]},
        "the prefix of buy-best is '1.'",
    ),
    "another template": (lambda c: {"template": "nonsense"}, "template is 'nonsense', the record gives 'buy-best/f"),
    "another level": (lambda c: {"level": "easy"}, "level is 'easy', the record gives 'hard'"),
    "no features": (lambda c: {"features": []}, "features is [], the record gives ['closed_gate'"),
    "an invented feature": (lambda c: {"features": sorted([*c.task.features, "decline"])}, "features is"),
    "another family": (lambda c: {"family": "medical"}, "family is 'medical', the record gives shopping"),
    "another scenario": (lambda c: {"scenario": "0" * 16}, "scenario is '0000000000000000'"),
    "a goal without an intent": (lambda c: {"goals": c.task.goals * 2}, "there are 1 intents and 2 goals"),
    "no consents": (
        lambda c: {"script": c.task.script.model_copy(update={"consents": []})},
        "does not say what the user answers for BALANCE",
    ),
    "a consent refused that the goal needs": (
        lambda c: {"script": c.task.script.model_copy(update={"consents": refusing(c, "PURCHASE")})},
        "the user refuses PURCHASE, the goals want the opposite",
    ),
    "consents out of order": (
        lambda c: {"script": c.task.script.model_copy(update={"consents": c.task.script.consents[::-1]})},
        "the consents are not sorted",
    ),
    "a consent for a gate that is not there": (
        lambda c: {"script": c.task.script.model_copy(update={"consents": [Consent(gate="MOON", granted=True)]})},
        "there is no gate 'MOON' to consent to",
    ),
    "money refused that the goal needs": (
        lambda c: {"script": c.task.script.model_copy(update={"top_up": "refuse"})},
        "the script says 'refuse' to a missing amount",
    ),
    "a decision that is not there": (lambda c: plan_with(c, decisions=[9999]), "the decision 9999"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_a_malformed_task_is_caught(task: TaskContext, name: str) -> None:
    change, reason = FAULTS[name]
    verdict = check_schema(altered(task, **change(task)))
    assert verdict.check == "task.schema"
    assert not verdict.passed
    assert reason in verdict.reason


def test_a_declined_task_refuses_and_says_so() -> None:
    """The refused consent, the reason and what follows from them belong together, whichever of them is altered."""
    context = context_of("buy-best/cannot_afford")
    script = context.task.script
    granted = [consent.model_copy(update={"granted": True}) for consent in script.consents]
    for change in (
        {"script": script.model_copy(update={"consents": granted})},
        {"script": script.model_copy(update={"top_up": "exact_shortfall"})},
        {"intents": [context.task.intents[0].model_copy(update={"form": "fulfil"})]},
        {"features": [name for name in context.task.features if name != "decline"]},
    ):
        assert not check_schema(altered(context, **change)).passed


def test_a_question_belongs_to_what_it_looks_at() -> None:
    context = context_of("spending-question/fulfil")
    assert "family is 'notes', the record gives shopping" in check_schema(altered(context, family="notes")).reason


def test_a_gate_that_is_open_at_the_start_is_not_met(task: TaskContext) -> None:
    opened = [patch for patch in task.task.setup if patch.table != "permissions"]
    granted = {"id": "purchase", "allowed": True}
    verdict = check_schema(altered(task, setup=[*opened, Patch(table="permissions", id="purchase", record=granted)]))
    assert "the plan meets the gate PURCHASE, which is open at the start" in verdict.reason


GOOD: list[tuple[str, Json]] = [
    ("money_cents", 0),
    ("count", 3),
    ("percent", 100),
    ("date", "2025-02-28"),
    ("period", ["2025-01-01", "2025-01-01"]),
    ("term", "low_sugar"),
    ("name", "Cocoa Almond Bar"),
    ("bool", False),
]
BAD: list[tuple[str, Json]] = [
    ("money_cents", 1.5),
    ("money_cents", -1),
    ("count", True),
    ("count", "3"),
    ("date", "2025-02-30"),
    ("date", "2025-2-3"),
    ("period", ["2025-02-01", "2025-01-01"]),
    ("period", ["2025-02-01"]),
    ("period", "2025-02-01"),
    ("term", ""),
    ("name", " x"),
    ("bool", 0),
]


@pytest.mark.parametrize(("kind", "value"), GOOD)
def test_values_of_their_kind(kind: str, value: Json) -> None:
    assert not list(slot_faults(Slot.model_validate({"name": "x", "kind": kind, "value": value})))


@pytest.mark.parametrize(("kind", "value"), BAD)
def test_values_that_are_not_of_their_kind(kind: str, value: Json) -> None:
    good = dict(GOOD)[kind]
    assert list(slot_faults(Slot.model_validate({"name": "x", "kind": kind, "value": value})))
    assert list(slot_faults(Slot.model_validate({"name": "x", "kind": kind, "value": good, "alternatives": [value]})))


def test_the_value_itself_is_no_alternative() -> None:
    assert list(slot_faults(Slot(name="x", kind="count", value=3, alternatives=[2, 3])))
