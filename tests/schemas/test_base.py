"""The canonical form against its definition, JSON fields against pydantic's, and parts that records share."""

from __future__ import annotations

import math
from typing import Annotated, cast

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, JsonValue, TypeAdapter, ValidationError

from schemas.base import Json, Model, canonical, plain
from schemas.goal import Const, Expr, Goal, NamedNode
from schemas.plan import Ask
from schemas.provenance import Derived, Mapped
from schemas.shared import Shared


class Held(Model):
    """A record with JSON inside."""

    value: Json
    named: dict[str, Json] = {}
    inner: Held | None = None


class Foreign(BaseModel):
    """A model that is no record."""

    pair: tuple[float, str]


NUMBERS = (
    st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=True, allow_infinity=True)
    | st.integers(-(2**53), 2**53).map(float)
    | st.sampled_from([1e15, 1e16, 1e17, -1e22, 1.5e300, 1e-7, -0.0, 25.0, float(2**64), 5e-324])
)
TEXTS = st.text(st.characters(codec="utf-8")) | st.sampled_from(["5.0", "1.0,", "[2.0]", "1e16}", "e16,", ".0"])
DATA = st.recursive(
    st.none() | st.booleans() | NUMBERS | TEXTS,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=12,
)


def defined(value: object) -> object:
    """Return JSON data with one number form by the definition, models by pydantic's own dump."""
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, dict):
        return {key: defined(item) for key, item in cast("dict[str, object]", value).items()}
    if isinstance(value, (list, tuple)):
        return [defined(item) for item in cast("list[object]", value)]
    return defined(value.model_dump(mode="json")) if isinstance(value, BaseModel) else value


def outcome(value: object) -> bytes | None:
    """Return the canonical bytes by the definition; None for numbers beyond what the encoder writes."""
    try:
        return orjson.dumps(defined(value), option=orjson.OPT_SORT_KEYS)
    except TypeError:
        return None


@given(DATA)
def test_canonical_bytes_are_those_of_the_definition(value: object) -> None:
    record = Held(value=cast("Json", value), named={"x": cast("Json", value)}, inner=Held(value=None))
    for one in (value, [value], {"a": (value,)}, record, {"records": [record]}):
        wanted = outcome(one)
        if wanted is None:
            with pytest.raises(TypeError):
                canonical(one)
        else:
            assert canonical(one) == wanted
            assert orjson.dumps(plain(one), option=orjson.OPT_SORT_KEYS) == wanted


def test_models_that_are_no_records_are_written_as_pydantic_writes_them() -> None:
    assert canonical([Foreign(pair=(2.0, "2.0"))]) == b'[{"pair":[2,"2.0"]}]'


@pytest.mark.parametrize("value", [object(), {1: 2}, [b"x"], {"a": {1, 2}}])
def test_what_is_no_json_has_no_canonical_form(value: object) -> None:
    with pytest.raises(TypeError):
        canonical(value)


class Count(int):
    """A subclass of a JSON type."""


@given(DATA)
def test_json_fields_take_what_pydantic_takes(value: object) -> None:
    expected = TypeAdapter[JsonValue](JsonValue).validate_python(value)
    found = Held(value=cast("Json", value)).value
    assert repr(found) == repr(expected)
    if isinstance(value, (list, dict)):
        assert found is not value


@pytest.mark.parametrize("value", [(1, 2), b"x", object(), {1: 2}, [object()], {"a": [{"b": {1}}]}, 1j])
def test_json_fields_refuse_what_no_json_text_gives(value: object) -> None:
    for data in ({"value": value}, {"value": None, "named": {"x": value}}):
        with pytest.raises(ValidationError):
            Held.model_validate(data)


def test_subclasses_of_json_types_become_these() -> None:
    found = Held(value=cast("Json", [Count(3), {"a": Count(4)}])).value
    assert found == [3, {"a": 4}]
    assert type(cast("list[object]", found)[0]) is int


def test_parsed_data_is_checked_but_not_copied() -> None:
    data = orjson.loads(b'{"value":{"a":[1.0]},"inner":{"value":[]}}')
    record = Held.of_parsed(data)
    assert record == Held.model_validate(data)
    assert record.value is data["value"]
    with pytest.raises(ValidationError):
        Held.of_parsed({"value": 1, "more": 2})


def derived(value: object) -> Derived:
    return Derived.model_validate({"value": {"op": "const", "value": value}, "args": {}})


def test_equal_parts_are_one_object_and_nearly_equal_ones_are_not() -> None:
    assert derived("a").value is derived("a").value
    values = [1, 1.0, True, None, "1", math.nan, 2]
    found = [derived(value).value for value in values]
    assert len({id(one) for one in found}) == len(values)
    assert [repr(cast("Const", one).value) for one in found] == [repr(value) for value in values]


def test_parts_built_in_python_are_taken_as_they_are() -> None:
    part = Const(value=5)
    assert Derived(value=part, args={}).value is part
    assert Mapped(over=0, columns=[]).columns == []


def test_a_shared_part_is_validated_like_any_other() -> None:
    for _ in range(2):
        with pytest.raises(ValidationError, match="value"):
            derived([1])
        with pytest.raises(ValidationError):
            Derived.model_validate({"value": Goal(), "args": {}})


def test_fields_of_different_types_share_nothing() -> None:
    one = TypeAdapter[object](Annotated[Goal, Shared])
    other = TypeAdapter[object](Annotated[dict[str, list[NamedNode]], Shared])
    data: dict[str, list[NamedNode]] = {"nodes": []}
    assert one.validate_python(data) == Goal()
    assert other.validate_python(data) == data
    assert one.json_schema()["title"] == "Goal"
    assert TypeAdapter[object](Annotated[Expr, Shared]).json_schema() == TypeAdapter[object](Expr).json_schema()


def test_a_changed_copy_is_what_model_copy_gives() -> None:
    question = Ask(gate="PURCHASE", granted=True)
    changed = question.changed({"granted": False})
    assert changed == question.model_copy(update={"granted": False})
    assert changed.model_dump() == {**question.model_dump(), "granted": False}
    assert changed.model_fields_set == {"gate", "granted"}
    assert question.granted
