"""A user with tasks as text to read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, cast

from flows.extents import ROUND
from flows.rows import Record, from_row
from flows.shards import read_rows

if TYPE_CHECKING:
    from flows.store import RunFolder
    from schemas.base import Json
    from schemas.config import RunConfig

_SHOWN = 5


def user_text(run: RunFolder) -> str:
    """Return the first user of a run with tasks and rejects."""
    return "\n".join(_lines(run)) + "\n"


def projection(whole: RunConfig, made: RunConfig, seconds: float) -> str:
    """Return how long the whole run would take at most: in `seconds`, processes started for `made` alone."""
    share = seconds * _rounds(whole) / _rounds(made)
    size = f"{whole.users} users with {whole.tasks_per_user} tasks each"
    return f"At most about {share:.0f} s for {size}: pausegen generate --preset {whole.preset}"


def _rounds(config: RunConfig) -> int:
    return config.users * max(1, -(-config.tasks_per_user // ROUND))


def _lines(run: RunFolder) -> Iterator[str]:
    for profile, _ in _records(run, "users"):
        yield f"{profile['user_id']}: {profile['narrative']}\n"
    for environment, _ in _records(run, "environments"):
        tables = cast("dict[str, list[Json]]", environment["tables"])
        sizes = ", ".join(f"{len(rows)} {name}" for name, rows in tables.items() if rows)
        yield f"It is {environment['now']}. The environment holds {sizes}.\n"
    for task, extra in _records(run, "tasks"):
        yield from _task(task, cast("Record", extra["certificate"]))
    yield from _rejects(run)


def _task(task: Record, certificate: Record) -> Iterator[str]:
    yield f"{task['task_id']}  {task['template']}  {task['level']}"
    yield f'  "{task["instruction"]}"'
    for step in cast("list[dict[str, Json]]", cast("Record", task["plan"])["steps"]):
        yield f"    {_step(step)}"
    verdicts = cast("list[dict[str, Json]]", certificate["verdicts"])
    passed = sum(verdict["passed"] is True for verdict in verdicts)
    yield f"  {passed} of {len(verdicts)} checks passed, {certificate['tool_calls']} tool calls executed\n"


def _step(step: dict[str, Json]) -> str:
    match step["step"]:
        case "call":
            mark = "user: " if step["side"] == "user" else ""
            return f"{mark}{step['tool']}({_pairs(step['arguments'])})"
        case "confirm":
            return f"user confirms {step['tool']}({_pairs(step['arguments'])})"
        case "ask":
            return f"ask for {step['gate']}: {'granted' if step['granted'] else 'refused'}"
        case "question":
            return f"ask for {step['slot']}: {step['value']!r}"
        case "tell":
            return f"tell {_pairs(step['answers'])}"
        case other:
            raise ValueError(f"a plan has no step {other!r}")


def _pairs(values: Json) -> str:
    return ", ".join(f"{name}={value!r}" for name, value in cast("Record", values).items())


def _rejects(run: RunFolder) -> Iterator[str]:
    rows = [row for path in _paths(run, "rejects") for row in read_rows(run.root / path)]
    yield f"{len(rows)} candidates were not kept:" if rows else "No candidate was rejected."
    yield from (f"  {row['id']}  {row['check']}: {row['reason']}" for row in rows[:_SHOWN])
    if len(rows) > _SHOWN:
        yield f"  … and {len(rows) - _SHOWN} more"


def _records(run: RunFolder, stage: str) -> Iterator[tuple[Record, Record]]:
    return (from_row(stage, row) for path in _paths(run, stage) for row in read_rows(run.root / path))


def _paths(run: RunFolder, stage: str) -> list[str]:
    return sorted(path for path in run.entries if path.startswith(f"{stage}/"))
