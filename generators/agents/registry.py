"""The assistants that need no model, by name: the oracle and its variants; imperfect ones stand in `imperfect`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING, Literal, NamedTuple, TypeAlias, cast

if TYPE_CHECKING:
    from generators.dialogue.parts import Assistant
    from schemas.task import Task
    from services.runtime.catalogue import Catalogue
    from services.runtime.streams import Stream


@dataclass(frozen=True, slots=True)
class Seat:
    """What a scripted assistant is made for: one conversation about a task, whose gold it may look at."""

    task: Task
    now: str
    """The environment's frozen local time."""
    catalogue: Catalogue
    stream: Stream
    """Where it draws from; named by seed, assistant, task and attempt."""
    answers: Literal["text", "tool"] = "text"


Factory: TypeAlias = "Callable[[Seat], Assistant]"


class Entry(NamedTuple):
    """One assistant of the registry."""

    module: str
    """Loaded when the assistant is asked for."""
    factory: str
    """Name of the factory in the module."""
    text: str
    """What it does, in a few words."""


SCRIPTED: Mapping[str, Entry] = {
    "oracle": Entry("generators.agents.oracle", "Oracle", "carries out the gold plan, as a good assistant would"),
    "oracle:detour": Entry("generators.agents.variants", "detour", "the oracle, looking at more than is needed"),
    "oracle:recovery": Entry("generators.agents.variants", "recovery", "the oracle, with a refused call made good"),
    "oracle:clarification": Entry("generators.agents.variants", "clarification", "the oracle, asking in two steps"),
    "oracle:refusal": Entry("generators.agents.variants", "refusal", "the oracle, explaining why it declines"),
}
"""`oracle` or `oracle:<variant>` -> where its factory stands."""
IMPERFECT = "scripted"
"""Kind of the assistants named `scripted:<error>`."""


def assistants() -> list[tuple[str, str]]:
    """Return name and description of each assistant that needs no model."""
    from generators.agents.imperfect import ERRORS

    imperfect = [(f"{IMPERFECT}:{name}", error.text) for name, error in ERRORS.items()]
    return [*((name, entry.text) for name, entry in SCRIPTED.items()), *imperfect]


def scripted(name: str) -> Factory:
    """Return the factory of an assistant that needs no model. Raise KeyError for an unknown name."""
    kind, _, error = name.partition(":")
    if kind == IMPERFECT:
        from generators.agents.imperfect import ERRORS, Imperfect

        return partial(Imperfect, error=error, entry=ERRORS[error])
    entry = SCRIPTED[name]
    return cast("Factory", getattr(import_module(entry.module), entry.factory))
