"""Arguments of tools: their type and JSON Schema from a function's signature, and their validation.

Validation is by msgspec in the hot path and agrees with the derived JSON Schema. What is no exact JSON (NaN, an
infinity, an integer beyond 2^53, a broken surrogate, a key that is no text) never fits, whatever the schema says.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, cast, get_type_hints

import msgspec

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from schemas.base import Json

LARGEST = 2**53 - 1
"""Largest integer that every JSON reader keeps exactly."""


def arguments_of(fn: Callable[..., object], given: Collection[str] = ()) -> type[msgspec.Struct]:
    """Return the type of a tool's arguments: its parameters after the context, but for those that are given to it."""
    hints = get_type_hints(fn, include_extras=True)
    fields: list[Any] = []
    for parameter in list(inspect.signature(fn).parameters.values())[1:]:
        if parameter.name in given:
            continue
        kind = hints[parameter.name]
        required = parameter.default is inspect.Parameter.empty
        fields.append((parameter.name, kind) if required else (parameter.name, kind, parameter.default))
    return msgspec.defstruct(fn.__name__, fields, forbid_unknown_fields=True, kw_only=True, frozen=True)


def schema_of(arguments: type[msgspec.Struct]) -> dict[str, Json]:
    """Return the JSON Schema of an arguments object, references resolved."""
    (root,), components = msgspec.json.schema_components([arguments], ref_template="#/{name}")
    schema = cast("dict[str, Json]", _inline(root, components))
    return {
        "type": "object",
        "properties": schema.get("properties", {}),
        "required": schema.get("required", []),
        "additionalProperties": False,
    }


def _inline(node: object, components: Mapping[str, object]) -> object:
    if isinstance(node, list):
        return [_inline(item, components) for item in cast("list[object]", node)]
    if not isinstance(node, dict):
        return node
    content = cast("dict[str, object]", node)
    if "$ref" in content:
        return _inline(components[str(content["$ref"]).removeprefix("#/")], components)
    schema = {key: _value(key, value, components) for key, value in content.items() if key not in {"title", "default"}}
    if "enum" in schema and "type" not in schema:
        # Some model providers refuse an enum without a type.
        schema = (
            {"type": "string"} | schema
            if all(isinstance(v, str) for v in cast("list[object]", schema["enum"]))
            else schema
        )
    return schema


def _value(key: str, value: object, components: Mapping[str, object]) -> object:
    if key == "properties":
        # The keys are names of arguments here: one may be called `title`.
        return {name: _inline(item, components) for name, item in cast("dict[str, object]", value).items()}
    return _inline(value, components)


def json_data(value: object) -> object:
    """Return exact JSON data with one number form (1.0 is the integer 1). Raise ValueError for anything else."""
    kind = type(value)
    if kind is str:
        if not cast("str", value).isascii():
            cast("str", value).encode()  # UnicodeEncodeError, a ValueError, for half a surrogate pair
        return value
    if kind is dict:
        return {
            (key if type(key) is str and key.isascii() else _key(key)): json_data(item)
            for key, item in cast("dict[object, object]", value).items()
        }
    if kind is int:
        return _integer(cast("int", value))
    match value:
        case None | bool():
            return value
        case str():
            return json_data(str(value))
        case int():
            return _integer(value)
        case float():
            return _integer(int(value)) if value.is_integer() else _fraction(value)
        case list() | tuple():
            return [json_data(item) for item in cast("list[object]", value)]
        case Mapping():
            return {_key(key): json_data(item) for key, item in cast("Mapping[object, object]", value).items()}
        case _:
            msg = f"{type(value).__name__} is no JSON type"
            raise ValueError(msg)


def _integer(value: int) -> int:
    if not -LARGEST <= value <= LARGEST:
        msg = "an integer is beyond 2^53 - 1"
        raise ValueError(msg)
    return value


def _fraction(value: float) -> float:
    if value - value != 0:
        msg = "a number is not finite"
        raise ValueError(msg)
    return value


def _key(key: object) -> str:
    if not isinstance(key, str):
        msg = f"a name is {type(key).__name__}, not text"
        raise ValueError(msg)
    return key if key.isascii() else cast("str", json_data(key))


def parse(arguments: object, kind: type[msgspec.Struct]) -> dict[str, Any]:
    """Return arguments as keyword arguments, those not given left out. Raise ValueError naming what does not fit."""
    try:
        data = json_data(arguments)
        parsed = msgspec.convert(data, kind, strict=True)
    except msgspec.ValidationError as error:
        raise ValueError(str(error)) from error
    except RecursionError:
        msg = "the arguments are nested too deeply"
        raise ValueError(msg) from None
    return {name: getattr(parsed, name) for name in cast("dict[str, object]", data)}


def defaults_of(arguments: type[msgspec.Struct]) -> dict[str, Any]:
    """Return what arguments stand for when they are not given; null where a tool can tell."""
    fields = msgspec.structs.fields(arguments)
    return {f.name: None if f.default is msgspec.UNSET else f.default for f in fields if not f.required}
