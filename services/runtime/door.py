"""The stable door: a published or built environment record becomes an environment that tools can be called on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

from schemas.base import Model
from schemas.environment import EnvironmentRecord
from schemas.task import Patch, Task
from schemas.world import World, content_id
from services.runtime.blobs import Blob, Blobs
from services.runtime.catalogue import Catalogue, installed_catalogue
from services.runtime.environment import Environment
from services.runtime.state import Base, Tables, load_tables

if TYPE_CHECKING:
    from services.runtime.records import Record

M = TypeVar("M", bound=Model)
_registered: dict[str, Tables] = {}


def load_world(world: World, catalogue: Catalogue | None = None) -> Tables:
    """Return a world's tables as typed records by id. Raise ValueError when a record does not fit its declaration."""
    return load_tables(world.tables, (catalogue or installed_catalogue()).world_tables)


def register_world(world: World) -> None:
    """Make a world known to `open_environment`. Raise ValueError when its `world_id` is not that of its content."""
    expected = content_id(world.tables)
    if world.world_id != expected:
        msg = f"world {world.world_id!r}: its tables give the id {expected!r}"
        raise ValueError(msg)
    _registered[world.world_id] = load_world(world)


def use_worlds(path: str | Path) -> list[str]:
    """Register every world in the parquet files at or below `path` and return their ids.

    `path` is a run folder, a release folder, its `worlds` folder or one file. Raise FileNotFoundError when there is
    none.
    """
    import pyarrow.parquet as pq

    root = Path(path).resolve()
    files = [root] if root.is_file() else sorted(f for f in root.rglob("*.parquet") if "worlds" in f.parts[-3:-1])
    if not files:
        msg = f"no worlds/*.parquet under {root}"
        raise FileNotFoundError(msg)
    found: list[str] = []
    for file in files:
        with pq.ParquetFile(file) as parquet:
            # One row group at a time: a world is large, and a release may hold many.
            for group in range(parquet.num_row_groups):
                rows = parquet.read_row_group(group).to_pylist()  # pyright: ignore[reportUnknownMemberType]
                for row in cast("list[dict[str, object]]", rows):
                    world = world_of_row(row)
                    register_world(world)
                    found.append(world.world_id)
    return found


def world_of_row(row: Mapping[str, object]) -> World:
    """Return the world of a published row, its tables in `tables_json`. Raise ValueError if it is none."""
    return _model_of_row(World, row)


def record_of_row(row: Mapping[str, object]) -> EnvironmentRecord:
    """Return the environment of a published row, its tables in `tables_json`. Raise ValueError if it is none."""
    return _model_of_row(EnvironmentRecord, row)


def _model_of_row(model: type[M], row: Mapping[str, object]) -> M:
    """Return a model from a row: fields as columns of their name, or as JSON text in a column `<name>_json`."""
    data: dict[str, object] = {}
    for name, field in model.model_fields.items():
        if f"{name}_json" in row:
            data[name] = _json(row, f"{name}_json")
        elif name in row:
            data[name] = row[name]
        elif field.is_required():
            msg = f"the row is no {model.__name__}: it has neither a column {name!r} nor {name + '_json'!r}"
            raise ValueError(msg)
    return model.model_validate(data)


def _json(row: Mapping[str, object], column: str) -> object:
    if column not in row:
        msg = f"the row has no column {column!r}"
        raise ValueError(msg)
    try:
        return json.loads(str(row[column]))
    except ValueError as error:
        msg = f"column {column!r} holds no JSON: {error}"
        raise ValueError(msg) from error


def at_start(record: EnvironmentRecord, task: Task | Mapping[str, object]) -> EnvironmentRecord:
    """Return the environment as it is when `task` starts: with the task's setup, and its start hash to be expected."""
    if isinstance(task, Task):
        patches, start_hash = task.setup, task.start_hash
    else:
        patches = [Patch.model_validate(patch) for patch in cast("list[object]", _json(task, "setup_json"))]
        start_hash = str(task["start_hash"])
    tables = {name: {str(row["id"]): row for row in rows} for name, rows in record.tables.items()}
    for patch in patches:
        rows = tables.setdefault(patch.table, {})
        rows.pop(patch.id, None)
        if patch.record is not None:
            rows[patch.id] = patch.record
    patched = {name: [rows[key] for key in sorted(rows)] for name, rows in tables.items()}
    return record.model_copy(update={"tables": patched, "state_hash": start_hash})


def open_environment(
    record: EnvironmentRecord | Mapping[str, object],
    world: World | Mapping[str, object] | None = None,
    task: Task | Mapping[str, object] | None = None,
) -> Environment:
    """Return a running environment at its frozen moment or, with `task`, at the start of that task.

    `record` is the model or a row as `datasets.load_dataset` gives it; so are `task`, whose row is that of the config
    `starts`, and `world`, which may be left out when it was registered with `use_worlds`. Raise ValueError naming what
    does not fit: an unknown world, a record that breaks its declaration, a wrong state hash, a damaged blob.
    """
    model = record if isinstance(record, EnvironmentRecord) else record_of_row(record)
    if task is not None:
        model = at_start(model, task)
    if world is not None:
        given = world if isinstance(world, World) else world_of_row(world)
        if given.world_id != model.world_id:
            msg = f"environment {model.environment_id!r} needs world {model.world_id!r}, not {given.world_id!r}"
            raise ValueError(msg)
        if given.world_id not in _registered:
            register_world(given)
    if model.world_id not in _registered:
        msg = f"world {model.world_id!r} is not known: pass it as `world`, or name its folder to use_worlds"
        raise ValueError(msg)
    base = base_of(model, _registered[model.world_id])
    if f"{base.hash:032x}" != model.state_hash:
        found = f"state_hash is {model.state_hash}, its records give {base.hash:032x}"
        msg = f"environment {model.environment_id!r}: {found}"
        raise ValueError(msg)
    base.blobs.verify()
    return Environment(base, installed_catalogue(), now=model.now, seed=model.seed)


def base_of(
    record: EnvironmentRecord, world: Mapping[str, Mapping[str, Record]], catalogue: Catalogue | None = None
) -> Base:
    """Return the environment's records and blobs as an immutable base, without comparing hash and digests.

    Raise ValueError when a record does not fit its declaration, or blobs are not those that records describe.
    """
    known = catalogue or installed_catalogue()
    tables = load_tables(record.tables, known.tables)
    describing = {name: tables[name] for name, table in known.tables.items() if issubclass(table.record, Blob)}
    blobs = Blobs(record.blobs, cast("Mapping[str, Mapping[str, Blob]]", describing))
    return Base(tables, world, blobs=blobs)


__all__ = ["at_start", "base_of", "load_world", "open_environment", "register_world", "use_worlds"]


def known_world(world: World) -> Tables:
    """Return the typed records of a world, registering it when it is new."""
    if world.world_id not in _registered:
        register_world(world)
    return _registered[world.world_id]
