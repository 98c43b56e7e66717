"""What each format holds: by its reader's rules, with nothing lost, and the same when it is carried out again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import orjson
import pytest

from generators.dialogue.messages import messages_of
from publishing.exports import FORMATS, Wanted, export
from publishing.exports.files import SUFFIX, read_file
from publishing.exports.reading import check_row, conversations
from publishing.exports.rows import Format
from schemas.trajectory import Did, Offered, Said, Trajectory
from tests.nonempty import nonempty
from tests.publishing.exports import talks
from tests.publishing.test_load_dataset import OFFLINE

Row = dict[str, Any]
Paths = dict[Format, Path]


@pytest.fixture(scope="module")
def trajectories() -> list[Trajectory]:
    """The gold of every task; for the first task also a nasty conversation, and one that failed."""
    first, *others = talks.golds()
    task = talks.tasks()[first.task_id]
    failed = talks.talk(task, [talks.called(("get_system_settings", {}))], passed=False, report="Sorry.")
    return [first, talks.nasty().changed({"variant": "nasty"}), failed.changed({"attempt": 1}), *others]


@pytest.fixture(scope="module")
def exported(trajectories: list[Trajectory], tmp_path_factory: pytest.TempPathFactory) -> Paths:
    folder = tmp_path_factory.mktemp("exports")
    paths: Paths = {form: folder / f"{form}{SUFFIX[form]}" for form in FORMATS}
    for form, path in paths.items():
        report = export(trajectories, Wanted(form), path, talks.open_at)
        assert report.checked == report.rows == (1 if form == "trl-preference" else len(trajectories) - 1)
    return paths


def rows_of(exported: Paths, form: Format) -> list[Row]:
    return nonempty(read_file(exported[form], form))


def calls_of(trajectory: Trajectory) -> list[tuple[str, object]]:
    return [(e.tool, e.arguments) for e in trajectory.events if isinstance(e, Did) and e.side == "assistant"]


def test_openai_rows_keep_the_rules_of_fine_tuning(exported: Paths) -> None:
    allowed = {"role", "content", "tool_calls", "tool_call_id"}
    rows = rows_of(exported, "openai")
    # No reader sees the end of a line within one.
    assert len(exported["openai"].read_text("utf-8").splitlines()) == len(rows)
    for row in rows:
        assert set(row) == {"messages", "tools", "metadata"}
        assert all(isinstance(value, str) for value in row["metadata"].values())
        names = {tool["function"]["name"] for tool in row["tools"]}
        assert all(set(tool) == {"type", "function"} and tool["type"] == "function" for tool in row["tools"])
        assert row["messages"][0]["role"] == "system"
        assert row["messages"][-1]["role"] == "assistant"
        open_ids: list[str] = []
        for message in row["messages"]:
            assert set(message) <= allowed
            assert isinstance(message["content"], str)
            if message["role"] == "tool":
                assert message["tool_call_id"] == open_ids.pop(0)
                continue
            assert not open_ids
            for call in message.get("tool_calls", []):
                assert set(call) == {"id", "type", "function"}
                assert call["function"]["name"] in names
                assert isinstance(json.loads(call["function"]["arguments"]), dict)
                open_ids.append(call["id"])
        assert not open_ids


@pytest.mark.parametrize("form", ["openai", "trl"])
def test_nothing_of_a_conversation_is_lost(form: Format, exported: Paths, trajectories: list[Trajectory]) -> None:
    passed = [t for t in trajectories if t.score and t.score.passed]
    for row, trajectory in zip(rows_of(exported, form), passed, strict=True):
        (read,) = conversations(form, row)
        wanted = messages_of(trajectory)
        while wanted[-1]["role"] != "assistant":
            wanted.pop()
        assert [(m["role"], m["content"]) for m in read.messages] == [(m["role"], m["content"] or "") for m in wanted]
        calls: Any = [call["function"] for m in read.messages for call in m.get("tool_calls") or []]  # type: ignore[index,union-attr]
        given = [c["arguments"] if form == "trl" else json.loads(c["arguments"]) for c in calls]
        assert [(c["name"], a) for c, a in zip(calls, given, strict=True)] == calls_of(trajectory)


def test_the_nasty_conversation_is_nasty(exported: Paths) -> None:
    nasty = talks.nasty()
    assert any(isinstance(event, Offered) for event in nasty.events)
    assert any("error" in e.result for e in nasty.events if isinstance(e, Did))
    assert max(e.reply for e in nasty.events if isinstance(e, Did)) > 0
    assert any(isinstance(e, Said) and e.by == "platform" for e in nasty.events)
    (row,) = [row for row in rows_of(exported, "openai") if row["metadata"]["variant"] == "nasty"]
    names = {tool["function"]["name"] for tool in row["tools"]}
    assert "google_fit-get_activity_plan" in names
    assert "google_fit-get_activity_plan" not in {t["function"]["name"] for t in orjson.loads(nasty.tools_json)}
    notes = [m for m in row["messages"] if "tool_calls" in m and len(m["tool_calls"]) == 3]
    assert json.loads(notes[0]["tool_calls"][1]["function"]["arguments"]) == {"note": talks.NASTY}
    # What the user does with their last words changes the end, and stands beside the messages.
    assert [act["shown"] for act in json.loads(row["metadata"]["beside_json"])] == [True, True, False]


def test_a_pair_parts_where_the_assistant_does(exported: Paths, trajectories: list[Trajectory]) -> None:
    (row,) = rows_of(exported, "trl-preference")
    prompt, chosen, rejected = ([orjson.loads(m) for m in row[name]] for name in ("prompt", "chosen", "rejected"))
    assert [m["role"] for m in prompt] == ["system", "user"]
    assert chosen[0]["role"] == rejected[0]["role"] == chosen[-1]["role"] == rejected[-1]["role"] == "assistant"
    assert chosen[0] != rejected[0]
    assert (row["chosen_trajectory_id"], row["rejected_trajectory_id"]) == tuple(
        trajectories[at].trajectory_id for at in (0, 2)
    )
    assert rejected[-1]["content"] == "Sorry."


LOAD = """
import sys
from pathlib import Path
import orjson
from datasets import load_dataset
for path in sys.argv[1:]:
    name = Path(path).suffix[1:].replace("jsonl", "json")
    loaded = load_dataset(name, data_files=path, split="train")
    live = load_dataset(name, data_files=path, split="train", streaming=True)
    rows = list(loaded)
    assert rows == list(live)
    print(orjson.dumps({"columns": loaded.column_names, "rows": rows}).decode())
