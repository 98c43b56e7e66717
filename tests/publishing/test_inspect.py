"""Figures of a run, against certificates whose counts are known."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path
from typing import Any, cast

import orjson
import pyarrow.parquet as pq
import pytest

from generators.tasks import Share
from publishing import inspect
from publishing.errors import ReleaseError
from publishing.inspect import inspect_run
from publishing.text import aimed, render_text
from services.runtime.catalogue import installed_catalogue
from tests.publishing import small_run

TASKS = 24


@pytest.fixture(scope="module")
def figures(run: Path) -> dict[str, Any]:
    return inspect_run(run)


def test_counts_of_verdicts_are_summed(figures: dict[str, Any]) -> None:
    assert figures["agents"] == {
        name: {"passed": 0, "of": TASKS}
        for name in ("do_nothing", "refuse_all", "blind_decline", "read_only", "guess_small", "ask_and_refuse")
    }
    assert figures["tried"] == {
        name: {"tasks": TASKS, "with_trials": TASKS} for name in ("task.other_gold", "task.permissions")
    }
    verifier = figures["verifier"]
    assert verifier["goal_mutants"] == {
        "total": 6 * TASKS,
        "rejected": 6 * TASKS,
        "equivalent": 0,
        "by_operator": {
            "blank": {"total": TASKS, "rejected": TASKS, "equivalent": 0},
            "wrong_value": {"total": 5 * TASKS, "rejected": 5 * TASKS, "equivalent": 0},
        },
    }
    assert verifier["frame_mutants"]["rejected"] == 3 * TASKS
    assert verifier["allowance_mutants"] == {"total": 0, "rejected": 0, "equivalent": 0, "by_operator": {}}
    assert verifier["plan_mutants"]["total"] == 2 * TASKS
    assert (verifier["equivalent_plans"]["total"], verifier["equivalent_plans"]["accepted"]) == (3 * TASKS, 3 * TASKS)
    assert verifier["drop_one"] == {
        "writes": {"total": 2 * TASKS, "needed": 2 * TASKS},
        "reads": {"total": 4 * TASKS, "needed": 4 * TASKS},
    }
    assert verifier["permission_controls"] == {"total": TASKS, "blocked": TASKS}
    assert figures["second_engine"] == {"compared": 3 * TASKS, "agreed": 3 * TASKS}
    assert figures["provenance"] == {"arguments": 7 * TASKS, "traced": 7 * TASKS}
    assert figures["rewrites"] == {"rewrites": 6 * TASKS, "different": 5 * TASKS}
    assert figures["leaks"] == 0
    assert figures["checks"]["task.schema"] == {"of": TASKS, "passed": TASKS}
    assert figures["tool_calls"]["per_gold_step"] == 10.0


def test_equivalent_mutants_are_listed_by_task_and_operator(figures: dict[str, Any], run: Path) -> None:
    listed = figures["verifier"]["equivalent_mutants"]
    ids = [
        id_ for path in sorted((run / "tasks").glob("*.parquet")) for id_ in pq.read_table(path)["task_id"].to_pylist()
    ]
    assert [entry["task_id"] for entry in listed] == ids
    assert {(entry["group"], entry["operator"], entry["count"]) for entry in listed} == {("frame", "extra_row", 1)}
    assert figures["verifier"]["equivalent_not_listed"] == 0


def test_a_long_list_of_equivalents_is_cut_and_says_so(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspect, "LISTED", 10)
    verifier = cast("dict[str, Any]", inspect_run(run)["verifier"])
    assert (len(verifier["equivalent_mutants"]), verifier["equivalent_not_listed"]) == (10, TASKS - 10)


def test_tasks_are_counted_by_what_they_are(figures: dict[str, Any], run: Path) -> None:
    tasks = figures["tasks"]
    rows = [row for path in sorted((run / "tasks").glob("*.parquet")) for row in pq.read_table(path).to_pylist()]
    intents = [orjson.loads(row["intents_json"]) for row in rows]
    forms = [{(use["intent"], use["form"]) for use in several} for several in intents]
    reasons = [{form for _, form in several} - {"fulfil"} for several in forms]
    assert figures["users"] == 8
    assert tasks["kept"] == len(rows) == TASKS
    assert tasks["by_family"] == Counter(row["family"] for row in rows)
    assert tasks["by_intent"] == Counter(name for several in forms for name in {intent for intent, _ in several})
    assert tasks["by_form"] == Counter(f"{intent}/{form}" for several in forms for intent, form in several)
    assert min(len(tasks[by]) for by in ("by_family", "by_intent", "by_form")) > 1
    assert sum(tasks["by_level"].values()) == TASKS
    assert tasks["decline"] == sum(bool(several) for several in reasons) > 0
    assert tasks["decline_reasons"] == Counter(reason for several in reasons for reason in several)
    assert tasks["gates"] == {gate: sum(gate in row["gates"] for row in rows) for gate in tasks["gates"]}
    assert tasks["multi_intent"] == sum(len(several) > 1 for several in intents)


def test_the_funnel_is_that_of_the_run(figures: dict[str, Any]) -> None:
    stages = {stage["stage"]: stage for stage in figures["funnel"]}
    assert stages["tasks"]["made"] == TASKS + 3
    assert stages["tasks"]["rejected"] == 3
    assert all(stage["made"] == stage["kept"] + stage["rejected"] for stage in stages.values())


def test_diversity(figures: dict[str, Any]) -> None:
    diversity = figures["diversity"]
    assert diversity["sampled"] == TASKS
    assert 1 <= diversity["provenance_shapes_effective"] <= diversity["provenance_shapes"] <= TASKS
    assert sum(diversity["plan_steps"].values()) == TASKS
    assert diversity["tools_called"] == len(diversity["calls_by_tool"]) < diversity["tools_of"]


def test_wording_counts_each_scenario_once_with_its_values_masked(figures: dict[str, Any], run: Path) -> None:
    wording = figures["wording"]
    rows = [row for path in sorted((run / "tasks").glob("*.parquet")) for row in pq.read_table(path).to_pylist()]
    scenarios = {row["scenario"]: row["template"] for row in rows}
    assert wording["scenarios"] == len(scenarios)
    assert len(set(scenarios.values())) <= wording["skeletons"] <= wording["scenarios"]
    assert 1 <= wording["largest"] <= wording["opening_count"] <= wording["scenarios"]
    assert len(wording["opening"].split()) == 4
    assert wording["pairs"] == sum(math.comb(n, 2) for n in Counter(scenarios.values()).values()) > 0
    assert 0 <= wording["near_pairs"] <= wording["pairs"]
    assert 0 < wording["distinct_3"] < 1
    assert 0 < wording["self_bleu_4"] < 1


def test_the_mix_counts_twins_with_their_partners_and_gates_that_nobody_meets(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    share = Share(twins=2, variations=1)
    root = small_run.make(tmp_path_factory.mktemp("kin"), users=2, tasks=10, share=share)
    rows = [row for path in sorted((root / "tasks").glob("*.parquet")) for row in pq.read_table(path).to_pylist()]
    kin = {row["task_id"]: orjson.loads(row["kin_json"]) for row in rows}
    twins = {name: each["of"] for name, each in kin.items() if each and each["kind"] == "twin"}
    figures = cast("dict[str, Any]", inspect_run(root))
    mix = figures["mix"]
    assert mix["with_twin"] == len({*twins, *twins.values()}) == 2 * len(twins) > 0
    assert mix["variations"] == sum(each is not None and each["kind"] == "variation" for each in kin.values()) > 0
    for feature in ("told_on_request", "change_of_mind", "decline"):
        assert mix[feature] == sum(feature in row["features"] for row in rows)
    assert mix["gates"] == {gate: sum(gate in row["gates"] for row in rows) for gate in installed_catalogue().gates}
    assert figures["wording"]["scenarios"] == len({row["scenario"] for row in rows}) < len(rows)


@pytest.mark.parametrize(
    ("done", "least", "most", "said"),
    [
        (29, 30, 100, ("29 of 100 (29.0 %)", "at least 30 %", "missed")),
        (30, 30, 100, ("30 of 100 (30.0 %)", "at least 30 %", "reached")),
        (1, 0, 1, ("1 of 100 (1.0 %)", "at most 1 %", "reached")),
        (2, 0, 1, ("2 of 100 (2.0 %)", "at most 1 %", "missed")),
        (2, 0, 100, ("2 of 100 (2.0 %)", "", "")),
    ],
)
def test_a_share_is_shown_with_its_aim(done: int, least: int, most: int, said: tuple[str, str, str]) -> None:
    assert aimed("tasks", done, 100, least, most) == ["tasks", *said]


def test_a_large_run_is_sampled_evenly_for_wording(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inspect, "SAMPLE", 10)
    diversity = cast("dict[str, Any]", inspect_run(run)["diversity"])
    assert diversity["sampled"] == 8
    assert sum(diversity["plan_steps"].values()) == TASKS


def test_figures_are_json_and_the_same_every_time(figures: dict[str, Any], run: Path) -> None:
    assert orjson.dumps(figures) == orjson.dumps(inspect_run(run))


def test_the_text_shows_every_section(figures: dict[str, Any]) -> None:
    text = render_text(figures)
    for words in (
        "Funnel",
        "do-nothing",
        f"frame: extra_row {4 * TASKS} ({TASKS} equivalent)",
        "leaks",
        "self-BLEU-4",
        "at least 60 %",
        "with a twin",
        "task.leaks 2, task.optimum 1",
    ):
        assert words in text


def test_a_folder_that_is_no_run_is_named(tmp_path: Path) -> None:
    with pytest.raises(ReleaseError, match=r"no run folder: it has no config\.yaml"):
        inspect_run(tmp_path)
