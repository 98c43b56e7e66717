"""One task as a person reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from publishing.errors import ReleaseError
from publishing.explain import explain
from publishing.gallery import Shown, find_task, gallery
from publishing.parquet import read_rows
from publishing.run import open_run, shards
from schemas.certificate import Certificate
from schemas.plan import Ask, Call, Question
from tests.nonempty import nonempty
from tests.validators.tasks_support import changed_where
from validators.tasks.told import superseded

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


def first_id(run: Path) -> str:
    return f"{sorted(line for line in gallery(run, 1).splitlines() if line.startswith('## '))[0][3:].split(':')[0]}"


def test_a_task_is_told_whole(run: Path) -> None:
    task, certificate, kin = find_task(run, first_id(run))
    text = explain(task, certificate)
    assert kin == ""
    assert f"> {task.instruction}" in text
    calls = [step for step in task.plan.steps if isinstance(step, Call)]
    assert calls
    assert all(f"`{call.tool}(" in text for call in calls)
    assert all(f"- told: {answer.name} = " in text for answer in task.expectation.answers)
    assert all(f"- {verdict.check.removeprefix('task.')}: passed" in text for verdict in certificate.verdicts)


def test_a_gallery_shows_each_template_once(run: Path) -> None:
    heads = [line.partition(": ")[2] for line in gallery(run, 5).splitlines() if line.startswith("## ")]
    assert 1 < len(heads) <= 5
    assert len(set(heads)) == len(heads)


def shown(run: Path, wanted: Callable[[Shown], bool]) -> list[tuple[Shown, str]]:
    """Tasks of a run with what is told of them."""
    ids = [str(row["task_id"]) for path in shards(open_run(run), "tasks") for row in read_rows(path, ["task_id"])]
    found = [found for found in (find_task(run, name) for name in ids[:60]) if wanted(found)]
    return [(each, explain(*each)) for each in nonempty(found)]


def test_what_is_kept_back_and_asked_for_is_told(told_run: Path) -> None:
    for (task, _, _), text in shown(told_run, lambda s: "told_on_request" in s.task.features):
        (slot,) = [slot for use in task.intents for slot in use.slots if slot.told == "on_request"]
        assert f"{slot.name} = " in text and "(told when asked)" in text
        (question,) = [step for step in task.plan.steps if isinstance(step, Question)]
        assert f". Ask the user for {question.slot}; the user answers: " in text


def test_a_change_of_mind_is_told_where_it_comes_up(told_run: Path) -> None:
    for (task, _, _), text in shown(told_run, lambda s: s.task.script.change is not None):
        change = task.script.change
        assert change is not None
        assert f'the user changes their mind: "{change.message}"' in text
        assert text.count("(at first ") == len(change.first)
        turn = next(n for n, s in enumerate(task.plan.steps, 1) if isinstance(s, Ask) and s.gate == change.gate)
        (line,) = [line for line in text.splitlines() if line.endswith(", and changes their mind")]
        assert line.startswith(f"{turn}. Ask the user about {change.gate}")


def test_what_a_change_of_mind_takes_back_is_named() -> None:
    context = changed_where(lambda context: bool(superseded(context)))
    text = explain(context.task, Certificate(task_id=context.task.task_id, verdicts=[], tool_calls=0))
    for made, undone in superseded(context).items():
        (line,) = [line for line in text.splitlines() if line.startswith(f"{undone + 1}. ")]
        assert f", which takes back step {made + 1}" in line


def test_kin_are_told_with_what_sets_them_apart(told_run: Path) -> None:
    for (task, _, kin), text in shown(told_run, lambda s: s.task.kin is not None):
        assert task.kin is not None and kin in text
        first = find_task(told_run, task.kin.of).task
        if task.kin.kind == "variation":
            assert kin.startswith(f"Variation of {first.task_id}: the same wish")
            continue
        assert kin.startswith(f"Twin of {first.task_id}: the user says the same, but ")
        assert ("the user " in kin.partition("but ")[2]) is (task.setup == first.setup)
        # What a record is now, and what it is there, are not the same.
        assert kin.count("(there ") >= 1


def test_a_gallery_shows_each_way_of_telling(told_run: Path) -> None:
    page = gallery(told_run, 20)
    assert page.count("\n## ") == 20
    for words in ("Twin of ", "Variation of ", "told when asked", "changes their mind", "Ask the user for "):
        assert words in page
    heads = [line[3:].partition(":")[0] for line in page.splitlines() if line.startswith("## ")]
    assert heads == sorted(heads)
    of = [
        line.partition(" of ")[2].partition(":")[0] for line in page.splitlines() if line.startswith(("Twin", "Vari"))
    ]
    assert set(nonempty(of[:2])) & set(heads)


def test_a_small_gallery_has_no_more_than_was_asked_for(told_run: Path) -> None:
    for count in (1, 2, 5):
        assert gallery(told_run, count).count("\n## ") == count


def test_an_unknown_task_is_named(run: Path) -> None:
    with pytest.raises(ReleaseError, match="u999999-t00000"):
        find_task(run, "u999999-t00000")
