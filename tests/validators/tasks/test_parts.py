"""A call that serves another part of the request than it says is found by what it is made of and where it stands."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import pytest

from generators.profiles import make_profile
from generators.tasks import Share, make_round
from schemas.plan import Call
from schemas.task import Task
from tests.nonempty import nonempty
from tests.validators.tasks_support import SEED, context_of, made, world
from validators.tasks.parts import part_faults


@cache
def several() -> tuple[Task, ...]:
    """Tasks of several parts."""
    tasks = [
        task
        for user in range(3)
        for task in make_round(
            SEED, make_profile(SEED, user), made(user).environment, world(), 0, 0, Share(multi_intent_percent=100)
        ).candidates
        if len(task.intents) > 1
    ]
    return tuple(nonempty(tasks))


def own_calls(task: Task) -> dict[int, Call]:
    """The calls of the intents themselves, by step."""
    return {n: s for n, s in enumerate(task.plan.steps) if isinstance(s, Call) and not s.gate}


def moved(task: Task, parts: Mapping[int, int]) -> Task:
    """The task with some steps said to serve other parts."""
    steps = [
        step.changed({"part": parts[n]}) if isinstance(step, Call) and n in parts else step
        for n, step in enumerate(task.plan.steps)
    ]
    return task.changed({"plan": task.plan.changed({"steps": steps})})


def test_real_plans_have_no_fault() -> None:
    assert [list(part_faults(task)) for task in several()] == [[] for _ in several()]


@pytest.mark.parametrize("part", [-1, 1, 100])
def test_a_part_that_there_is_not(part: int) -> None:
    task = context_of("buy-best/fulfil", ("BALANCE", "PURCHASE")).task
    calls = [number for number, step in enumerate(task.plan.steps) if isinstance(step, Call)]
    for number in nonempty(calls):
        found = list(part_faults(moved(task, {number: part})))
        assert found == [f"step {number} serves part {part}, which there is not"]


def test_parts_that_are_exchanged() -> None:
    for task in several():
        calls = own_calls(task)
        if len({step.part for step in calls.values()}) > 1:
            last = len(task.intents) - 1
            assert list(part_faults(moved(task, {number: last - step.part for number, step in calls.items()})))


def test_a_call_made_of_what_was_told_for_another_part() -> None:
    found: list[str] = []
    for task in several():
        first = {number: step for number, step in own_calls(task).items() if step.part == 0}
        told = [n for n, step in first.items() if any(_told_for_first(task, node) for node in step.origins.values())]
        if told and len(own_calls(task)) > len(first):
            # The last of them may be taken for the beginning of what follows, by its place alone.
            found += part_faults(moved(task, {n: 1 for n in first if n >= told[-1]}))
    assert found and all(" with what was told for another" in fault for fault in found)


def _told_for_first(task: Task, node: int) -> bool:
    origin = task.plan.nodes[node]
    return getattr(origin, "slot", "").startswith("1.")
