"""The score against assistants that are known: oracles pass every task, and an imperfect one is seen through."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import TYPE_CHECKING

import pytest

from generators.agents.registry import SCRIPTED, Seat, assistants, scripted
from generators.dialogue.runner import converse
from generators.users.scripted import ScriptedUser
from services.runtime.streams import Stream
from tests.nonempty import nonempty
from tests.validators.tasks_support import contexts, talkative_contexts
from validators.scoring.errors import ERRORS
from validators.scoring.score import score
from validators.scoring.wish import WishOf
from validators.trajectories.checks import check_trajectory

if TYPE_CHECKING:
    from schemas.trajectory import Trajectory
    from validators.tasks.context import TaskContext

IMPERFECT = [name for name, _ in assistants() if name not in SCRIPTED]


@cache
def tasks() -> tuple[TaskContext, ...]:
    return tuple(nonempty([*contexts(0, 2), *talkative_contexts(2)]))


def conversation(context: TaskContext, name: str) -> Trajectory:
    """The conversation of an assistant with the scripted user."""
    env = context.open()
    wish = WishOf(context, env)
    seat = Seat(context.task, context.now, context.catalogue, Stream(7, name, context.task.task_id))
    user = ScriptedUser(context.task, context.now, context.catalogue, wish)
    return asyncio.run(converse(env, context.task, scripted(name)(seat), user, wish=wish))


@pytest.mark.parametrize("name", SCRIPTED)
def test_oracles_pass_every_task_without_an_error(name: str) -> None:
    for context in tasks():
        trajectory = conversation(context, name)
        found = score(context, trajectory)
        assert found is not None
        assert found.passed, (context.task.task_id, found.reason)
        assert not found.needless
        assert not found.found
        assert not [one for one in check_trajectory(context, trajectory) if not one.passed]


@pytest.mark.parametrize("name", IMPERFECT)
def test_the_error_that_was_committed_is_the_one_that_is_found(name: str) -> None:
    committed = seen = classed = 0
    for context in tasks():
        trajectory = conversation(context, name)
        declared, found = trajectory.declared, score(context, trajectory)
        assert declared is not None
        assert found is not None
        assert not [one for one in check_trajectory(context, trajectory) if not one.passed]
        if declared.committed:
            assert found.passed is not declared.matters, context.task.task_id
            assert ERRORS[declared.error] == declared.error_class
            committed += 1
            seen += any(one.error == declared.error for one in found.found)
            classed += found.error_class == (declared.error_class if declared.matters else None)
    assert committed
    assert seen >= 0.98 * committed, f"{seen} of {committed}"
    assert classed >= 0.98 * committed, f"{classed} of {committed}"
