"""Policy text cannot drift from code: every sentence is held against what calls answer, in both directions."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from typing import Any, cast

import pytest

from schemas.base import Json
from schemas.environment import EnvironmentRecord
from services.runtime.algebra import NO_ROW, Scope, compile_pred
from services.runtime.catalogue import Catalogue, build_catalogue, installed_catalogue
from services.runtime.declare import Service
from services.runtime.environment import Environment
from services.runtime.families import for_member
from services.runtime.policy import GENERAL, TITLES, Rule, platform_policy, rules_of, service_policy
from services.runtime.tools import Tool
from tests.environments import context, environment
from tests.services import sample
from tests.services.sample import code_of
from validators.environments.context import Case
from validators.environments.gates import patched

CATALOGUE = installed_catalogue()
RULES = rules_of(CATALOGUE)
CALLED = {tool.name: CATALOGUE.sample(tool) for tool in CATALOGUE.tools.values()}
"""Declared name -> a tool that can be called."""


def declared_as(name: str) -> str:
    """Return the name under which a tool that is offered is documented."""
    tool = CATALOGUE.tools[name]
    if tool.family is None:
        return name
    return next(
        one.name
        for one in CATALOGUE.tools.values()
        if one.family and name in {for_member(one, member).name for member in one.family.members}
    )


def rule(kind: str, subject: str = "") -> Rule:
    (found,) = [one for one in RULES if one.kind == kind and subject in ("", one.subject)]
    return found


def answering(rule_: Rule, answers: dict[str, str], code: str) -> None:
    """The tools that a rule names, and no others, answer with a code; the text says so."""
    assert {name for name, answer in answers.items() if answer == code} == set(rule_.tools)
    assert f"`{code}`" in rule_.text
    assert all(f"`{name}`" in rule_.text for name in rule_.tools)


def unlocked(env: Environment) -> Environment:
    for tool in CALLED.values():
        if tool.behind:
            sample.unlock(env, tool.behind)
    return env


def test_what_only_the_user_does_is_what_an_assistant_is_refused() -> None:
    env = unlocked(sample.environment())
    answers = {name: code_of(env.call(tool.name, tool.example)) for name, tool in CALLED.items()}
    answering(rule("user_side"), answers, "WRONG_SIDE")


def test_calls_that_need_a_yes_are_those_refused_without_one() -> None:
    env = unlocked(sample.environment())
    answers = {name: code_of(env.call(tool.name, tool.example, tool.side)) for name, tool in CALLED.items()}
    answering(rule("confirmation"), answers, "CONFIRMATION_REQUIRED")


def test_tools_to_be_found_are_those_not_available_at_first() -> None:
    env = sample.environment()
    answers = {name: code_of(env.call(tool.name, tool.example, tool.side)) for name, tool in CALLED.items()}
    found = [one for one in RULES if one.kind == "discovery"]
    together = Rule("discovery", "", tuple(t for one in found for t in one.tools), " ".join(one.text for one in found))
    answering(together, answers, "TOOL_NOT_AVAILABLE")
    for one in found:
        (opener,) = [tool for tool in CATALOGUE.tools.values() if tool.unlocks == one.subject]
        assert f"`{opener.name}`" in one.text
        started = sample.medical(
            sample.NOW, permissions=sample.permissions(med_assistant=True, raw_data=True, purchase=True)
        )
        started.session = type(started.session)()
        before = {entry["function"]["name"] for entry in started.tools()}  # type: ignore[index, call-overload]
        assert code_of(started.call(opener.name, opener.example)) == ""
        offered = {entry["function"]["name"] for entry in started.tools()} - before  # type: ignore[index, call-overload]
        assert {declared_as(str(name)) for name in offered} == set(one.tools)


def _answer(case: Case, base: Any, tool: Tool) -> dict[str, Json]:  # noqa: ANN401
    env = unlocked(case.open(base))
    if tool.confirm:
        env.confirm(tool.name, tool.example)
    return env.call(tool.name, tool.example, tool.side)


def with_fitbit() -> EnvironmentRecord:
    """An environment in which the examples of all tools get as far as their gates."""
    return next(environment(i) for i in range(40) if any(s["id"] == "fitbit" for s in environment(i).tables["sources"]))


@pytest.mark.parametrize("name", [name for name, one in CATALOGUE.gates.items() if one.gate.standing])
def test_a_condition_blocks_the_tools_that_its_rule_names_and_no_others(name: str) -> None:
    gate, case = CATALOGUE.gates[name].gate, Case(with_fitbit(), context())
    others = [one.gate for key, one in CATALOGUE.gates.items() if one.gate.standing and key != name]
    opened = patched(case, case.base, [write for one in others for write in one.opened])
    closed = patched(case, opened, gate.closing)
    answers: dict[str, str] = {}
    for key, tool in CALLED.items():
        error = cast("dict[str, Json]", _answer(case, closed, tool).get("error", {}))
        answers[key] = str(error.get("code", "")) if error.get("gate") == name else ""
    answering(rule("gate", name), answers, gate.code)
    text = rule("gate", name).text
    assert text.startswith(gate.policy)
    for shown in (gate.probe and gate.probe.tool, gate.remedy and gate.remedy.tool):
        assert shown and f"`{shown}`" in text
    # And with the gate open none of them is blocked by it.
    free = patched(case, opened, gate.opened)
    for key in rule("gate", name).tools:
        error = cast("dict[str, Json]", _answer(case, free, CALLED[key]).get("error", {}))
        assert error.get("gate") != name


@pytest.mark.parametrize("name", CATALOGUE.gates)
def test_every_condition_of_a_tool_is_told_and_no_other(name: str) -> None:
    declared = {tool.name for tool in CATALOGUE.tools.values() if name in tool.gates}
    assert set(rule("gate", name).tools) == declared
    quiet = CATALOGUE.gates[name].gate.quiet
    assert ("nothing is available, and not why" in rule("gate", name).text) is quiet


def test_the_rule_on_payments_names_the_codes_and_hours_that_hold() -> None:
    text = rule("approval").text
    for hours, code in ((23, ""), (24, ""), (25, "TRANSACTION_EXPIRED")):
        at = (dt.datetime.fromisoformat(sample.NOW) - dt.timedelta(hours=hours)).isoformat()
        pending = sample.transaction("tx", created_at=at)
        env = sample.environment(transactions=[pending], order_lines=[sample.line("tx", 1)])
        assert code_of(env.call("authorize_checkout", {"transaction_id": "tx"}, "user")) == code
    assert "within 24 hours" in text and "`TRANSACTION_EXPIRED`" in text
    assert "`TOTAL_CHANGED`" in text and "`TRANSACTION_NOT_PENDING`" in text


def test_every_declared_policy_and_term_stands_in_the_text_of_its_service_and_of_the_platform() -> None:
    whole = platform_policy(CATALOGUE)
    assert [heading for heading in TITLES.values() if f"\n## {heading}\n" in whole] == list(TITLES.values())
    assert all(sentence in whole for sentence in GENERAL)
    for name, service in CATALOGUE.services.items():
        own = service_policy(name, CATALOGUE)
        for sentence in (*service.terms, *(policy.text for policy in service.policies)):
            assert f"- {sentence}" in own and f"- {sentence}" in whole
        elsewhere = {tool.name for other in CATALOGUE.services.values() if other is not service for tool in other.tools}
        about = own.split("## Terms")[0].split(": `")[1:]
        listed = {part.strip("`") for chunk in about for part in chunk.split(".")[0].replace("`", "").split(", ")}
        assert not listed & elsewhere, listed & elsewhere


def _changed(change: dict[str, Any], tool: str) -> Catalogue:
    services = [
        replace(service, tools=tuple(replace(one, **change) if one.name == tool else one for one in service.tools))
        for service in CATALOGUE.services.values()
    ]
    return build_catalogue(services)


@pytest.mark.parametrize(
    ("change", "tool"),
    [
        ({"gates": ()}, "list_notes"),
        ({"gates": ("VIP",)}, "get_cart"),
        ({"confirm": False}, "delete_record"),
        ({"confirm": True}, "add_to_cart"),
        ({"side": "user"}, "get_wallet"),
        ({"behind": ""}, "med-get_provider_list"),
    ],
)
def test_another_declaration_is_another_text(change: dict[str, Any], tool: str) -> None:
    changed = _changed(change, tool)
    assert platform_policy(changed) != platform_policy(CATALOGUE)
    (home,) = [name for name, one in CATALOGUE.services.items() if tool in {t.name for t in one.tools}]
    assert service_policy(home, changed) != service_policy(home, CATALOGUE)


def test_another_amount_is_another_term() -> None:
    def doubled(service: Service) -> Service:
        return replace(service, terms=tuple(term.replace("48", "96") for term in service.terms))

    services = [doubled(one) if one.name == "medical" else one for one in CATALOGUE.services.values()]
    assert "96 hours" in platform_policy(build_catalogue(services))
    assert "48 hours" in platform_policy(CATALOGUE)


def test_policies_are_predicates_that_can_be_evaluated() -> None:
    env = sample.environment()
    for service in CATALOGUE.services.values():
        for policy in service.policies:
            arguments: dict[str, object] = dict(CATALOGUE.tools[policy.tool].defaults)
            arguments |= CATALOGUE.tools[policy.tool].example
            arguments = {**dict.fromkeys(cast("Any", CATALOGUE.tools[policy.tool].schema)["properties"]), **arguments}
            holds = compile_pred(policy.holds)
            assert holds({"permits": ["membership", "voucher"]}, Scope(env.state_, env.now, arguments))
    voucher = next(p for s in CATALOGUE.services.values() for p in s.policies if p.name == "voucher_only_if_asked")
    scope = Scope(env.state_, env.now, {"voucher_id": "v"})
    assert not compile_pred(voucher.holds)({**NO_ROW, "permits": []}, scope)
