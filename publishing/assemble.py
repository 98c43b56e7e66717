"""From the records of a run to the rows of a release, block by block in user order, so that memory stays flat."""

from __future__ import annotations

from collections import Counter
from itertools import groupby
from typing import TYPE_CHECKING, cast

from publishing.errors import ReleaseError
from publishing.parquet import read_rows, row_count
from publishing.rows import BY_NAME, FIRST, OF_TASK, EnvironmentRow, WorldRow, facts_of
from publishing.run import parsed, shards, take
from publishing.splits import SHARED, index_of, split_of
from publishing.trajectories import row_of
from schemas.base import canonical_text
from schemas.profile import Profile
from schemas.task import IntentUse, UserScript
from services.runtime.catalogue import installed_catalogue

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from publishing.parquet import RawRow
    from publishing.run import Run
    from publishing.trajectories import Recorded
    from schemas.base import Json, Model

Counts = dict[tuple[str, str], int]
"""Rows by (config, split)."""


def user_of(row: RawRow) -> str:
    """Return the user a row belongs to."""
    return str(row["user_id"])


def count_rows(run: Run) -> Counts:
    """Return how many rows each config and split of a release of this run has; splits without rows are absent."""
    users = Counter(
        split_of(index_of(user_of(r))) for p in shards(run, "users") for r in read_rows(p, ["user_id"], 4096)
    )
    tasks = Counter(
        split_of(index_of(user_of(r))) for p in shards(run, "tasks") for r in read_rows(p, ["user_id"], 4096)
    )
    worlds = sum(row_count(path) for path in shards(run, "worlds"))
    counts: Counts = {("worlds", SHARED): worlds, ("tools", SHARED): len(installed_catalogue().tools)}
    for split, number in users.items():
        counts["users", split] = counts["environments", split] = number
    for split, number in tasks.items():
        counts.update({(config, split): number for config in OF_TASK})
    return counts


def world_rows(run: Run) -> Iterator[RawRow]:
    """Yield the rows of the config `worlds`, by id."""
    rows = (row for path in shards(run, "worlds") for row in read_rows(path, batch=1))
    for row in sorted(rows, key=lambda row: str(row["world_id"])):
        yield _columns(row, WorldRow)


def tool_rows() -> Iterator[RawRow]:
    """Yield the rows of the config `tools`: every tool of the installed services, by name."""
    catalogue = installed_catalogue()
    service_of = {tool.name: service.name for service in catalogue.services.values() for tool in service.tools}
    for name, tool in sorted(catalogue.tools.items()):
        yield {
            "name": name,
            "service": service_of[name],
            "side": tool.side,
            "write": tool.write,
            "confirm": tool.confirm,
            "gates": list(tool.gates),
            "policy": [catalogue.gates[gate].gate.policy for gate in tool.gates],
            "summary": tool.summary,
            "returns": tool.returns,
            "openai_schema_json": canonical_text(tool.openai()),
            "errors_json": canonical_text(dict(tool.errors)),
            "example_json": canonical_text(dict(tool.example)),
        }


def user_rows(run: Run) -> Iterator[tuple[str, str, RawRow]]:
    """Yield (config, split, row) for all rows of users, in the order of user index and task ordinal."""
    offered = [tool.name for tool in installed_catalogue().tools_of("assistant") if not tool.behind]
    stages = {stage: _by_block(run, stage) for stage in ("users", "environments", "tasks")}
    for block in sorted(stages["users"]):
        environments: dict[str, RawRow] = {}
        for row in _sorted(stages["users"][block]):
            yield "users", split_of(index_of(user_of(row))), _columns(row, Profile)
        for row in _sorted(stages["environments"].get(block, [])):
            environments[user_of(row)] = {name: row[name] for name in ("environment_id", "world_id", "now")}
            yield "environments", split_of(index_of(user_of(row))), _columns(row, EnvironmentRow)
        for row in _sorted(stages["tasks"].get(block, [])):
            require_passed(row)
            whole = {
                **row,
                **environments[user_of(row)],
                "offered_tools": offered,
                "knows_json": canonical_text(known(row)),
                **kinship(row),
            }
            for config in OF_TASK:
                yield config, split_of(index_of(user_of(row))), _columns(whole, BY_NAME[config].row)


def count_recorded(recorded: Recorded | None) -> Counts:
    """Return how many trajectories each split gets."""
    users = () if recorded is None else recorded.users()
    splits = Counter(split_of(index_of(user_id)) for user_id in users)
    return {("trajectories", split): count for split, count in splits.items()}


def recorded_rows(recorded: Recorded | None) -> Iterator[tuple[str, RawRow]]:
    """Yield (split, row) for all trajectories, in the order of tasks and rollouts."""
    for rollout, trajectory in () if recorded is None else recorded.trajectories():
        yield split_of(index_of(trajectory.user_id)), row_of(rollout, trajectory)


def known(row: RawRow) -> list[dict[str, Json]]:
    """Return the facts that the user of a task knows, without saying what becomes of the request."""
    intents = [IntentUse.model_validate(use) for use in cast("list[Json]", parsed(row, "intents"))]
    script = UserScript.model_validate(parsed(row, "script"))
    return [fact.model_dump(mode="json") for fact in facts_of(intents, script)]


def kinship(row: RawRow) -> dict[str, Json]:
    """Return which task a task came from, and how, as the columns of its row say it."""
    kin = cast("Mapping[str, str] | None", parsed(row, "kin"))
    return {"kin": FIRST, "kin_of": str(row["task_id"])} if kin is None else {"kin": kin["kind"], "kin_of": kin["of"]}


def require_passed(row: RawRow) -> None:
    """Raise ReleaseError when the certificate of a task is empty or holds a failed verdict."""
    certificate = cast("Mapping[str, Json]", parsed(row, "certificate"))
    verdicts = cast("list[Mapping[str, Json]]", certificate["verdicts"])
    failed = [str(verdict["check"]) for verdict in verdicts if verdict["passed"] is not True]
    if failed or not verdicts:
        what = f"failed {failed[0]}" if failed else "was never checked"
        msg = f"task {row['task_id']} {what}; only tasks that passed every check are published"
        raise ReleaseError(msg)


def _by_block(run: Run, stage: str) -> dict[int, list[Path]]:
    """Shard files by the block in their name, such as `block-00000-u000000-000008.parquet`."""
    files = sorted(shards(run, stage), key=_block)
    return {block: list(group) for block, group in groupby(files, key=_block)}


def _block(path: Path) -> int:
    return int(path.stem.split("-")[1])


def _sorted(files: list[Path]) -> list[RawRow]:
    rows = [row for path in files for row in read_rows(path)]
    return sorted(rows, key=lambda row: (index_of(user_of(row)), cast("int", row.get("ordinal", 0))))


def _columns(row: RawRow, model: type[Model]) -> RawRow:
    return {column: take(row, column) for column in model.model_fields}
