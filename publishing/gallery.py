"""Tasks of a run to be shown: one by its id, or some of each kind."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, cast

from publishing.errors import ReleaseError
from publishing.explain import explain
from publishing.parquet import read_rows, schema_of
from publishing.run import open_run, parsed, shards
from publishing.telling import kinship
from schemas.certificate import Certificate
from schemas.task import Task

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence
    from pathlib import Path

    from publishing.parquet import RawRow
    from publishing.telling import Record

WAYS = ("change_of_mind", "told_on_request", "chained_parts", "limited_consent")
"""Features that say how a task is told; the first task of each is shown, and the first twin and variation."""


class Shown(NamedTuple):
    """One task to be shown."""

    task: Task
    certificate: Certificate
    kin: str = ""
    """What it has to do with the task that it came from, in words."""


class _Row(NamedTuple):
    """What of a row decides whether it is shown."""

    task_id: str
    template: str
    ways: frozenset[str]
    of: str


def find_task(folder: Path, task_id: str) -> Shown:
    """Return a kept task of a run. Raise ReleaseError when there is none of this id."""
    for found in _tasks(folder, {task_id}):
        return found
    known = sum(1 for _ in _listed(folder))
    msg = f"{folder} keeps no task {task_id!r} among its {known}; `pausegen explain {folder}` shows some"
    raise ReleaseError(msg)


def gallery(folder: Path, count: int) -> str:
    """Return up to `count` tasks of a run as one Markdown page, in their order.

    First come those that are told in a way of their own, and the tasks that they came from, then one of each template.
    """
    chosen = _choice(list(_listed(folder)), count)
    return "\n".join(["# Gallery", "", *(explain(*shown) for shown in _tasks(folder, chosen))])


def _choice(rows: Sequence[_Row], count: int) -> list[str]:
    """Return the ids of the tasks to be shown."""
    chosen: dict[str, _Row] = {}
    by_id = {row.task_id: row for row in rows}
    for way in ("twin", "variation", *WAYS):
        row = next((row for row in rows if way in row.ways), None)
        group = [by_id[name] for name in (row.of, row.task_id) if name] if row is not None else []
        if len(chosen.keys() | {row.task_id for row in group}) <= count:
            chosen.update({row.task_id: row for row in group})
    templates = {row.template for row in chosen.values()}
    for row in rows:
        if len(chosen) < count and row.template not in templates:
            chosen[row.task_id] = row
            templates.add(row.template)
    return list(chosen)


def _listed(folder: Path) -> Iterator[_Row]:
    for file in shards(open_run(folder), "tasks"):
        present = schema_of(file).names
        names = ("task_id", "template", "features", "kin")
        for row in read_rows(file, [name if name in present else f"{name}_json" for name in names], 1024):
            kin = cast("Mapping[str, str] | None", parsed(row, "kin"))
            ways = {*cast("list[str]", parsed(row, "features")), kin["kind"] if kin else ""}
            yield _Row(str(row["task_id"]), str(row["template"]), frozenset(ways), kin["of"] if kin else "")


def _tasks(folder: Path, wanted: Collection[str]) -> Iterator[Shown]:
    """Yield the wanted tasks in their order, with what they have to do with those that they came from."""
    rows = {str(row["task_id"]): row for row in _rows(folder) if row["task_id"] in wanted}
    origins = {kin["of"] for row in rows.values() if (kin := cast("Mapping[str, str] | None", parsed(row, "kin")))}
    again = _rows(folder) if origins else iter(())
    sources = {str(row["task_id"]): task_of_row(row)[0] for row in again if row["task_id"] in origins}
    for row in rows.values():
        task, certificate = task_of_row(row)
        first = sources[task.kin.of] if task.kin is not None else None
        kin = "" if first is None else kinship(task, first, _environment(folder, task.user_id))
        yield Shown(task, certificate, kin)


def _rows(folder: Path) -> Iterator[RawRow]:
    for file in shards(open_run(folder), "tasks"):
        yield from read_rows(file)


def _environment(folder: Path, user_id: str) -> Mapping[str, list[Record]]:
    """Return the records of a user's environment by table."""
    for file in shards(open_run(folder), "environments"):
        for row in read_rows(file):
            if row["user_id"] == user_id:
                return cast("Mapping[str, list[Record]]", parsed(row, "tables"))
    return {}


def task_of_row(row: RawRow) -> tuple[Task, Certificate]:
    """Return the task and certificate of a row of a run."""
    fields = {name: row[name] if name in row else parsed(row, name) for name in Task.model_fields}
    return Task.model_validate(fields), Certificate.model_validate(parsed(row, "certificate"))
