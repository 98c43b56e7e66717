"""Who plays a rollout: makes assistant and user of each conversation, holds it, and scores it."""

from __future__ import annotations

import logging
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from flows.rollout_contexts import Contexts
from flows.rollout_scoring import scored
from generators.agents.model import ModelAssistant
from generators.agents.registry import Seat, scripted
from generators.dialogue.runner import converse
from generators.users.model import ModelUser
from generators.users.scripted import ScriptedUser
from llm.client import ModelClient
from llm.ledger import Ledger
from schemas.rollout import needs_model
from services.runtime.streams import Stream
from validators.scoring.wish import WishOf
from validators.users import Talk, message_faults

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from flows.rollout_person import Terminal
    from flows.rollout_shards import Part, Scored
    from generators.dialogue.parts import Assistant, User, Wish
    from schemas.models import Role
    from schemas.rollout import RolloutConfig
    from services.runtime.environment import Environment
    from validators.tasks import TaskContext

REPLIES = "replies"
"""Folder, below the rollout's, of replies of models: none is asked for twice."""
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Conversation:
    """One conversation to be held."""

    part: Part
    context: TaskContext


class BlockPlayer:
    """Holds the conversations of a rollout. Implements `flows.rollout_engine.Player`."""

    def __init__(self, config: RolloutConfig, sizes: Mapping[Part, int], clients: Mapping[Role, ModelClient]) -> None:
        self._config = config
        self._sizes = sizes
        self._clients = clients
        self._contexts = Contexts(config)
        self.width = config.models.limits.concurrency if config.with_models else 1
        self._assistant = assistant_maker(config, clients)

    def jobs(self, parts: Sequence[Part], stopped: Callable[[], bool]) -> Iterator[Conversation]:
        """Yield the conversations of some shards in order, until `stopped()` is true."""
        for part in parts:
            for at, context in enumerate(self._contexts.block(part.block, self._sizes[part])):
                # a shard of scripted players takes a second or two: it is finished
                if (at == 0 or self._config.with_models) and stopped():
                    return
                yield Conversation(part, context)

    def size(self, part: Part) -> int:
        """Return how many conversations a shard holds."""
        return self._sizes[part]

    async def play(self, job: Conversation) -> Scored:
        """Hold one conversation and score it."""
        context, attempt = job.context, job.part.attempt
        env = context.open()
        wish = WishOf(context, env)
        assistant = self._assistant(context, attempt)
        user = user_of(self._config, context, attempt, self._clients, wish)
        found = await held(self._config, context, attempt, env, assistant, user, wish)
        for fault in found.faults:
            _log.error("%s is no sound record, a defect of pausegen: %s", found.trajectory.trajectory_id, fault)
        return found


@asynccontextmanager
async def playing(
    root: Path, config: RolloutConfig, sizes: Mapping[Part, int], ledger: Ledger
) -> AsyncGenerator[BlockPlayer]:
    """Yield what plays the shards in `sizes`, each with so many conversations, and close its connections at the end."""
    async with _clients(config, ledger, root / REPLIES) as clients:
        yield BlockPlayer(config, sizes, clients)


async def play_with_person(config: RolloutConfig, side: str, terminal: Terminal) -> Scored:
    """Hold the conversation about the first task of a rollout with a person on one side, and score it."""
    from flows.rollout_person import PersonAssistant, PersonUser
    from flows.rollout_tasks import blocks_of, open_tasks

    contexts = Contexts(config)
    block, size = next(iter(blocks_of(open_tasks(contexts.path, config.subset), config.subset).items()))
    context = contexts.block(block, size)[0]
    env = context.open()
    wish = WishOf(context, env)
    async with _clients(config, Ledger(), None) as clients:
        if side == "assistant":
            assistant: Assistant = PersonAssistant(terminal)
            user = user_of(config, context, 0, clients, wish)
        else:
            assistant = assistant_maker(config, clients)(context, 0)
            user = PersonUser(terminal, context.task, context.catalogue)
        return await held(config, context, 0, env, assistant, user, wish)


async def held(
    config: RolloutConfig,
    context: TaskContext,
    attempt: int,
    env: Environment,
    assistant: Assistant,
    user: User,
    wish: Wish,
) -> Scored:
    """Hold one conversation in `env`, which stands at the task's start, and score it."""
    trajectory = await converse(
        env, context.task, assistant, user, wish=wish, budget=config.budget, answers=config.answers, attempt=attempt
    )
    return scored(context, trajectory)


def assistant_maker(
    config: RolloutConfig, clients: Mapping[Role, ModelClient]
) -> Callable[[TaskContext, int], Assistant]:
    """Return what makes the assistant of a conversation from its task and attempt."""
    if needs_model(config.assistant):
        client = clients["assistant"]
        return lambda context, attempt: ModelAssistant(client, repeat=attempt, actions=config.actions)
    factory = scripted(config.assistant)

    def seated(context: TaskContext, attempt: int) -> Assistant:
        stream = Stream(config.seed, config.assistant, context.task.task_id, attempt)
        return factory(Seat(context.task, context.now, context.catalogue, stream, config.answers))

    return seated


def user_of(
    config: RolloutConfig, context: TaskContext, attempt: int, clients: Mapping[Role, ModelClient], wish: Wish
) -> User:
    """Return the user of a conversation."""
    client = clients.get("user")
    if client is None:
        return ScriptedUser(context.task, context.now, context.catalogue, wish)
    plausible = partial(message_faults, talk_of(context))
    return ModelUser(client, context.task, context.now, context.catalogue, wish, plausible, repeat=attempt)


def talk_of(context: TaskContext) -> Talk:
    """Return what the messages of a task's user are held against: its script, and the names there are."""
    names = sorted(
        {str(row["name"]) for rows in context.user.world_tables.values() for row in rows.values() if "name" in row}
    )
    return Talk(context.task, context.now[:10], frozenset(context.catalogue.tools), tuple(names))


@asynccontextmanager
async def _clients(
    config: RolloutConfig, ledger: Ledger, cache: Path | None
) -> AsyncGenerator[dict[Role, ModelClient]]:
    """Yield a client for each side that a model plays."""
    async with AsyncExitStack() as stack:
        found: dict[Role, ModelClient] = {}
        for role, choice in config.players():
            client = ModelClient(choice, config.models.limits, cache, ledger, role=role)
            found[role] = await stack.enter_async_context(client)
        yield found
