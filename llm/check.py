"""Whether a model can do what it is wanted for: a few tiny calls that tell, before a run is paid."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

import orjson

from llm import wire
from llm.client import ModelClient
from llm.errors import BadOutput, Fatal
from llm.failures import key_variable
from llm.pricing import price_table
from schemas.models import ModelChoice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from llm.ledger import Ledger
    from llm.pricing import PriceTable
    from schemas.base import Json
    from schemas.models import Endpoint, Limits, Role

ATTEMPTS = 2
_TOOL: Mapping[str, Json] = {
    "type": "function",
    "function": {
        "name": "ping",
        "description": "Says that the connection works.",
        "parameters": {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
    },
}
_SCHEMA: Mapping[str, Json] = {
    "type": "object",
    "properties": {"ok": {"type": "boolean"}},
    "required": ["ok"],
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class Findings:
    """What was found out about one model in one role; what could not be tried is None."""

    role: Role
    endpoint: Endpoint
    key: str
    """Environment variable that holds the key."""
    key_set: bool
    reachable: bool
    tools: bool | None
    schema: bool | None
    prices: PriceTable
    problems: tuple[str, ...]
    """What keeps the model from its role, one message each."""


async def check_role(role: Role, choice: ModelChoice, limits: Limits, ledger: Ledger) -> list[Findings]:
    """Return the findings about the model of a role and each of its fallbacks."""
    endpoints: tuple[Endpoint, ...] = (choice, *choice.fallbacks)
    return [await _check(role, endpoint, limits, ledger) for endpoint in endpoints]


async def _check(role: Role, endpoint: Endpoint, limits: Limits, ledger: Ledger) -> Findings:
    prices = price_table(endpoint, wire.load().model_cost)
    problems: list[str] = []
    if limits.max_cost is not None and not prices.known:
        problems.append(f"{endpoint.model}: its price is unknown, but --max-cost is set.\nGive `prices`.")
    free = limits.changed({"max_attempts": min(ATTEMPTS, limits.max_attempts), "max_cost": None})
    alone = ModelChoice(
        **{name: getattr(endpoint, name) for name in type(endpoint).model_fields if name != "fallbacks"}
    )
    reachable, tools, schema = True, None, None
    async with ModelClient(alone, free, None, ledger, role=role) as client:
        try:
            await client.chat([{"role": "user", "content": "Say OK."}])
        except Fatal as error:
            reachable = False
            problems.append(str(error))
        if reachable:
            tools, no_tools = await _calls_tools(client)
            schema, no_schema = await _keeps_to_schemas(client)
            if role == "assistant" and not tools and not schema:
                reasons = "; ".join(part for part in (no_tools, no_schema) if part)
                problems.append(f"{endpoint.model} can neither call tools nor keep to a JSON Schema: {reasons}")
    key = key_variable(endpoint)
    return Findings(role, endpoint, key, bool(os.environ.get(key)), reachable, tools, schema, prices, tuple(problems))


async def _calls_tools(client: ModelClient) -> tuple[bool, str]:
    """Return whether the model calls a tool with arguments that can be read, and why it does not."""
    try:
        reply = await client.chat([{"role": "user", "content": 'Call the tool ping with text "hello".'}], tools=[_TOOL])
    except Fatal as error:
        return False, str(error)
    for call in reply.tool_calls:
        try:
            if call.name == "ping" and isinstance(orjson.loads(call.arguments), dict):
                return True, ""
        except orjson.JSONDecodeError:
            return False, "the arguments of its call are no JSON"
    return False, "it was asked to call a tool and did not"


async def _keeps_to_schemas(client: ModelClient) -> tuple[bool, str]:
    """Return whether the model's reply fits a JSON Schema, and why it does not."""
    try:
        await client.chat([{"role": "user", "content": 'Reply with {"ok": true}.'}], schema=_SCHEMA)
    except (Fatal, BadOutput) as error:
        return False, str(error)
    return True, ""