"""


def test_parquet_formats_load_offline_without_a_null_that_was_not_there(exported: Paths, tmp_path: Path) -> None:
    forms: list[Format] = ["trl", "trl-preference"]
    env = {**os.environ, **OFFLINE, "HF_HOME": str(tmp_path)}
    command = [sys.executable, "-c", LOAD, *(str(exported[form]) for form in forms)]
    run = subprocess.run(command, env=env, capture_output=True, text=True, check=False, timeout=120)
    assert run.returncode == 0, run.stderr[-3000:]
    for form, line in zip(forms, run.stdout.split("\n")[:-1], strict=True):
        found = orjson.loads(line)
        written = rows_of(exported, form)
        assert found["columns"] == list(written[0])
        for row, raw in zip(found["rows"], written, strict=True):
            for name, value in row.items():
                if isinstance(raw[name], list):
                    assert value == [orjson.loads(message) for message in raw[name]]
                    assert not any(None in message.values() for message in value)
                else:
                    assert value == raw[name]
            # What `datasets` gives is carried out again as it is.
            assert check_row(form, row, talks.open_at) == ""


EXPORT = """
import sys
from pathlib import Path
from publishing.exports import FORMATS, Wanted, export
from publishing.exports.files import SUFFIX
from publishing.exports.rows import Format
from schemas.trajectory import Trajectory
given = [Trajectory.model_validate_json(line) for line in Path(sys.argv[1]).read_bytes().splitlines()]
for form in FORMATS:
    export(given, Wanted(form), Path(sys.argv[2], f"{form}{SUFFIX[form]}"))
"""


def test_another_process_with_another_hash_seed_writes_the_same_bytes(
    exported: Paths, trajectories: list[Trajectory], tmp_path: Path
) -> None:
    stored = tmp_path / "stored.jsonl"
    stored.write_bytes(b"".join(t.model_dump_json().encode() + b"\n" for t in trajectories))
    env = {**os.environ, "PYTHONHASHSEED": "77", "TZ": "Asia/Tokyo", "PYTHONPATH": str(Path(__file__).parents[3])}
    subprocess.run([sys.executable, "-c", EXPORT, str(stored), str(tmp_path)], env=env, check=True)
    for path in exported.values():
        assert (tmp_path / path.name).read_bytes() == path.read_bytes()
