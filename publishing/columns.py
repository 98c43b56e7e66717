"""Row models as columns: explicit Arrow types, JSON Schema and descriptions, all derived from the model.

Text, numbers, truth values, lists of them and models of nothing else become typed columns. What is open stands as
canonical JSON text in a field named `*_json` and annotated `JsonText[…]`, so that every file of every release has the
same types.
"""

from __future__ import annotations

import builtins
import typing
from typing import TYPE_CHECKING, Annotated, Literal, cast, get_args, get_origin, get_type_hints

import pyarrow as pa
from pydantic import BaseModel
from pydantic import Json as JsonText

from schemas.base import digest

if TYPE_CHECKING:
    from schemas.base import Json, Model

_SCALARS: dict[object, pa.DataType] = {
    str: pa.string(),
    int: pa.int64(),
    float: pa.float64(),
    bool: pa.bool_(),
}
_NAMES: dict[object, str] = {str: "string", int: "integer", float: "number", bool: "bool"}
_LISTED = 12


def arrow_type(annotation: object) -> pa.DataType:
    """Return the Arrow type of an annotation. Raise TypeError when it is open and not annotated as JSON text."""
    if annotation in _SCALARS:
        return _SCALARS[annotation]
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return pa.string() if _is_json(args) else arrow_type(args[0])
    if origin is Literal:
        return arrow_type(_literal_type(args))
    if origin is list:
        return pa.list_(arrow_type(args[0]))
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return pa.struct([(name, arrow_type(kind)) for name, kind in fields_of(annotation).items()])
    msg = f"{annotation!r} has no fixed column type: annotate the field as JSON text"
    raise TypeError(msg)


def fields_of(row: type[BaseModel]) -> dict[str, object]:
    """Return the annotations of a model's fields, in order."""
    hints = cast("dict[str, object]", get_type_hints(row, include_extras=True))
    return {name: hints[name] for name in row.model_fields}


def arrow_schema(row: type[Model]) -> pa.Schema:
    """Return the Arrow schema of a row model, columns in the order of its fields."""
    return pa.schema([(name, arrow_type(kind)) for name, kind in fields_of(row).items()])


def json_schema(row: type[Model]) -> dict[str, Json]:
    """Return the JSON Schema of a row; `contentSchema` says what the JSON text of a `*_json` column holds."""
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **row.model_json_schema(mode="validation")}


def schema_digest(row: type[Model]) -> str:
    """Return the SHA-256 over column names, Arrow types and the JSON Schema of a row model."""
    columns = [[name, str(arrow_type(kind))] for name, kind in fields_of(row).items()]
    return digest({"columns": columns, "schema": json_schema(row)})


def type_text(row: type[Model], column: str) -> str:
    """Return a column's type as a reader of the dataset sees it."""
    return _words(fields_of(row)[column])


def description(row: type[Model], column: str) -> str:
    """Return what a column means, in one line: its own description, else that of its type, else its values."""
    kind = fields_of(row)[column]
    own = row.model_fields[column].description or ""
    if not own and isinstance(kind, type) and issubclass(kind, BaseModel):
        own = kind.__doc__ or ""
    values = [str(value) for value in get_args(kind)] if get_origin(kind) is Literal else []
    if not own and 0 < len(values) <= _LISTED:
        own = f"One of {', '.join(values)}."
    return " ".join(own.split())


def _is_json(args: tuple[object, ...]) -> bool:
    return any(isinstance(mark, cast("type", JsonText)) for mark in args[1:])


def _literal_type(values: tuple[object, ...]) -> type:
    (kind,) = {type(value) for value in values}
    return cast("type", kind)


def _words(kind: object) -> str:
    args = get_args(kind)
    match get_origin(kind):
        case typing.Annotated:
            return "JSON text" if _is_json(args) else _words(args[0])
        case typing.Literal:
            return _words(_literal_type(args))
        case builtins.list:
            return f"list of {_words(args[0])}"
        case _ if isinstance(kind, type) and issubclass(kind, BaseModel):
            return "{" + ", ".join(kind.model_fields) + "}"
        case _:
            return _NAMES[kind]


__all__ = ["JsonText", "arrow_schema", "arrow_type", "description", "json_schema", "schema_digest", "type_text"]
