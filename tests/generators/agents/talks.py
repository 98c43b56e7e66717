"""Conversations of oracles with obedient users, about real tasks of every kind."""

from __future__ import annotations

import asyncio
from functools import cache
from typing import Literal

from generators.agents.oracle import Oracle
from generators.agents.registry import Factory, Seat
from generators.dialogue.parts import User
from generators.dialogue.runner import converse
from generators.dialogue.starts import Starts
from generators.tasks import Share, make_round
from schemas.task import Task
from schemas.trajectory import Trajectory
from services.runtime.catalogue import installed_catalogue
from services.runtime.environment import Environment
from services.runtime.streams import Stream
from tests.generators.agents.obedient import Obedient
from tests.generators.dialogue.players import Content
from tests.generators.tasks import scenes

USERS = 3
ROUNDS = 2
MIXED = Share(twins=2, variations=2, multi_intent_percent=40)


@cache
def tasks() -> tuple[Task, ...]:
    """Real tasks of some users: alone, several at once, twins and variations."""
    found: list[Task] = []
    for index in range(USERS):
        profile, environment = scenes.user(index)
        for number in range(ROUNDS):
            made = make_round(scenes.SEED, profile, environment, scenes.world(), number, share=MIXED)
            found += made.candidates
    return tuple(found)


@cache
def _starts(user_id: str) -> Starts:
    record = next(e for e in (scenes.user(i)[1] for i in range(USERS)) if e.user_id == user_id)
    return Starts(record, scenes.world())


def open_start(task: Task) -> Environment:
    """The environment at the start of a task."""
    return _starts(task.user_id).open(task)


def seat(task: Task, attempt: int = 0) -> Seat:
    now = open_start(task).now
    return Seat(task, now, installed_catalogue(), Stream(scenes.SEED, "oracle", task.task_id, attempt))


def talk(
    task: Task,
    factory: Factory = Oracle,
    user: User | None = None,
    attempt: int = 0,
    answers: Literal["text", "tool"] = "text",
) -> Trajectory:
    """The conversation of an assistant about a task."""
    assistant = factory(seat(task, attempt))
    env = open_start(task)
    user = user or Obedient(task)
    talk = converse(env, task, assistant, user, wish=Content(), attempt=attempt, answers=answers)
    return asyncio.run(talk)
