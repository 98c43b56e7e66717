"""JSON Schemas of the records, derived from the models; what is committed must be what is derived."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

import orjson

from flows.shards import write_atomic
from schemas.certificate import Certificate
from schemas.config import RunConfig
from schemas.environment import EnvironmentRecord
from schemas.profile import Profile
from schemas.rollout import RolloutConfig
from schemas.task import Task
from schemas.trajectory import Trajectory
from schemas.world import World

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.base import Model

RECORDS: Mapping[str, type[Model]] = {
    "certificate": Certificate,
    "environment": EnvironmentRecord,
    "profile": Profile,
    "rollout-config": RolloutConfig,
    "run-config": RunConfig,
    "task": Task,
    "trajectory": Trajectory,
    "world": World,
}
FOLDER = Path(str(files("schemas").joinpath("json")))
_DIALECT = "https://json-schema.org/draft/2020-12/schema"


def derived() -> dict[str, bytes]:
    """Return the schema files by name, as their models give them."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    return {
        f"{name}.schema.json": orjson.dumps({"$schema": _DIALECT, **model.model_json_schema()}, option=options)
        for name, model in RECORDS.items()
    }


def stale() -> set[str]:
    """Return the names of committed schemas that are missing, differ from their model or have none."""
    wanted = derived()
    found = {file.name: file.read_bytes() for file in FOLDER.glob("*.schema.json")}
    return {name for name in {*wanted, *found} if wanted.get(name) != found.get(name)}


def write() -> list[Path]:
    """Write every schema, remove those without a model, and return the files. Raise StoreError on failure."""
    wanted = derived()
    for name in stale() - wanted.keys():
        (FOLDER / name).unlink()
    for name, data in wanted.items():
        write_atomic(FOLDER / name, data)
    return [FOLDER / name for name in wanted]
