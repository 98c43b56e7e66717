"""Records as rows: which columns each stage's shards have, and the way from record to row and back.

A field that holds a number, a text or a list of texts is a typed column of the same name; every other field stands as
canonical JSON text in a column named `<field>_json`. The columns follow from the models alone, so all shards of a stage
have the same types.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeAlias, cast, get_args, get_origin

import orjson
import pyarrow as pa

from schemas.base import Json
from schemas.environment import EnvironmentRecord
from schemas.profile import Profile
from schemas.task import Task
from schemas.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pydantic import BaseModel

Row: TypeAlias = dict[str, object]
Record: TypeAlias = dict[str, Json]

STAGES = ("worlds", "users", "environments", "tasks", "rejects")
"""Stages of a run, each with a folder of its own."""
MODELS: Mapping[str, type[BaseModel]] = {
    "worlds": World,
    "users": Profile,
    "environments": EnvironmentRecord,
    "tasks": Task,
}
EXTRA: Mapping[str, tuple[str, ...]] = {
    "worlds": ("verdicts",),
    "users": ("verdicts",),
    "environments": ("verdicts",),
    "tasks": ("certificate",),
}
"""What validation adds to the records of a stage, as JSON."""
REJECT_COLUMNS = ("stage", "id", "user_id", "check", "reason", "record_json", "verdicts_json")
"""A reject: stage, id, the first check that failed and why, the record, and all verdicts as far as there are any."""
_SIMPLE: Mapping[type, pa.DataType] = {str: pa.string(), bool: pa.bool_(), int: pa.int64(), float: pa.float64()}


@cache
def arrow_schema(stage: str) -> pa.Schema:
    """Return the columns of a stage's shards."""
    if stage == "rejects":
        return pa.schema([pa.field(name, pa.string(), nullable=False) for name in REJECT_COLUMNS])
    typed = [pa.field(name, kind or pa.string(), nullable=False) for name, kind in _columns(stage)]
    return pa.schema([*typed, *(pa.field(f"{name}_json", pa.string(), nullable=False) for name in EXTRA[stage])])


def to_row(stage: str, record: Mapping[str, Json], **extra: Json) -> Row:
    """Return a record and what validation adds to it as one row; both are plain data, as read from canonical lines."""
    row: Row = {}
    for name, kind in _columns(stage):
        field = name if kind else name.removesuffix("_json")
        row[name] = record[field] if kind else _text(record[field])
    for name in EXTRA[stage]:
        row[f"{name}_json"] = _text(extra[name])
    return row


def from_row(stage: str, row: Mapping[str, object]) -> tuple[Record, Record]:
    """Return the record of a row and what validation added to it. Raise ValueError when a text is no JSON."""
    return record_of(stage, row), {name: _load(row[f"{name}_json"]) for name in EXTRA[stage]}


def record_of(stage: str, row: Mapping[str, object]) -> Record:
    """Return the record of a row without what validation added to it, as `from_row` does."""
    record = {
        name if kind else name.removesuffix("_json"): row[name] if kind else _load(row[name])
        for name, kind in _columns(stage)
    }
    return cast("Record", record)


def record_columns(stage: str) -> list[str]:
    """Return the columns that `record_of` reads."""
    return [name for name, _ in _columns(stage)]


def reject_row(stage: str, identity: str, user_id: str, check: str, reason: str, record: Json, verdicts: Json) -> Row:
    """Return the row of a rejected record, which is plain data as read from a canonical line."""
    texts = (stage, identity, user_id, check, reason, _text(record), _text(verdicts))
    return dict(zip(REJECT_COLUMNS, texts, strict=True))


def arrow_type(annotation: object) -> pa.DataType | None:
    """Return the column type for a field with this annotation; None when it has to stand as JSON."""
    origin, args = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return arrow_type(args[0])
    if origin is Literal:
        kinds: set[type] = {type(arg) for arg in args}
        return _SIMPLE.get(kinds.pop()) if len(kinds) == 1 else None
    if origin is list:
        return pa.list_(pa.string()) if arrow_type(args[0]) == pa.string() else None
    return _SIMPLE.get(cast("Any", annotation)) if isinstance(annotation, type) else None


@cache
def _columns(stage: str) -> tuple[tuple[str, pa.DataType | None], ...]:
    """Name and type of the record's own columns; no type for those that stand as JSON."""
    kinds = {name: arrow_type(field.annotation) for name, field in MODELS[stage].model_fields.items()}
    return tuple((name if kind else f"{name}_json", kind) for name, kind in kinds.items())


def _load(text: object) -> Json:
    return cast("Json", orjson.loads(cast("str", text)))


def _text(value: Json) -> str:
    """Return plain data as canonical text: it has one number form already, so no float is looked for."""
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS).decode()
