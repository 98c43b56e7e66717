"""What the rows of a release say of facts that are told later, and of tasks of one scenario: to whom, and where."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

import orjson
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from language.matching import mentions
from publishing.errors import ReleaseError
from publishing.gallery import task_of_row
from publishing.parquet import RawRow, read_rows
from publishing.reader import read_release
from publishing.release import build_release
from publishing.run import open_run, shards
from tests.nonempty import nonempty


@pytest.fixture(scope="module")
def telling(told_run: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_release(told_run, "1.0.0", tmp_path_factory.mktemp("telling-release") / "out").folder


def rows(release: Path, config: str) -> dict[str, RawRow]:
    files = sorted((release / "data" / config).glob("*.parquet"))
    return {str(row["task_id"]): row for path in files for row in read_rows(path)}


def opened(row: RawRow, column: str) -> Any:  # noqa: ANN401
    return orjson.loads(str(row[column]))


def facts(release: Path, told: str) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Facts of all tasks that are told in one way, with the task."""
    for task_id, row in rows(release, "scripts").items():
        yield from ((task_id, fact) for fact in opened(row, "knows_json") if fact["told"] == told)


def test_a_fact_kept_back_is_for_the_user_alone(telling: Path) -> None:
    tasks, starts = rows(telling, "tasks"), rows(telling, "starts")
    for task_id, fact in nonempty(facts(telling, "on_request")):
        assert fact["first"] is None
        assert not mentions(str(tasks[task_id]["instruction"]), fact["kind"], fact["value"])
        for row in (tasks[task_id], starts[task_id]):
            assert fact["name"].rpartition(".")[2] not in row
            assert "knows_json" not in row and "script_json" not in row


def test_a_change_of_mind_is_for_the_user_alone_and_the_request_states_the_first_wish(telling: Path) -> None:
    tasks, scripts, gold = (rows(telling, config) for config in ("tasks", "scripts", "gold"))
    for task_id, fact in nonempty(facts(telling, "on_change")):
        change = opened(scripts[task_id], "script_json")["change"]
        assert change["first"] == {fact["name"]: fact["first"]}
        instruction = str(tasks[task_id]["instruction"])
        assert mentions(instruction, fact["kind"], fact["first"])
        assert mentions(change["message"], fact["kind"], fact["value"])
        assert change["message"] not in instruction
        meant = {
            use["prefix"] + s["name"]: s["value"] for use in opened(gold[task_id], "intents_json") for s in use["slots"]
        }
        assert meant[fact["name"]] == fact["value"] != fact["first"]


def test_facts_are_named_as_the_plan_names_them(telling: Path) -> None:
    known = {(task_id, fact["name"]) for told in ("on_request", "on_change") for task_id, fact in facts(telling, told)}
    asked = {
        (task_id, step["slot"])
        for task_id, row in rows(telling, "gold").items()
        for step in opened(row, "plan_json")["steps"]
        if step["step"] == "question"
    }
    assert nonempty(asked) and asked <= known
    # In a request for several things, two parts may have a slot of the same name.
    assert any(name[0].isdigit() for _, name in known)


def test_tasks_of_one_scenario_share_the_first_one(telling: Path) -> None:
    tasks, gold = rows(telling, "tasks"), rows(telling, "gold")
    kinds = {"first": 0, "twin": 0, "variation": 0}
    for task_id, row in tasks.items():
        kinds[str(row["kin"])] += 1
        assert (row["kin"] == "first") is (row["kin_of"] == task_id)
        first = tasks[str(row["kin_of"])]
        assert first["kin"] == "first"
        assert first["user_id"] == row["user_id"]
        assert gold[task_id]["scenario"] == gold[str(first["task_id"])]["scenario"]
        assert (first["instruction"] == row["instruction"]) is (row["kin"] != "variation")
    assert min(kinds.values()) > 2


def test_what_was_written_comes_back(told_run: Path, telling: Path) -> None:
    stored = [task_of_row(row)[0] for path in shards(open_run(told_run), "tasks") for row in read_rows(path)]
    again = {task.task_id: task for task in read_release(telling).tasks}
    assert {task.task_id: task for task in stored} == again
    assert {task.kin.kind for task in stored if task.kin is not None} == {"twin", "variation"}
    assert any(task.script.change is not None for task in stored)


def altered(release: Path, to: Path, config: str, change: Callable[[RawRow], RawRow]) -> Path:
    """A copy of a release with the rows of one config changed."""
    shutil.copytree(release, to)
    for path in sorted((to / "data" / config).glob("*.parquet")):
        changed = [dict(change(row)) for row in read_rows(path)]
        pq.write_table(pa.Table.from_pylist(changed, pq.read_schema(path)), path)
    return to


def test_a_task_that_is_its_own_twin_is_no_record(telling: Path, tmp_path: Path) -> None:
    faulty = altered(telling, tmp_path / "copy", "tasks", lambda row: {**row, "kin_of": row["task_id"]})
    with pytest.raises(ReleaseError, match="and said to come from"):
        read_release(faulty)
    faulty = altered(telling, tmp_path / "other", "tasks", lambda row: {**row, "kin": "first"})
    with pytest.raises(ReleaseError, match="it is called first and said to come from"):
        read_release(faulty)


@pytest.mark.parametrize("column", ["first", "value", "told"])
def test_what_the_user_knows_of_a_change_must_be_what_the_script_says(
    telling: Path, tmp_path: Path, column: str
) -> None:
    def spoil(row: RawRow) -> RawRow:
        known = cast("list[dict[str, object]]", opened(row, "knows_json"))
        spoiled = [
            {**fact, column: "upfront" if column == "told" else 3} if fact["told"] == "on_change" else fact
            for fact in known
        ]
        return {**row, "knows_json": orjson.dumps(spoiled).decode()}

    with pytest.raises(ReleaseError, match="does not say what the intents say"):
        read_release(altered(telling, tmp_path / "copy", "scripts", spoil))
