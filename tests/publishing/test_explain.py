"""One task as a person reads it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from publishing.errors import ReleaseError
from publishing.explain import explain, find_task, gallery
from schemas.plan import Call

if TYPE_CHECKING:
    from pathlib import Path


def first_id(run: Path) -> str:
    return f"{sorted(line for line in gallery(run, 1).splitlines() if line.startswith('## '))[0][3:].split(':')[0]}"


def test_a_task_is_told_whole(run: Path) -> None:
    task, certificate = find_task(run, first_id(run))
    text = explain(task, certificate)
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


def test_an_unknown_task_is_named(run: Path) -> None:
    with pytest.raises(ReleaseError, match="u999999-t00000"):
        find_task(run, "u999999-t00000")
