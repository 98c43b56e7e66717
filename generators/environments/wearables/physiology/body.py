"""The numbers of the model that hold for everybody, as typed data."""

from __future__ import annotations

from functools import cache
from typing import Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict

from generators.data_files import read_yaml

PACKAGE = __name__.rpartition(".")[0]
Range = tuple[int, int]
Weighted = tuple[tuple[int, int], ...]
"""Values with their weights."""


class _Numbers(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class StagesAt(_Numbers):
    """Sleep from an age on."""

    age: int
    deep: int
    rem: int
    wake: int
    latency: int


class Need(_Numbers):
    """Sleep wanted a night."""

    at_20: int
    loss_a_decade: int
    spread: int


class StageRate(_Numbers):
    """Heart rate above resting in each stage."""

    light: int
    deep: int
    rem: int
    wake: int


class Late(_Numbers):
    """What late exercise does to the night."""

    minutes: int
    latency: int
    deep_permille: int
    rate: int
    winding_down: int


class HardDay(_Numbers):
    """What a hard day does to the night."""

    a_minute: int
    most: int


class Illness(_Numbers):
    """An episode of illness."""

    percent: int
    days: Range
    rate: Range
    movement: Range
    sleep: Range


class Travel(_Numbers):
    """A journey."""

    percent: int
    days: Range
    shift: Range
    back: int
    movement: Range


class WearOdds(_Numbers):
    """How devices are worn."""

    nights_kept: Weighted
    gap_percent: Range
    gap_minutes: Range
    partial_percent: Weighted
    late_on: Range
    early_off: Range
    absences: Weighted
    absence_days: Range
    swap_percent: int
    gain: Range


def _fills_a_byte(bouts: tuple[tuple[int, int, int], ...]) -> tuple[tuple[int, int, int], ...]:
    if sum(weight for _, _, weight in bouts) != 256:
        msg = "the weights of bouts must sum to 256"
        raise ValueError(msg)
    return bouts


class Hurry(_Numbers):
    """A short effort of the day."""

    minutes: Range
    mets: Range
    steps: Range
    most_percent: int


class Body(_Numbers):
    """The whole file."""

    stages: tuple[StagesAt, ...]
    cycle: int
    need: Need
    stage_rate: StageRate
    cadence: Weighted
    bouts: Annotated[tuple[tuple[int, int, int], ...], AfterValidator(_fills_a_byte)]
    hurry: Hurry
    late: Late
    hard_day: HardDay
    illness: Illness
    travel: Travel
    wear: WearOdds


@cache
def body() -> Body:
    """Return the numbers, read once."""
    return Body.model_validate(read_yaml(PACKAGE, "body.yaml"))


def stages_at(age: int) -> StagesAt:
    """Return the sleep of an age, which is 18 or more."""
    return [row for row in body().stages if row.age <= age][-1]
