"""Prices: exact, our own first, and unknown rather than wrong."""

from __future__ import annotations

import pytest

from llm.pricing import price_table
from schemas.base import Json
from schemas.models import Endpoint, Prices, Usage

KNOWN = {
    "gpt-small": {
        "litellm_provider": "openai",
        "input_cost_per_token": 1.5e-07,
        "cache_read_input_token_cost": 7.5e-08,
        "output_cost_per_token": 6e-07,
    },
    "long": {
        "litellm_provider": "openai",
        "input_cost_per_token": 1e-06,
        "output_cost_per_token": 1e-06,
        "input_cost_per_token_above_200k_tokens": 2e-06,
    },
}
USED = Usage(calls=1, input_tokens=1_000_000, cached_tokens=1_000_000, output_tokens=1_000_000, reasoning_tokens=10)


def endpoint(model: str, prices: Prices | None = None, **parameters: Json) -> Endpoint:
    return Endpoint(model=model, prices=prices or Prices(), parameters=parameters)


def test_our_own_prices_come_first() -> None:
    own = Prices(input="0.1", cached_input="0.01", output="0.2", reasoning="0.3")
    table = price_table(endpoint("openai/gpt-small", own), KNOWN)
    assert (table.cost(USED), table.source) == ("0.310003", "config")


def test_litellms_table_fills_what_is_missing() -> None:
    table = price_table(endpoint("openai/gpt-small"), KNOWN)
    assert (table.cost(USED), table.source) == ("0.825006", "litellm")
    assert price_table(endpoint("openai/gpt-small", Prices(input="1")), KNOWN).source == "both"


@pytest.mark.parametrize("model", ["openai/gpt-smaller", "azure/gpt-small", "openai/nobody"])
def test_other_names_are_unknown(model: str) -> None:
    table = price_table(endpoint(model), KNOWN)
    assert (table.known, table.cost(USED), table.most(1, 1), table.source) == (False, None, None, "unknown")


def test_another_service_tier_is_unknown() -> None:
    assert not price_table(endpoint("openai/gpt-small", service_tier="priority"), KNOWN).known


def test_a_prompt_beyond_the_first_price_step_is_unknown() -> None:
    table = price_table(endpoint("openai/long"), KNOWN)
    assert table.cost(Usage(calls=1, input_tokens=200_000)) == "0.2"
    assert table.cost(Usage(calls=1, input_tokens=150_000, cached_tokens=50_001)) is None


def test_a_free_model_costs_nothing() -> None:
    assert price_table(endpoint("local/x", Prices(input="0", output="0")), {}).cost(USED) == "0"


def test_classes_without_a_price_are_billed_as_what_they_are_part_of() -> None:
    table = price_table(endpoint("local/x", Prices(input="1", output="2")), {})
    assert table.cost(USED) == "4.00002"
    assert table.most(10, 10) == table.most(5, 5) * 2  # type: ignore[operator]
