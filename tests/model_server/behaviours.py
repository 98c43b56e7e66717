"""How the test server answers: functions from a request to the parts of a message.

A behaviour returns `content`, `tool_calls` (each with `name` and `arguments`, text or JSON), `finish_reason` and
`usage`; what it leaves out the server fills in.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any

Behaviour = Callable[[dict[str, Any]], dict[str, Any]]


def named(name: str) -> Behaviour:
    """`echo`, `json`, `tool:<name>`, `say:<text>`, or `package.module:function`."""
    kind, _, rest = name.partition(":")
    if kind in SIMPLE and not rest:
        return SIMPLE[kind]
    if kind in WITH_ARGUMENT:
        return WITH_ARGUMENT[kind](rest)
    return getattr(import_module(kind), rest)


def echo(request: dict[str, Any]) -> dict[str, Any]:
    """Say what the last message says."""
    content = request["messages"][-1].get("content")
    return {"content": content if isinstance(content, str) else json.dumps(content)}


def fitting_json(request: dict[str, Any]) -> dict[str, Any]:
    """Say the smallest value of the JSON Schema that was asked for."""
    wanted = request.get("response_format", {}).get("json_schema", {}).get("schema", {})
    return {"content": json.dumps(example(wanted))}


def calling(name: str) -> Behaviour:
    """Call the tool `name` once with the smallest arguments, then say that it is done."""

    def behave(request: dict[str, Any]) -> dict[str, Any]:
        if request["messages"][-1]["role"] == "tool":
            return {"content": "done"}
        found = [tool["function"] for tool in request.get("tools", []) if tool["function"]["name"] == name]
        if not found:
            return {"content": f"I have no tool {name}."}
        return {"tool_calls": [{"name": name, "arguments": example(found[0].get("parameters", {}))}]}

    return behave


def saying(text: str) -> Behaviour:
    """Say always the same."""
    return lambda _request: {"content": text}


def example(schema: dict[str, Any]) -> object:
    """The smallest value of a simple JSON Schema."""
    if "const" in schema:
        return schema["const"]
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "object")
    if isinstance(kind, list):
        kind = kind[0]
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: example(properties.get(name, {})) for name in schema.get("required", [])}
    if kind == "array":
        return [example(schema.get("items", {}))] * schema.get("minItems", 0)
    if kind == "string":
        return "x" * max(1, schema.get("minLength", 1))
    return {"integer": schema.get("minimum", 1), "number": schema.get("minimum", 1), "boolean": True}.get(kind)


SIMPLE: dict[str, Behaviour] = {"echo": echo, "json": fitting_json}
WITH_ARGUMENT: dict[str, Callable[[str], Behaviour]] = {"tool": calling, "say": saying}
