"""Conversations about real tasks, held by the real runner with the real user, for tests of known defects."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import cache

from generators.agents.registry import Seat, scripted
from generators.dialogue.parts import Assistant, User
from generators.dialogue.runner import converse
from generators.users.scripted import ScriptedUser
from schemas.score import Score
from schemas.task import Task
from schemas.trajectory import Budget, Did, Said, Trajectory
from services.runtime.streams import Stream
from tests.validators import tasks_support
from validators.scoring.score import score
from validators.scoring.wish import WishOf
from validators.tasks.context import TaskContext


def oracle(context: TaskContext) -> Assistant:
    """The assistant that does what is right."""
    stream = Stream(tasks_support.SEED, "oracle", context.task.task_id, 0)
    return scripted("oracle")(Seat(context.task, context.now, context.catalogue, stream))


def held(
    context: TaskContext,
    assistant: Assistant | None = None,
    user: User | None = None,
    budget: Budget | None = None,
    known: Task | None = None,
) -> Trajectory:
    """A conversation from the task's start, of the oracle and the scripted user where no other is named.

    `known` is the task as it is given to the user.
    """
    env = context.open()
    wish = WishOf(context, env)
    return asyncio.run(
        converse(
            env,
            context.task,
            assistant or oracle(context),
            user or ScriptedUser(known or context.task, context.now, context.catalogue, wish),
            wish=wish,
            budget=budget,
        )
    )


def scored(context: TaskContext, trajectory: Trajectory) -> Score:
    """The score, which there must be."""
    found = score(context, trajectory)
    assert found is not None
    return found


@cache
def some_contexts() -> tuple[TaskContext, ...]:
    """Tasks of every family: all candidates of some users, and some of users who keep things back."""
    plain = [context for user in range(2) for context in tasks_support.contexts(user)]
    talkative = [context for number, context in enumerate(tasks_support.talkative_contexts(1)) if number % 2]
    return (*plain, *talkative)


@cache
def oracle_talks() -> tuple[tuple[TaskContext, Trajectory], ...]:
    """The oracle's conversations about these tasks."""
    return tuple((context, held(context)) for context in some_contexts())


def first_context(meets: Callable[[TaskContext], bool]) -> TaskContext:
    """The first of the tasks that meets a condition."""
    return next(context for context in some_contexts() if meets(context))


def said_by(trajectory: Trajectory, side: str) -> list[str]:
    """The messages of one side."""
    return [event.text for event in trajectory.events if isinstance(event, Said) and event.by == side]


def calls_of(trajectory: Trajectory, side: str) -> list[Did]:
    """The calls of one side."""
    return [event for event in trajectory.events if isinstance(event, Did) and event.side == side]
