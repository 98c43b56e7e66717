"""Sentence forms: data files beside the intents, checked when loaded."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, TypeAlias

from pydantic import BaseModel, ConfigDict

from generators.data_files import read_yaml

if TYPE_CHECKING:
    from generators.tasks.intent import Binding

PLACE = re.compile(r"\{([a-z0-9_]+)\}")
Fragments: TypeAlias = Mapping[str, list[str]]


class Phrases(BaseModel):
    """The sentence forms of one intent. A place `{name}` takes a slot's value or a fragment."""

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
    changes: dict[str, list[str]] = {}
    """Keys as in `hidden`: what the user says when they change their mind about this slot, as a message of its own."""


def forms_for(options: Fragments, slot: str, binding: Binding) -> list[str]:
    """Return the forms that a data file has for a slot of a binding, the most special ones; none when it has none."""
    keys = [key for key in (f"{slot}:{binding.variant}", f"{slot}:{binding.cell.form}", slot) if key in options]
    return options[keys[0]] if keys else []


class Styles(BaseModel):
    """How a persona opens and closes a message."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    openings: dict[str, list[str]]
    closings: dict[str, list[str]]
    joints: list[str]
    """What stands between two requests of one message."""


@cache
def load_phrases(package: str) -> Phrases:
    """Return the forms in `phrases.yaml` of an intent's package."""
    return Phrases.model_validate(read_yaml(package, "phrases.yaml"))


@cache
def load_styles() -> Styles:
    """Return the openings and closings by persona style."""
    return Styles.model_validate(read_yaml("generators.tasks", "styles.yaml"))
