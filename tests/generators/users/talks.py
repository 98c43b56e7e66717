"""Conversations with the scripted user in a real environment."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass, field

from generators.dialogue.hands import UserHands
from generators.dialogue.parts import UserReply, Wish
from generators.dialogue.stage import Stage
from generators.users.scripted import ScriptedUser
from schemas.base import Json
from schemas.task import Task
from services.runtime.environment import Environment
from validators.scoring.wish import WishOf
from validators.tasks.context import TaskContext


@dataclass
class Wanting:
    """A wish that accepts every call, or none, and is met or not."""

    accepted: bool = True
    met: bool = True
    seen: list[tuple[str, Mapping[str, Json]]] = field(default_factory=list[tuple[str, Mapping[str, Json]]])

    def accepts(self, tool: str, arguments: Mapping[str, Json], side: str) -> bool:
        self.seen.append((tool, arguments))
        return self.accepted

    def fulfilled(self) -> bool:
        return self.met


class Talk:
    """A user of a task who is spoken to; keeps what they did."""

    def __init__(self, task: Task, env: Environment, wish: Wish | None = None) -> None:
        self.env = env
        self.stage = Stage(env)
        self.user = ScriptedUser(task, env.now, env.catalogue, wish or Wanting())
        self.acts: list[tuple[str, dict[str, Json]]] = []
        self.acted = False
        """Whether the last answer came with an act."""

    def say(self, text: str) -> UserReply:
        hands = UserHands(self.stage)
        reply = asyncio.run(self.user.reply(text, hands))
        self.acts += [(act.tool, dict(act.arguments)) for act in hands.acts]
        self.acted = bool(hands.done)
        return reply

    def call(self, tool: str, arguments: Mapping[str, Json]) -> Mapping[str, Json]:
        """Make a call of the assistant's as the runner does."""
        result = self.stage.call("assistant", tool, arguments).result
        error = result.get("error")
        if not isinstance(error, dict) or error.get("code") != "CONFIRMATION_REQUIRED":
            return result
        if not self.user.agrees(tool, arguments, UserHands(self.stage)):
            self.stage.pending.append((tool, arguments))
            return result
        self.stage.confirm(tool, arguments)
        return self.stage.call("assistant", tool, arguments).result


def talk_of(context: TaskContext) -> Talk:
    """The user of a made task, with their own wish."""
    env = context.open()
    return Talk(context.task, env, WishOf(context, env))
