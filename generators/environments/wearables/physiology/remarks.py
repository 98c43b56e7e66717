"""What the user wrote about a workout, or nothing."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict

from generators.data_files import read_yaml

if TYPE_CHECKING:
    from generators.environments.wearables.physiology.signals import Intensity
    from services.runtime.streams import Stream

PACKAGE = __name__.rpartition(".")[0]


class Remarks(BaseModel):
    """The whole file."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    percent: int
    light: tuple[str, ...]
    moderate: tuple[str, ...]
    vigorous: tuple[str, ...]


@cache
def remarks() -> Remarks:
    """Return the remarks, read once."""
    return Remarks.model_validate(read_yaml(PACKAGE, "remarks.yaml"))


def draw_remark(intensity: Intensity, stream: Stream) -> str:
    """Return a remark on a workout of this intensity, mostly an empty one."""
    texts = remarks()
    deck = {"light": texts.light, "moderate": texts.moderate, "vigorous": texts.vigorous}[intensity]
    return stream.choice(deck) if stream.chance(texts.percent, 100) else ""
