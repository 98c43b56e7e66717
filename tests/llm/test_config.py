"""The configuration of models: exact money, bounds by default, and no keys in it."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from schemas.models import DEFAULT_MAX_TOKENS, Endpoint, Limits, ModelChoice, Models, Prices, Usage


@pytest.mark.parametrize("price", [0.15, "0,15", "-1", "1e-7", "", "NaN", True])
def test_money_is_decimal_text(price: object) -> None:
    with pytest.raises(ValidationError):
        Prices.model_validate({"input": price})


def test_whole_numbers_are_money() -> None:
    assert Prices.model_validate({"input": 3}).input == "3"


@pytest.mark.parametrize("name", ["api_key", "extra_headers", "timeout", "stream", "n", "messages", "max_retries"])
def test_what_is_no_parameter_is_refused_with_what_to_do(name: str) -> None:
    with pytest.raises(ValidationError, match=f"{name} is no parameter: "):
        Endpoint.model_validate({"model": "openai/x", "parameters": {name: 1}})


def test_an_address_carries_no_key() -> None:
    with pytest.raises(ValidationError):
        Endpoint(model="openai/x", api_base="http://user:secret@host/v1")


def test_a_reply_is_always_bounded() -> None:
    assert Endpoint(model="m").asked == {"max_tokens": DEFAULT_MAX_TOKENS}
    choice = Endpoint(model="m", parameters={"max_completion_tokens": 7})
    assert (choice.asked, choice.reply_tokens) == ({"max_completion_tokens": 7}, 7)
    with pytest.raises(ValidationError):
        Endpoint(model="m", parameters={"max_tokens": 0})


def test_roles_that_are_played() -> None:
    models = Models.model_validate({"judge": {"model": "a/b", "fallbacks": [{"model": "c/d"}]}})
    assert {role: choice.fallbacks[0].model for role, choice in models.chosen().items()} == {"judge": "c/d"}
    assert models.limits == Limits()
    with pytest.raises(ValidationError):  # a fallback has none of its own
        ModelChoice.model_validate({"model": "a/b", "fallbacks": [{"model": "c/d", "fallbacks": []}]})


def test_usage_adds_up_exactly_and_unknown_stays_unknown() -> None:
    tenth = Usage(calls=1, input_tokens=1, cached_tokens=2, output_tokens=3, reasoning_tokens=4, cost="0.1")
    assert tenth.plus(tenth).plus(tenth).cost == "0.3"
    assert tenth.plus(tenth).tokens == 20
    assert tenth.plus(Usage(cost=None)).cost is None
