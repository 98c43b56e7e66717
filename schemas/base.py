"""What every stored record shares: a frozen model, JSON types and one canonical form.

The canonical form decides equality and every checksum: UTF-8 JSON with sorted keys, no white space, and one form per
number (25.0 is written 25), so that the same value always has the same bytes.
"""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias, cast

import orjson
from pydantic import BaseModel, ConfigDict
from pydantic_core import PydanticCustomError, core_schema

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from typing import Self

    from pydantic import JsonValue
    from pydantic.annotated_handlers import GetCoreSchemaHandler

Scalar: TypeAlias = bool | int | float | str | None
"""A JSON value that is no container."""

_LEAVES = frozenset({bool, int, str, type(None)})
"""Types of values that stand in canonical data as they are."""
_PARSED: dict[str, bool] = {"parsed": True}
"""Validation context of data that a JSON parser has just made."""


def json_data(value: object) -> object:
    """Return a copy of a JSON value. Raise PydanticCustomError where it holds anything that no JSON text gives."""
    kind = type(value)
    if kind in _LEAVES or kind is float:
        return value
    if isinstance(value, dict):
        inside = cast("dict[object, object]", value)
        if all(isinstance(key, str) for key in inside):
            return {key: item if type(item) in _LEAVES else json_data(item) for key, item in inside.items()}
    elif isinstance(value, list):
        return [item if type(item) in _LEAVES else json_data(item) for item in cast("list[object]", value)]
    for scalar in (str, int, float):
        if isinstance(value, scalar):
            return scalar(value)
    raise PydanticCustomError("invalid-json-value", "input was not a valid JSON value")


def _given(value: object, info: core_schema.ValidationInfo) -> object:
    return value if info.context is _PARSED else json_data(value)


class _JsonForm:
    """Validates as `pydantic.JsonValue` does, in a fraction of the time."""

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: object, _handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        anything = core_schema.any_schema()
        given = core_schema.with_info_plain_validator_function(_given)
        return core_schema.json_or_python_schema(json_schema=anything, python_schema=given)


def _are_rows(value: object) -> bool:
    """Return whether a value is lists of dicts by name, whatever these hold."""
    if type(value) is not dict:
        return False
    lists = cast("dict[str, object]", value).values()
    return all(type(rows) is list and all(type(row) is dict for row in cast("list[object]", rows)) for rows in lists)


def _given_rows(
    value: object, validate: core_schema.ValidatorFunctionWrapHandler, info: core_schema.ValidationInfo
) -> object:
    return value if info.context is _PARSED and _are_rows(value) else cast("object", validate(value))


class _RowsForm:
    """Validates as the annotated type does; data that a JSON parser made is shared, its values unseen."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        return core_schema.with_info_wrap_validator_function(_given_rows, handler(source))


if TYPE_CHECKING:
    Json: TypeAlias = JsonValue
    """Any JSON value."""
else:
    Json = Annotated[Any, _JsonForm]

Rows = Annotated[dict[str, list[dict[str, Json]]], _RowsForm]
"""Rows of JSON values by table."""


class Model(BaseModel):
    """Base of all stored records: immutable, no unknown fields, attribute docstrings as field descriptions.

    Fields hold JSON data or models and are written under their own names, so that a record is what its fields are.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", use_attribute_docstrings=True, ser_json_inf_nan="constants")

    @classmethod
    def of_parsed(cls, data: object) -> Self:
        """Return the record that `data` is, which a JSON parser made and which nobody changes: JSON inside is shared.

        Raise ValidationError when it is none.
        """
        return cls.model_validate(data, context=_PARSED)

    def changed(self, changes: Mapping[str, object]) -> Self:
        """Return a copy with other values of some fields, not validated: `model_copy` in a tenth of its time."""
        made = type(self).__new__(type(self))
        object.__setattr__(made, "__dict__", {**self.__dict__, **changes})
        object.__setattr__(made, "__pydantic_fields_set__", {*self.__pydantic_fields_set__, *changes})
        object.__setattr__(made, "__pydantic_extra__", None)
        object.__setattr__(made, "__pydantic_private__", None)
        return made


def plain(value: object) -> object:
    """Return `value` as JSON data with one number form: integral floats become ints, tuples become lists."""
    kind = type(value)
    if kind in _LEAVES:
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else value
    if isinstance(value, (dict, BaseModel)):
        pairs = cast("dict[str, object]", value if isinstance(value, dict) else _fields(value)).items()
        return {key: item if type(item) in _LEAVES else plain(item) for key, item in pairs}
    if isinstance(value, (list, tuple)):
        return [item if type(item) in _LEAVES else plain(item) for item in cast("list[object]", value)]
    return value


_INTEGRAL_FLOAT = re.compile(rb"\.0(?:[,\]}]|\Z)")
_EXPONENT = re.compile(rb"e[+0-9](?<=[0-9]e.)")
_INTEGRAL_EXPONENT = re.compile(rb"e\+?\d+(?:[,\]}]|\Z)")
"""An integral float as the encoder writes it: patterns that begin with a literal are searched fast, the more so where
what follows it is of one length."""


def canonical(value: object) -> bytes:
    """Return the canonical JSON bytes of a JSON value or a model."""
    found = orjson.dumps(value, default=_fields, option=orjson.OPT_SORT_KEYS)
    if _INTEGRAL_FLOAT.search(found) or (_EXPONENT.search(found) and _INTEGRAL_EXPONENT.search(found)):
        # Or a text that looks like one: then the walk changes nothing.
        return orjson.dumps(plain(value), option=orjson.OPT_SORT_KEYS)
    return found


def _fields(part: object) -> object:
    """Return what a model holds, for the encoder. Raise TypeError for anything else that JSON does not know."""
    if isinstance(part, Model):
        return part.__dict__
    if isinstance(part, BaseModel):
        return part.model_dump(mode="json")
    raise TypeError(f"{type(part).__name__} is no JSON")


def content(value: object) -> bytes:
    """Return a JSON value or a model as JSON bytes, as it stands: equal bytes of records of one type, equal content."""
    return orjson.dumps(value, default=_fields)


def canonical_text(value: object) -> str:
    """Return the canonical JSON of `value` as text, the form in which open parts stand in columns named `*_json`."""
    return canonical(value).decode()


def digest(value: object) -> str:
    """Return the SHA-256 of the canonical form, as 64 hexadecimal digits."""
    return hashlib.sha256(canonical(value)).hexdigest()


def digest_lines(records: Iterable[Mapping[str, object]]) -> str:
    """Return the SHA-256 over the canonical JSON lines of `records`, each ended by a newline."""
    total = hashlib.sha256()
    for record in records:
        total.update(canonical(record))
        total.update(b"\n")
    return total.hexdigest()
