"""The sports file as typed data: METs, steps, work and rest of every sport a workout can be."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, TypeAdapter

from generators.data_files import read_yaml

if TYPE_CHECKING:
    from collections.abc import Mapping

PACKAGE = __name__.rpartition(".")[0]
ONE_EACH = tuple[int, int, int]
"""At light, moderate and vigorous effort."""


class SportForm(BaseModel):
    """One sport; what the fields mean stands in the file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    codes: tuple[str, str, str]
    mets: ONE_EACH
    steps: ONE_EACH
    work: tuple[int, int]
    rest: tuple[int, int]
    swing: int
    heart: int


@cache
def sport_forms() -> Mapping[str, SportForm]:
    """Return all sports by name, read once."""
    return TypeAdapter(dict[str, SportForm]).validate_python(read_yaml(PACKAGE, "sports.yaml"))
