"""Behaviours of the model server that play a side as it was played before, and conversations with sides on it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Sequence
from contextlib import AsyncExitStack
from functools import partial
from typing import Any

from flows.rollout_players import talk_of
from generators.agents.model import Actions, ModelAssistant
from generators.dialogue.messages import in_users_turn, messages_of
from generators.dialogue.parts import Assistant, User
from generators.dialogue.runner import converse
from generators.users.model import END, YES, ModelUser
from generators.users.scripted import ScriptedUser
from llm import ModelClient
from schemas.models import Limits, ModelChoice
from schemas.trajectory import Budget, Confirmed, Did, Event, Said, Trajectory
from tests.defects_rollout.staging import oracle
from tests.model_server.behaviours import Behaviour
from validators.scoring.wish import WishOf
from validators.tasks.context import TaskContext
from validators.users import message_faults

Reply = dict[str, Any]


def converse_with(
    context: TaskContext,
    *,
    assistant: Assistant | str | None = None,
    user: User | str | None = None,
    actions: Actions = "native",
    budget: Budget | None = None,
    attempts: int = 1,
) -> Trajectory:
    """A conversation; a side that is an address is played by the model there, one that is not named by the best."""

    async def go() -> Trajectory:
        env = context.open()
        wish = WishOf(context, env)
        async with AsyncExitStack() as stack:

            async def client(url: str) -> ModelClient:
                choice = ModelChoice(model="openai/tiny", api_base=url)
                limits = Limits(max_attempts=attempts, timeout_s=20)
                return await stack.enter_async_context(ModelClient(choice, limits))

            agent = assistant or oracle(context)
            if isinstance(agent, str):
                agent = ModelAssistant(await client(agent), actions=actions)
            person = user or ScriptedUser(context.task, context.now, context.catalogue, wish)
            if isinstance(person, str):
                plausible = partial(message_faults, talk_of(context))
                talker = await client(person)
                person = ModelUser(talker, context.task, context.now, context.catalogue, wish, plausible)
            return await converse(env, context.task, agent, person, wish=wish, budget=budget)

    return asyncio.run(go())


def assistant_as(trajectories: Iterable[Trajectory], actions: Actions = "native") -> Behaviour:
    """A model that takes the turns of the assistant in these conversations, told apart by their first message."""
    known = {t.events[0].text: _turns(t) for t in trajectories if isinstance(t.events[0], Said)}

    def behave(request: Reply) -> Reply:
        messages = request["messages"]
        turn = known[messages[1]["content"]][sum(one["role"] == "assistant" for one in messages)]
        if actions == "native":
            return turn
        calls = [{"tool": c["name"], "arguments": json.loads(c["arguments"])} for c in turn.get("tool_calls", [])]
        return {"content": json.dumps({"say": turn["content"] or "", "calls": calls})}

    return behave


def _turns(trajectory: Trajectory) -> list[Reply]:
    said: list[Any] = [one for one in messages_of(trajectory) if one["role"] == "assistant"]
    return [
        {"content": one.get("content"), "tool_calls": [call["function"] for call in one.get("tool_calls", [])]}
        for one in said
    ]


def user_as(trajectories: Iterable[Trajectory]) -> Behaviour:
    """A model that takes the turns of the user in these conversations, told apart by their first message."""
    known = {t.events[0].text: list(_user_turns(t)) for t in trajectories if isinstance(t.events[0], Said)}

    def behave(request: Reply) -> Reply:
        messages = request["messages"]
        heard = [one for one in messages if one["role"] == "user"]
        assert not [one for one in heard if one["content"].startswith("[Platform]")], heard[-1]
        acts, end = known[messages[1]["content"]][len(heard) - 1]
        return end if messages[-1]["role"] == "tool" or not acts else {"tool_calls": acts}

    return behave


def _user_turns(trajectory: Trajectory) -> Iterable[tuple[list[Reply], Reply]]:
    last = trajectory.events[-1].turn
    for turn in range(2, last + 1, 2):
        mine: Sequence[Event] = [event for event in trajectory.events if event.turn == turn]
        text = "".join(event.text for event in mine if isinstance(event, Said))
        if turn == last:
            yield [], {"content": text, "tool_calls": [{"name": END}]}
            continue
        acts = [{"name": e.tool, "arguments": e.arguments} for e in mine if isinstance(e, Did)]
        in_words = [e for e in trajectory.events if e.turn == turn + 1 and isinstance(e, Confirmed)]
        acts += [{"name": YES} for e in (*mine, *in_words) if isinstance(e, Confirmed)]
        assert all(in_users_turn(event) for event in mine)
        yield acts, {"content": text}
