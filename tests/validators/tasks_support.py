"""Real users with real tasks for tests of the checks, made once per session."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from typing import Any, NamedTuple

import pytest

from generators.environments import build_environment
from generators.profiles import make_profile
from generators.tasks import Share, make_round, rounds
from generators.worlds import make_world
from schemas.environment import EnvironmentRecord
from schemas.plan import Call, Plan
from schemas.task import Task
from schemas.world import World
from tests.nonempty import nonempty
from validators.tasks.context import TaskContext, UserContext
from validators.tasks.told import kept_back

SEED = 7


class Made(NamedTuple):
    """One user's environment and candidate tasks."""

    environment: EnvironmentRecord
    world: World
    tasks: tuple[Task, ...]


@cache
def world() -> World:
    return make_world(SEED)


@cache
def made(user: int = 0, rounds: int = 1) -> Made:
    """The candidates of the first rounds of a user."""
    profile = make_profile(SEED, user)
    environment = build_environment(SEED, profile, world())
    tasks = [
        task for number in range(rounds) for task in make_round(SEED, profile, environment, world(), number).candidates
    ]
    return Made(environment, world(), tuple(nonempty(tasks)))


@cache
def user_context(user: int = 0) -> UserContext:
    return UserContext(made(user).environment, world())


def contexts(user: int = 0, rounds: int = 1) -> list[TaskContext]:
    """A fresh context for each task of a user."""
    tasks = made(user, rounds).tasks
    return [TaskContext(user_context(user), task, [peer for peer in tasks if peer is not task]) for task in tasks]


def is_plain(task: Task) -> bool:
    """Whether the request says all that the user will ever say, and consents are given for good and to any amount."""
    later = [s for use in task.intents for s in use.slots if s.told in ("on_request", "by_part")]
    limited = [c for c in task.script.consents if c.once or c.up_to_cents is not None]
    return task.script.change is None and not later and not limited


@cache
def find(template: str, gates: tuple[str, ...] | None = None, users: int = 30) -> tuple[int, Task]:
    """The first user and plain task whose template starts with `template`; when given, it meets exactly these gates."""
    for user in range(users):
        for task in made(user, 2).tasks:
            fits = task.template.startswith(template) and (gates is None or tuple(task.gates) == gates)
            if fits and is_plain(task):
                return user, task
    raise LookupError(f"no task {template} with gates {gates} among {users} users")


def context_of(template: str, gates: tuple[str, ...] | None = None) -> TaskContext:
    """A fresh context of the first such task."""
    user, task = find(template, gates)
    return TaskContext(user_context(user), task, [peer for peer in made(user, 2).tasks if peer is not task])


def context_where(
    template: str, meets: Callable[[TaskContext], bool], users: int = 30, *, plain: bool = True
) -> TaskContext:
    """A fresh context of the first task whose template starts with `template` and that meets a condition.

    Other than plain tasks are looked at when not `plain`.
    """
    for user in range(users):
        for context in contexts(user, 2):
            fits = context.task.template.startswith(template) and (is_plain(context.task) or not plain)
            if fits and meets(context):
                return context
    raise LookupError(f"no task {template} among {users} users meets the condition")


@cache
def talkative(user: int) -> Made:
    """The candidates of two rounds of a user who keeps something back or changes their mind wherever that can be."""
    profile = make_profile(SEED, user)
    environment = build_environment(SEED, profile, world())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(rounds, "CHANGE_CHANCE", (1, 1))
        patch.setattr(rounds, "HIDE_CHANCE", (1, 1))
        made = [make_round(SEED, profile, environment, world(), n, 0, Share(3, 2, 30)).candidates for n in range(2)]
    return Made(environment, world(), tuple(nonempty([task for tasks in made for task in tasks])))


def talkative_contexts(users: int = 12) -> Iterator[TaskContext]:
    """A fresh context for each task of talkative users, beside the tasks before it."""
    for user in range(users):
        tasks = talkative(user).tasks
        yield from (TaskContext(user_context(user), task, tasks[:place]) for place, task in enumerate(tasks))


def told_where(meets: Callable[[TaskContext], bool], users: int = 12) -> TaskContext:
    """A fresh context of the first task of talkative users that meets a condition."""
    found = next((context for context in talkative_contexts(users) if meets(context)), None)
    if found is None:
        raise LookupError(f"no task among {users} talkative users meets the condition")
    return found


def changed_where(meets: Callable[[TaskContext], bool] = lambda _: True, users: int = 12) -> TaskContext:
    """A fresh context of the first task that is no twin, whose user changes their mind, and that meets a condition."""
    return told_where(lambda c: c.task.script.change is not None and c.task.kin is None and meets(c), users)


def kept_back_where(meets: Callable[[TaskContext], bool] = lambda _: True, users: int = 12) -> TaskContext:
    """A fresh context of the first task that is no twin, whose user keeps a fact back, and that meets a condition."""
    return told_where(lambda c: bool(kept_back(c)) and c.task.kin is None and meets(c), users)


def kin_where(kind: str, meets: Callable[[TaskContext], bool] = lambda _: True, users: int = 12) -> TaskContext:
    """A fresh context of the first twin, or variation, that meets a condition."""
    return told_where(lambda c: c.task.kin is not None and c.task.kin.kind == kind and meets(c), users)


def kindred(
    start: str, more_than: int, gates: tuple[str, ...] | None = None, users: int = 30
) -> tuple[int, list[Task]]:
    """The first user with more than so many tasks of one template that starts so, and those tasks.

    When given, only tasks that meet exactly these gates count.
    """
    for user in range(users):
        groups: dict[str, list[Task]] = {}
        for task in made(user, 2).tasks:
            if task.template.startswith(start) and (gates is None or tuple(task.gates) == gates):
                groups.setdefault(task.template, []).append(task)
        for tasks in groups.values():
            if len(tasks) > more_than:
                return user, tasks
    raise LookupError(f"none of {users} users has more than {more_than} tasks {start} with gates {gates}")


def altered(context: TaskContext, **changes: object) -> TaskContext:
    """The context of the task with fields replaced by new values, not validated."""
    return TaskContext(context.user, context.task.model_copy(update=changes), context.peers)


def replanned(context: TaskContext, change: Callable[[list[Any]], list[Any]], **changes: object) -> TaskContext:
    """The context of the task with the steps of its plan changed."""
    plan = context.task.plan
    return altered(context, plan=plan.model_copy(update={"steps": change(list(plan.steps))}), **changes)


def position(plan: Plan, tool: str, nth: int = 0) -> int:
    """The place of the n-th call of `tool` in the plan."""
    return [i for i, step in enumerate(plan.steps) if isinstance(step, Call) and step.tool == tool][nth]
