"""Which trajectories are exported, how many, and that nothing wrong is written."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from generators.dialogue.parts import AssistantTurn
from publishing.errors import ReleaseError
from publishing.exports import ExportReport, Wanted, export
from publishing.exports.files import SUFFIX, read_file
from publishing.exports.reading import check_row
from publishing.exports.rows import Format
from schemas.task import Task
from schemas.trajectory import Trajectory
from tests.nonempty import nonempty
from tests.publishing.exports import talks
from tests.publishing.exports.talks import called, talk

Row = dict[str, Any]
OPENAI = Wanted("openai")
PAIRS = Wanted("trl-preference")


def first() -> Task:
    return next(iter(talks.tasks().values()))


def exported(out: Path, *given: Trajectory, wanted: Wanted = OPENAI) -> tuple[ExportReport, list[Row]]:
    path = out / f"rows{SUFFIX[wanted.form]}"
    report = export(given, wanted, path, talks.open_at)
    return report, list(read_file(path, wanted.form))


def labelled(trajectory: Trajectory, label: str) -> Trajectory:
    return trajectory.changed(
        {"events": [e.model_copy(update={"label": label}) if e.event == "did" else e for e in trajectory.events]}
    )


@pytest.mark.parametrize(
    ("left", "reason"),
    [
        (lambda: talk(first(), score=None), "not scored"),
        (lambda: talk(first(), end="budget"), "not ended by the user"),
        (lambda: talk(first(), end="infrastructure_error", score=None), "not scored"),
        (lambda: talk(first(), passed=False), "not passed"),
        (lambda: talk(first(), [called(("browse_items", '{"page": 1'))]), "with arguments that are no JSON object"),
        (lambda: talk(first(), [called(("browse_items", "{'page': 1}"))]), "with arguments that are no JSON object"),
        (lambda: talk(first(), [called(("browse_items", "[1]"))]), "with arguments that are no JSON object"),
        (lambda: talk(first(), [called(("guess", {}))]), "with a call of a tool that was not offered"),
        (lambda: talk(first(), [called(("report", {}))]), "with a call of a tool that was not offered"),
        (
            lambda: talk(first(), [called(("top_up_wallet", {"amount": 1}))]),
            "with a call of a tool that was not offered",
        ),
        (
            lambda: talk(first(), [called(("med-get_user_profile", {}))]),
            "with a call of a tool that was not offered",
        ),
        (lambda: talk(first(), [called(("browse_items", {"page": "one"}))]), "with arguments that do not fit"),
        (lambda: talk(first(), [called(("inspect_item", {}))]), "with arguments that do not fit"),
        (lambda: talk(first()), "alike but for its id"),
    ],
)
@pytest.mark.parametrize("form", ["openai", "trl"])
def test_what_is_no_example_is_left_out_and_counted(
    form: Format, left: Callable[[], Trajectory], reason: str, tmp_path: Path
) -> None:
    report, rows = exported(tmp_path, talk(first()), left().changed({"attempt": 1}), wanted=Wanted(form))
    assert len(rows) == 1
    assert report.left_out == {reason: 1}
    assert any(reason in line for line in report.lines("openai"))


def test_a_turn_that_recovers_may_go_wrong_first_and_is_not_to_be_learnt(tmp_path: Path) -> None:
    wrong = labelled(talk(first(), [called(("inspect_item", {}))]), "mistake")
    _, rows = exported(tmp_path, wrong)
    messages = rows[0]["messages"]
    assert [at for at, m in enumerate(messages) if "weight" in m] == [2]
    assert messages[2]["weight"] == 0
    assert "INVALID_ARGUMENTS" in messages[3]["content"]
    assert json.loads(rows[0]["metadata"]["labels_json"])["2"] == "mistake"


def variants(count: int) -> list[Trajectory]:
    """Passed conversations about the first task and failed ones about the second, all different."""
    one, other = list(talks.tasks().values())[:2]
    good = [talk(one, report=f"Done {at}.", attempt=at, variant="v" * at) for at in range(count)]
    return [*good, *(talk(other, report=f"Done {at}.", attempt=at, passed=False) for at in range(count))]


@pytest.mark.parametrize(
    ("options", "reports"),
    [
        ({}, ["Done 0.", "Done 1.", "Done 2."]),
        ({"max_per_task": 2}, ["Done 0.", "Done 1."]),
        ({"limit": 1}, ["Done 0."]),
        ({"variant": "v"}, ["Done 1."]),
        ({"variant": ""}, ["Done 0."]),
    ],
)
def test_options_choose_rows(options: dict[str, Any], reports: list[str], tmp_path: Path) -> None:
    given = [*variants(3)[2::-1], *variants(3)[3:]]  # the order within a task does not matter
    report, rows = exported(tmp_path, *given, wanted=Wanted("openai", **options))
    assert [row["messages"][-1]["content"] for row in rows] == reports
    assert report.rows == len(rows)
    assert report.files == {"rows.jsonl": len(rows)}


def test_tasks_without_a_row_are_counted(tmp_path: Path) -> None:
    report, _ = exported(tmp_path, *variants(2))
    assert (report.tasks, report.without, report.left_out) == (2, 1, {"not passed": 2})


def test_each_failed_one_is_paired_with_the_passed_one_nearest_to_it(tmp_path: Path) -> None:
    task = first()
    near = called(("get_system_settings", {}))
    given = [
        talk(task, attempt=0),
        talk(task, [near], attempt=1, trajectory_id="near"),
        talk(task, [near], report="No.", passed=False, attempt=2, trajectory_id="bad"),
        talk(task, [called(("guess", {}))], passed=False, attempt=3, trajectory_id="guess"),
        talk(task, [called(("browse_items", "{"))], passed=False, attempt=4),
        talk(list(talks.tasks().values())[1], passed=False),
    ]
    report, rows = exported(tmp_path, *given, wanted=PAIRS)
    assert [(r["chosen_trajectory_id"], r["rejected_trajectory_id"]) for r in rows] == [
        ("near", "bad"),
        (given[0].trajectory_id, "guess"),
    ]
    assert [json.loads(m)["content"] for m in rows[0]["chosen"]] == ["It is done."]
    assert (report.tasks, report.without) == (2, 1)
    assert report.left_out == {"with arguments that are no JSON object": 1}
    assert "  tasks without a pair: 1" in list(report.lines("trl-preference"))


def test_what_the_user_said_differently_makes_no_pair(tmp_path: Path) -> None:
    task = next(t for t in talks.tasks().values() if any(step.step == "ask" for step in t.plan.steps))
    other = talk(task, answer="Certainly.", passed=False, attempt=1)
    with pytest.raises(ReleaseError, match="nothing to export from 2 trajectories"):
        exported(tmp_path, talk(task), other, wanted=PAIRS)
    assert list(tmp_path.iterdir()) == []


def test_a_folder_gets_a_file_per_split(tmp_path: Path) -> None:
    given = list(variants(1))
    given += [given[0].changed({"user_id": f"u{at:06d}", "task_id": f"u{at:06d}-t00000"}) for at in range(2, 10)]
    report = export(given, Wanted("trl"), tmp_path / "rows")
    assert list(report.files) == ["train.parquet", "validation.parquet", "test.parquet"]
    assert sorted(p.name for p in (tmp_path / "rows").iterdir()) == sorted(report.files)
    for name in nonempty(report.files):
        assert {str(row["split"]) for row in read_file(tmp_path / "rows" / name, "trl")} == {
            name.removesuffix(".parquet")
        }


@pytest.mark.parametrize("form", ["openai", "trl", "trl-preference"])
def test_a_trajectory_that_does_not_end_as_it_says_stops_the_export(form: Format, tmp_path: Path) -> None:
    bad = talk(first(), passed=False, report="No.", attempt=1)
    given = [talk(first(), end_hash="0" * 32), bad]
    with pytest.raises(ReleaseError, match="it ends in another state"):
        exported(tmp_path, *given, wanted=Wanted(form))
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text("mine")
    with pytest.raises(ReleaseError, match="is there already"):
        exported(tmp_path, talk(first()))
    assert (tmp_path / "rows.jsonl").read_text() == "mine"


def test_trajectories_out_of_order_are_refused(tmp_path: Path) -> None:
    one, other = (talk(task) for task in list(talks.tasks().values())[:2])
    with pytest.raises(ReleaseError, match="do not come together"):
        exported(tmp_path, one, other, one)
    assert list(tmp_path.iterdir()) == []


def change_argument(row: Row) -> None:
    call = next(c for m in row["messages"] for c in m.get("tool_calls", []) if c["function"]["name"] == "add_to_cart")
    arguments = json.loads(call["function"]["arguments"])
    call["function"]["arguments"] = json.dumps({**arguments, "quantity": arguments["quantity"] + 1})


def change_result(row: Row) -> None:
    result = next(m for m in row["messages"] if m["role"] == "tool")
    result["content"] = result["content"].replace("1", "2", 1)


def drop_act(row: Row) -> None:
    row["metadata"]["beside_json"] = "[]"


def change_line(row: Row) -> None:
    message = next(m for m in row["messages"] if m["role"] == "user" and "\n[" in m["content"])
    message["content"] = message["content"].replace("\n[", "\n[[", 1)


@pytest.mark.parametrize("change", [change_argument, change_result, drop_act, change_line])
def test_a_row_that_was_altered_is_found(change: Callable[[Row], None], tmp_path: Path) -> None:
    task = next(
        t
        for t in talks.tasks().values()
        if {"add_to_cart", "authorize_checkout"} <= {getattr(step, "tool", "") for step in t.plan.steps}
    )
    _, (row,) = exported(tmp_path, talk(task))
    assert check_row("openai", row, talks.open_at) == ""
    change(row)
    assert check_row("openai", row, talks.open_at)


def test_an_empty_reply_is_kept_with_what_the_platform_said(tmp_path: Path) -> None:
    _, (row,) = exported(tmp_path, talk(first(), [AssistantTurn()]))
    assert row["messages"][2]["role"] == "user"
    assert row["messages"][2]["content"].startswith("[Platform] ")
