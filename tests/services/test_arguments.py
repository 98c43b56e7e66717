"""Fast argument validation against jsonschema on the derived schema, and what is no exact JSON."""

from __future__ import annotations

import math
from typing import Annotated, Any, Literal

import jsonschema
import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from msgspec import UNSET, Meta, UnsetType

from schemas.base import Json, plain
from services.runtime.arguments import LARGEST, arguments_of, json_data, schema_of
from services.runtime.catalogue import installed_catalogue
from services.runtime.tools import Context, Tool, ToolRefusal, parse_arguments, tool
from tests.effort import amount
from tests.services import sample


class Inner(msgspec.Struct, forbid_unknown_fields=True):
    """A nested object."""

    title: str | UnsetType = UNSET
    days: list[Annotated[int, Meta(ge=1, le=7)]] | UnsetType = UNSET


@tool(side="assistant")
def everything(
    c: Context,
    text: Annotated[str, Meta(description="A text.")],
    count: Annotated[int, Meta(ge=1, description="A count.")],
    price: float,
    flag: bool,
    kind: Literal["a", "b"],
    title: str | None = None,
    inner: Inner | UnsetType = UNSET,
) -> dict[str, Json]:
    """Take an argument of every type that tools use.

    Nothing.
    """
    return {}


TOOLS = [*installed_catalogue().tools.values(), everything]
GOOD: dict[str, Json] = {"text": "x", "count": 2, "price": 1.5, "flag": True, "kind": "a"}
NAMES = sorted({str(name) for t in TOOLS for name in t.schema["properties"]} | {"title", "days", "extra"})  # type: ignore[union-attr]
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-3, 3),
    st.integers(-LARGEST, LARGEST),
    st.sampled_from([1.0, -0.0, 0.5, 1e9, "1", "", "a", "1_month", "single_pack", "ü"]),
    st.floats(-1e15, 1e15),
)
VALUES = st.recursive(
    SCALARS, lambda v: st.lists(v, max_size=3) | st.dictionaries(st.sampled_from(NAMES), v, max_size=3), max_leaves=6
)


def accepts(item: Tool, arguments: object) -> bool:
    try:
        parse_arguments(item, arguments)  # type: ignore[arg-type]
    except ToolRefusal as refusal:
        assert refusal.code == "INVALID_ARGUMENTS" and refusal.message
        return False
    return True


VALIDATORS = {item.name: jsonschema.Draft202012Validator(item.schema) for item in TOOLS}


@pytest.mark.parametrize("item", TOOLS, ids=lambda item: item.name)
@settings(max_examples=amount(10, 40))
@given(data=st.data())
def test_fast_validation_agrees_with_the_schema(item: Tool, data: st.DataObject) -> None:
    names = list(item.schema["properties"])  # type: ignore[arg-type]
    known = st.fixed_dictionaries({}, optional={name: VALUES for name in names})
    # A valid start with one value changed reaches the edges that whole random objects miss.
    valid = GOOD if item is everything else item.example
    changed = known.map(lambda some: {**valid, **some})
    arguments = data.draw(st.one_of(changed, known, st.dictionaries(st.sampled_from(NAMES), VALUES, max_size=4)))
    assert accepts(item, arguments) is VALIDATORS[item.name].is_valid(arguments), arguments


@pytest.mark.parametrize(
    ("change", "valid"),
    [
        ({}, True),
        ({"count": 1.0}, True),
        ({"count": True}, False),
        ({"count": 0}, False),
        ({"count": 1.5}, False),
        ({"count": "1"}, False),
        ({"count": None}, False),
        ({"price": 3}, True),
        ({"price": True}, False),
        ({"price": "3"}, False),
        ({"flag": 1}, False),
        ({"kind": "c"}, False),
        ({"title": None}, True),
        ({"title": "t"}, True),
        ({"inner": {}}, True),
        ({"inner": {"title": "t", "days": [1.0, 7]}}, True),
        ({"inner": {"days": [8]}}, False),
        ({"inner": {"unknown": 1}}, False),
        ({"inner": None}, False),
        ({"unknown": 1}, False),
    ],
)
def test_single_arguments(change: dict[str, Json], valid: bool) -> None:
    arguments = {**GOOD, **change}
    assert accepts(everything, arguments) is valid
    assert VALIDATORS["everything"].is_valid(arguments) is valid


def test_a_missing_argument_is_named() -> None:
    with pytest.raises(ToolRefusal, match="price"):
        parse_arguments(everything, {name: value for name, value in GOOD.items() if name != "price"})


def test_arguments_arrive_in_one_number_form() -> None:
    parsed = parse_arguments(everything, {**GOOD, "count": 2.0, "price": 3})
    assert parsed["count"] == 2 and type(parsed["count"]) is int
    assert parsed["price"] == 3.0 and type(parsed["price"]) is float
    assert set(parsed) == set(GOOD)


def test_an_argument_named_title_stays_in_the_schema() -> None:
    # `title` is also a keyword of JSON Schema, which the derivation drops.
    assert set(everything.schema["properties"]) == {"text", "count", "price", "flag", "kind", "title", "inner"}  # type: ignore[arg-type]
    inner: Any = everything.schema["properties"]["inner"]  # type: ignore[index, call-overload]
    assert set(inner["properties"]) == {"title", "days"} and "title" not in inner.keys() - {"properties"}


def test_an_enumeration_has_a_type() -> None:
    kind: Any = everything.schema["properties"]["kind"]  # type: ignore[index, call-overload]
    assert kind == {"type": "string", "enum": ["a", "b"]}


@pytest.mark.parametrize(
    "value",
    [math.nan, math.inf, -math.inf, LARGEST + 1, -LARGEST - 1, 1e300, "\ud800", {1: "a"}, {"\ud800": 1}, b"x", {1}, 1j],
    ids=repr,
)
def test_what_is_no_exact_json_is_refused_wherever_it_stands(value: object) -> None:
    for place in ({"price": value}, {"text": value}, {"title": value}, {"inner": {"days": [value]}}):
        assert not accepts(everything, {**GOOD, **place})


def test_the_largest_exact_integer_is_accepted() -> None:
    assert accepts(everything, {**GOOD, "count": LARGEST})


@pytest.mark.parametrize("arguments", [[], "text", 3, [["page", 1]]], ids=repr)
def test_arguments_that_are_no_object_are_refused(arguments: object) -> None:
    assert not accepts(everything, arguments)
    env = sample.environment()
    assert sample.code_of(env.call("get_cart", arguments)) == "INVALID_ARGUMENTS"  # type: ignore[arg-type]


def test_deep_nesting_is_refused() -> None:
    deep: Any = 1
    for _ in range(100_000):
        deep = [deep]
    env = sample.environment()
    assert sample.code_of(env.call("browse_items", {"page": deep})) == "INVALID_ARGUMENTS"


@given(VALUES)
@example([(1, 2.0), {"a": (3,)}])
def test_exact_json_keeps_its_value(value: object) -> None:
    assert json_data(value) == plain(value)


def test_schema_of_an_empty_argument_list() -> None:
    def nothing(c: Context) -> dict[str, Json]:
        return {}

    schema = schema_of(arguments_of(nothing))
    assert schema == {"type": "object", "properties": {}, "required": [], "additionalProperties": False}
