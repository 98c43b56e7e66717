"""Sides of a conversation that do what a test tells them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal

from generators.dialogue.parts import (
    Assistant,
    AssistantTurn,
    AssistantView,
    CallRequest,
    Hands,
    Message,
    User,
    UserReply,
    Wish,
)
from generators.dialogue.runner import converse
from generators.dialogue.starts import Starts
from schemas.base import Json, canonical_text
from schemas.task import Task
from schemas.trajectory import Budget, Declared, Trajectory
from services.runtime.environment import Environment
from tests.generators.tasks import scenes

TurnOf = AssistantTurn | Exception


def said(text: str) -> AssistantTurn:
    return AssistantTurn(text=text)


def called(*calls: tuple[str, object], text: str = "") -> AssistantTurn:
    """A turn with calls; arguments that are no text are written as JSON."""
    requests = [CallRequest("x", name, a if isinstance(a, str) else canonical_text(a)) for name, a in calls]
    return AssistantTurn(text=text, calls=tuple(requests))


@dataclass
class Says:
    """An assistant that takes these turns, one after the other, and keeps what it was shown."""

    turns: Iterable[TurnOf]
    name: str = "says"
    declared: Declared | None = None
    parameters: Mapping[str, Json] = field(default_factory=dict[str, Json])
    seen: list[list[Message]] = field(default_factory=list[list[Message]])
    tools: list[list[str]] = field(default_factory=list[list[str]])
    results: list[list[dict[str, Any]]] = field(default_factory=list[list[dict[str, Any]]])
    acts: list[list[str]] = field(default_factory=list[list[str]])

    def __post_init__(self) -> None:
        self._next = iter(self.turns)

    async def turn(self, view: AssistantView) -> AssistantTurn:
        self.seen.append(list(view.messages))
        tools: list[Any] = view.tools
        self.tools.append([tool["function"]["name"] for tool in tools])
        self.results.append(list(view.results))
        self.acts.append([act.tool for act in view.acts])
        turn = next(self._next)
        if isinstance(turn, Exception):
            raise turn
        return turn


ReplyOf = Callable[[str, Hands], UserReply] | UserReply | Exception


@dataclass
class Replies:
    """A user that gives these replies, and agrees to calls of these tools."""

    replies: Iterable[ReplyOf]
    agreed: tuple[str, ...] = ()
    name: str = "replies"
    prompt: str = ""
    parameters: Mapping[str, Json] = field(default_factory=dict[str, Json])
    heard: list[str] = field(default_factory=list[str])

    def __post_init__(self) -> None:
        self._next = iter(self.replies)

    async def reply(self, text: str, hands: Hands) -> UserReply:
        self.heard.append(text)
        reply = next(self._next)
        if isinstance(reply, Exception):
            raise reply
        return reply if isinstance(reply, UserReply) else reply(text, hands)

    def agrees(self, tool: str, arguments: Mapping[str, Json], hands: Hands) -> bool:
        return tool in self.agreed


class Content:
    """A wish that is met or not, whatever happens."""

    def __init__(self, *, met: bool = True) -> None:
        self.met = met

    def accepts(self, tool: str, arguments: Mapping[str, Json], side: str) -> bool:
        return True

    def fulfilled(self) -> bool:
        return self.met


THANKS = UserReply("Thanks, bye.", stop=True)


@cache
def starts(user: int = 0) -> Starts:
    return Starts(scenes.user(user)[1], scenes.world())


@cache
def some_task(user: int = 0) -> Task:
    return scenes.round_of(user).candidates[0]


def open_start(task: Task | None = None) -> Environment:
    task = task or some_task()
    return starts(int(task.user_id.removeprefix("u"))).open(task)


def hold(
    assistant: Assistant,
    user: User,
    *,
    task: Task | None = None,
    env: Environment | None = None,
    wish: Wish | None = None,
    budget: Budget | None = None,
    answers: Literal["text", "tool"] = "text",
    attempt: int = 0,
) -> Trajectory:
    """A conversation about some task, unless told which."""
    task = task or some_task()
    env = env or open_start(task)
    talk = converse(env, task, assistant, user, wish=wish or Content(), budget=budget, answers=answers, attempt=attempt)
    return asyncio.run(talk)
