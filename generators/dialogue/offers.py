"""The tools that an assistant is offered at a moment of a conversation."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from generators.dialogue.report import REPORT
from schemas.base import canonical_text
from services.runtime.catalogue import installed_catalogue

if TYPE_CHECKING:
    from schemas.base import Json
    from services.runtime.catalogue import Catalogue
    from services.runtime.environment import Environment


class Offer(NamedTuple):
    """What can be called. It is shared by conversations: nobody changes it."""

    unlocked: frozenset[str]
    """Features that had been unlocked."""
    names: dict[str, Json]
    """Tools by name, each as an entry of the `tools` list of a chat-completions request."""
    tools: list[Json]
    text: str
    """Canonical JSON of the list."""


def offered(env: Environment, answers: Literal["text", "tool"]) -> Offer:
    """Return what the assistant can call now, by name; with `answers` as a tool, that one as well."""
    unlocked = env.session.unlocked
    if env.catalogue is installed_catalogue():
        return _installed(unlocked, answers)
    return _offer(env.catalogue, unlocked, answers)


@cache
def _installed(unlocked: frozenset[str], answers: Literal["text", "tool"]) -> Offer:
    return _offer(installed_catalogue(), unlocked, answers)


def _offer(catalogue: Catalogue, unlocked: frozenset[str], answers: Literal["text", "tool"]) -> Offer:
    tools = catalogue.offered("assistant", unlocked)
    if answers == "tool":
        tools = sorted([*tools, REPORT], key=lambda tool: tool.name)
    names = {tool.name: cast("Json", tool.openai()) for tool in tools}
    found = list(names.values())
    return Offer(unlocked, names, found, canonical_text(found))
