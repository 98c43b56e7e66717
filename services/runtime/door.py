"""The stable door: a published or built environment record becomes an environment that tools can be called on."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, cast

from schemas.environment import EnvironmentRecord
from schemas.task import Patch, Task
from schemas.world import World
from services.runtime.catalogue import Catalogue, installed_catalogue
from services.runtime.environment import Environment
from services.runtime.state import Base, load_tables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from services.runtime.records import Record

Worlds = dict[str, "dict[str, dict[str, Record]]"]
_registered: Worlds = {}


def load_world(world: World, catalogue: Catalogue | None = None) -> dict[str, dict[str, Record]]:
    """Return a world's tables as typed records by id. Raise ValueError when a record does not fit its declaration."""
    return load_tables(world.tables, (catalogue or installed_catalogue()).world_tables)


def register_world(world: World) -> None:
    """Make a world known to `open_environment` by its `world_id`."""
    _registered[world.world_id] = load_world(world)


def use_worlds(path: str | Path) -> list[str]:
    """Register every world in the parquet files at or below `path` and return their ids.

    `path` is a run folder, a release folder, its `worlds` folder or one file. Raise FileNotFoundError when there is none.
    """
    import pyarrow.parquet as pq

    root = Path(path)
    files = [root] if root.is_file() else sorted(f for f in root.rglob("*.parquet") if "worlds" in f.parts[-3:-1])
    if not files:
        msg = f"no worlds/*.parquet under {root}"
        raise FileNotFoundError(msg)
    found: list[str] = []
    for file in files:
        for row in cast("Iterable[dict[str, object]]", pq.read_table(file).to_pylist()):
            world = world_of_row(row)
            register_world(world)
            found.append(world.world_id)
    return found


def world_of_row(row: Mapping[str, object]) -> World:
    """Return the world of a published row, whose tables stand as JSON text in `tables_json`."""
    return World.model_validate({"world_id": row["world_id"], "tables": json.loads(str(row["tables_json"]))})


def record_of_row(row: Mapping[str, object]) -> EnvironmentRecord:
    """Return the environment of a published row, whose tables stand as JSON text in `tables_json`."""
    data = {name: row[name] for name in EnvironmentRecord.model_fields if name != "tables"}
    return EnvironmentRecord.model_validate({**data, "tables": json.loads(str(row["tables_json"]))})


def at_start(record: EnvironmentRecord, task: Task | Mapping[str, object]) -> EnvironmentRecord:
    """Return the environment as it is when `task` starts: with the task's setup, and with its start hash as the hash to expect."""
    if isinstance(task, Task):
        patches, start_hash = task.setup, task.start_hash
    else:
        patches = [Patch.model_validate(patch) for patch in json.loads(str(task["setup_json"]))]
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

    `record` is the model or a row as `datasets.load_dataset` gives it; so are `task` and `world`; a world may be left out when it was
    registered with `use_worlds`. Raise ValueError naming what does not fit: an unknown world, a record that breaks its declaration, a
    wrong state hash.
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
        msg = f"world {model.world_id!r} is not known: pass it as `world`, or call use_worlds(path) with the folder that holds it"
        raise ValueError(msg)
    base = base_of(model, _registered[model.world_id])
    if f"{base.hash:032x}" != model.state_hash:
        msg = (
            f"environment {model.environment_id!r}: state_hash is {model.state_hash}, its records give {base.hash:032x}"
        )
        raise ValueError(msg)
    return Environment(base, installed_catalogue(), now=model.now, seed=model.seed)


def base_of(
    record: EnvironmentRecord, world: Mapping[str, Mapping[str, Record]], catalogue: Catalogue | None = None
) -> Base:
    """Return the environment's records as an immutable base, without comparing its hash."""
    return Base(load_tables(record.tables, (catalogue or installed_catalogue()).tables), world)


__all__ = ["base_of", "load_world", "open_environment", "register_world", "use_worlds"]
