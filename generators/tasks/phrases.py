"""Sentence forms: data files beside the intents, checked when loaded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from pydantic import BaseModel, ConfigDict, RootModel

from generators.data_files import read_yaml
from language.manner import Day, Money

if TYPE_CHECKING:
    from generators.tasks.intent import Binding

PLACE = re.compile(r"\{([a-z0-9_]+)\}")
Fragments: TypeAlias = Mapping[str, list[str]]


class Questions(BaseModel):
    """How an assistant asks for a fact, and by which words a user knows that they are asked for it."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    forms: list[str]
    """Questions, each whole; a place `{name}` takes the value of a slot that was told, `{name_s}` of several things."""
    cues: list[str] = []
    """Phrases in small letters, beside those that every slot of this name or kind has, see `language.asking`."""


class Phrases(BaseModel):
    """The sentence forms of one intent.

    A place `{name}` takes a slot's value or a fragment, `{name_s}` the value for several of its things: bars.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    sentences: dict[str, list[str]]
    """Key `<form>` or `<form>:<variant>`, or `any`; the request itself, in first person."""
    fragments: dict[str, list[str]] = {}
    """Key `<slot>`, or `<slot>=<value>` for one value: how the slot is worked in where its place stands."""
    extras: list[str] = []
    """Slots that are added behind the sentence's `{extras}` place when they are given, in this order."""
    hidden: dict[str, list[str]] = {}
    """Key `<slot>`, `<slot>:<form>` or `<slot>:<variant>`: how the request is put when the user keeps this slot back
    until asked. Of an extra the fragment that stands for it, of any other slot the whole sentence without its place."""
    by_part: dict[str, list[str]] = {}
    """Keys as in `hidden`: the whole request where this slot is what an earlier part of the message finds out."""
    changes: dict[str, list[str]] = {}
    """Keys as in `hidden`: what the user says when they change their mind about this slot, as a message of its own."""
    questions: dict[str, Questions] = {}
    """Keys as in `hidden`: how one asks for this slot."""


T = TypeVar("T")


def special(options: Mapping[str, T], slot: str, form: str, variant: str) -> T | None:
    """Return what a data file has for a slot under the most special key that there is; None when it has nothing."""
    keys = (f"{slot}:{variant}", f"{slot}:{form}", slot)
    return next((options[key] for key in keys if key in options), None)


def forms_for(options: Fragments, slot: str, binding: Binding) -> list[str]:
    """Return the forms that a data file has for a slot of a binding, the most special ones; none when it has none."""
    return special(options, slot, binding.cell.form, binding.variant) or []


class Style(BaseModel):
    """How people of one style write. What is drawn has weights; a share of messages is in percent."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    openings: dict[str, int]
    closings: dict[str, int]
    joints: dict[str, int]
    """What stands between two requests of one message; one with words comes once."""
    words: int
    """Share in which small counts are in words; the next ones are for what `language.Manner` says of them."""
    relative: int
    quoted: int
    hyphened: int
    lower: int
    money: dict[Money, int]
    day: dict[Day, int]
    wording: dict[str, str] = {}
    """How they put words of a sentence form: contracted, in full, shortened."""


class Styles(RootModel[dict[str, Style]]):
    """The styles by name."""


@cache
def load_phrases(package: str) -> Phrases:
    """Return the forms in `phrases.yaml` of an intent's package."""
    return Phrases.model_validate(read_yaml(package, "phrases.yaml"))


@cache
def load_styles() -> dict[str, Style]:
    """Return the styles by name."""
    return Styles.model_validate(read_yaml("generators.tasks", "styles.yaml")).root
