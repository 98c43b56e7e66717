"""Documentation of tools: every tool has an executed example, and the committed pages know every tool and rule."""

from __future__ import annotations

import json
import re
from functools import cache

import pytest

from flows.cli import main
from flows.tool_examples import Example, executed_examples, shortened
from schemas.base import Json
from services.runtime.catalogue import installed_catalogue
from services.runtime.policy import rules_of
from services.runtime.tools import UNIVERSAL_ERRORS, parse_arguments
from tests.scan import ROOT

CATALOGUE = installed_catalogue()


@cache
def examples() -> dict[str, Example]:
    return executed_examples(CATALOGUE)


def test_every_tool_has_an_example_that_succeeded_and_shows_something() -> None:
    assert set(examples()) == set(CATALOGUE.tools)
    for name, example in examples().items():
        tool = CATALOGUE.tools[example.tool]
        assert "error" not in example.result
        assert set(parse_arguments(tool, example.arguments)) == set(CATALOGUE.tools[name].example)
        assert example.weight >= 1


def test_examples_are_the_same_every_time() -> None:
    assert executed_examples(CATALOGUE) == examples()


def test_long_results_are_shortened_for_people() -> None:
    deep: Json = {"a": {"b": {"c": {"d": {"e": 1}}}}, "list": [1, 2, 3, 4], "short": [1, 2]}
    assert shortened(deep) == {
        "a": {"b": {"c": {"d": {"…": "…"}}}},
        "list": [1, 2, "… 2 more"],
        "short": [1, 2],
    }


def test_the_committed_page_knows_every_tool_with_side_gates_errors_and_example() -> None:
    page = (ROOT / "docs" / "tools.md").read_text("utf-8")
    assistant, user = page.split("\n## Tools of the user\n")
    for name, tool in CATALOGUE.tools.items():
        part = assistant if tool.side == "assistant" else user
        section = re.split(r"\n##+ ", part.split(f"\n### `{name}`\n")[1])[0]
        assert tool.summary in section
        assert all(f"gate {gate}" in section for gate in tool.gates)
        assert all(f"`{code}`" in section for code in set(CATALOGUE.errors_of(tool)) - set(UNIVERSAL_ERRORS))
        (result,) = re.findall(r"```json\n(.*?)\n```", section, re.DOTALL)
        assert "error" not in json.loads(result)
    assert page.count("\n### `") == len(CATALOGUE.tools)
    assert all(f"- **{name}**: " in page for name in CATALOGUE.gates)


def test_the_committed_policy_holds_every_rule(capsys: pytest.CaptureFixture[str]) -> None:
    page = (ROOT / "docs" / "policy.md").read_text("utf-8")
    assert all(f"- {rule.text}" in page for rule in rules_of(CATALOGUE))
    assert main(["tools", "--policy"]) == 0
    assert capsys.readouterr().out == page
