"""What a rollout is made from: the tasks of a run, who plays which side, how often, and within which budget."""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from schemas.base import Json, Model
from schemas.config import Logging
from schemas.models import ModelChoice, Models, Role
from schemas.trajectory import Budget

SCRIPTED = ("oracle", "scripted")
"""Players that need no model: each alone, or followed by `:` and which one of them."""
GROWING_FIELDS = ("k",)
"""May grow in a later call of the same rollout; what was recorded before stays as it is."""
RUNTIME_FIELDS = ("workers", "out", "logging")
"""May differ from call to call; no trajectory depends on them."""


def needs_model(player: str) -> bool:
    """Return whether a player is the name of a model."""
    return player.partition(":")[0] not in SCRIPTED


def _fault(text: str) -> PydanticCustomError:
    return PydanticCustomError("players", "{text}", {"text": text})


class TaskSource(Model):
    """The run or release whose tasks are played."""

    path: Annotated[str, Field(min_length=1, max_length=4_000)]
    """Its folder, from the folder in which the rollout is made; no trajectory depends on it."""
    digest: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]
    """Digest of its manifest; other tasks are another rollout."""


class Subset(Model):
    """Which tasks are played: those that fit everything that is named, in the order of the run."""

    tasks: Annotated[int, Field(ge=1, strict=True)] | None = None
    """At most so many, the first ones."""
    families: list[str] = []
    levels: list[Literal["easy", "hard"]] = []
    task_ids: list[str] = []


class RolloutConfig(Model):
    """The resolved configuration of one rollout."""

    source: TaskSource
    assistant: Annotated[str, Field(min_length=1, max_length=300)] = "oracle"
    """`oracle`, `oracle:<variant>`, `scripted:<name>`, or the name of the model in `models.assistant`."""
    user: Annotated[str, Field(min_length=1, max_length=300)] = "scripted"
    """`scripted`, or the name of the model in `models.user`."""
    k: Annotated[int, Field(ge=1, le=100, strict=True)] = 1
    """Attempts at each task."""
    seed: Annotated[int, Field(ge=0, lt=2**63, strict=True)] = 0
    """Of what players draw; with task and attempt it decides everything about a scripted conversation."""
    answers: Literal["text", "tool"] = "text"
    """Where answers are read: in the final report, or in calls of the tool `report`."""
    actions: Literal["native", "json"] = "native"
    """How the assistant's model calls tools: as its interface has it, or as JSON in its text, for those that cannot."""
    budget: Budget = Budget()
    """Of each conversation."""
    subset: Subset = Subset()
    models: Models = Models()
    workers: Annotated[int, Field(ge=1, le=256, strict=True)] = 1
    """Processes that play blocks of users side by side; with models it is `models.limits.concurrency` that counts."""
    out: str = ""
    """Folder of the rollout; empty for `outputs/rollouts/<run>-<assistant>` below the current folder."""
    logging: Logging = Logging()

    @model_validator(mode="after")
    def _players_are_there(self) -> Self:
        for role, player in (("assistant", self.assistant), ("user", self.user)):
            choice = self.models.assistant if role == "assistant" else self.models.user
            if needs_model(player) and (choice is None or choice.model != player):
                raise _fault(f"the {role} {player!r} is no scripted player, and models.{role} does not name it")
            if choice is not None and not needs_model(player):
                raise _fault(f"models.{role} names {choice.model!r}, but the {role} is {player!r}")
        if self.user != "scripted" and not needs_model(self.user):
            raise _fault(f"the user is {self.user!r}; it can be `scripted` or a model")
        return self

    @property
    def with_models(self) -> bool:
        """Return whether a model plays a side."""
        return needs_model(self.assistant) or needs_model(self.user)

    def content(self) -> dict[str, Json]:
        """Return what decides the trajectories, as JSON data."""
        content: dict[str, Json] = self.model_dump(
            mode="json", exclude={*GROWING_FIELDS, *RUNTIME_FIELDS, "source", "models"}
        )
        # where the key lies and what tokens cost changes no reply
        private = {"key_env": True, "prices": True, "fallbacks": {"__all__": {"key_env", "prices"}}}
        players: dict[str, Json] = {
            role: choice.model_dump(mode="json", exclude=private) for role, choice in self.players()
        }
        return {**content, "source": self.source.digest, "models": players}

    def players(self) -> list[tuple[Role, ModelChoice]]:
        """Return the sides that a model plays."""
        named: list[tuple[Role, ModelChoice | None]] = [
            ("assistant", self.models.assistant),
            ("user", self.models.user),
        ]
        return [(role, choice) for role, choice in named if choice is not None]
