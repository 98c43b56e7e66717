"""One episode of sleep: cycles of light, deep and rem, deep first and rem last, awake now and then."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from generators.environments.wearables.physiology.body import body, stages_at

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generators.environments.wearables.physiology.person import Person
    from services.runtime.streams import Stream

Staged = Literal["light", "deep", "rem", "wake"]
_DEEP = (12, 9, 5, 3, 2, 1, 1)
_REM = (2, 4, 6, 8, 9, 9, 9)
"""How deep and rem sleep divide over the cycles of a night: deep in the first third, rem in the last."""
_NAP_REM = 75
"""Minutes below which sleep has no rem."""
_MOST_DEEP, _LEAST_DEEP = 280, 40
"""Thousandths of sleep."""


@dataclass(frozen=True, slots=True)
class Sleep:
    """An episode, from falling asleep to waking up; it begins and ends asleep."""

    start: int
    end: int
    stages: tuple[tuple[Staged, int], ...]
    """Stages in order with their minutes."""
    main: bool
    rate: int
    """Beats a minute more than in other nights."""


def draw_sleep(
    person: Person,
    start: int,
    end: int,
    stream: Stream,
    *,
    deep: int = 0,
    woken: int = 0,
    rate: int = 0,
    main: bool = True,
) -> Sleep:
    """Return the sleep from `start` to `end` with `deep` thousandths more deep sleep than usual at the age."""
    usual, length = stages_at(person.age), end - start
    cycles = max(1, (length + body().cycle // 2) // body().cycle)
    awake = min(length // 5, usual.wake * length // 450 + 4 * woken + stream.between(-5, 8)) if main else 0
    breaks = _breaks(max(0, awake), 1 + woken + usual.wake // 16, stream)
    asleep = length - sum(breaks)
    rem_share = 0 if length < _NAP_REM else usual.rem + stream.between(-25, 25)
    deep_share = min(_MOST_DEEP, max(_LEAST_DEEP, usual.deep + deep + stream.between(-22, 22)))
    deeps = _divide(asleep * deep_share // 1000, _DEEP[:cycles] + (1,) * (cycles - len(_DEEP)), stream)
    rems = _divide(asleep * rem_share // 1000, _REM[:cycles] + (9,) * (cycles - len(_REM)), stream)
    light = asleep - sum(deeps) - sum(rems)
    rooms = [max(8, asleep // cycles - d - r) for d, r in zip(deeps, rems, strict=True)]
    lights = _divide(light, rooms, stream)
    paused: list[list[int]] = [[] for _ in range(cycles)]
    for pause in breaks:
        stream.choice(paused).append(pause)
    stages: list[tuple[Staged, int]] = []
    for light_part, d, r, pauses in zip(lights, deeps, rems, paused, strict=True):
        before = light_part * stream.between(30, 55) // 100
        # Awake before the second light part, which is never empty: so the episode ends asleep.
        stages.extend(
            [("light", before), ("deep", d), ("wake", sum(pauses)), ("light", light_part - before), ("rem", r)]
        )
    return Sleep(start, end, tuple(_joined(stages)), main, rate)


def _breaks(minutes: int, count: int, stream: Stream) -> list[int]:
    """Return `minutes` divided into at most `count` times awake."""
    parts = _divide(minutes, [stream.between(1, 6) for _ in range(count)], stream)
    return [part for part in parts if part]


def _divide(total: int, weights: Sequence[int], stream: Stream) -> list[int]:
    """Return `total` divided about as the weights say; the parts sum to it."""
    shaken = [weight * stream.between(80, 120) for weight in weights]
    whole, done, seen = sum(shaken), 0, 0
    parts: list[int] = []
    for weight in shaken:
        seen += weight
        upto = total * seen // whole
        parts.append(upto - done)
        done = upto
    return parts


def _joined(stages: Sequence[tuple[Staged, int]]) -> list[tuple[Staged, int]]:
    """Return the stages without empty ones, neighbours of one stage made one."""
    found: list[tuple[Staged, int]] = []
    for stage, minutes in stages:
        if not minutes:
            continue
        if found and found[-1][0] == stage:
            found[-1] = stage, found[-1][1] + minutes
        else:
            found.append((stage, minutes))
    return found
