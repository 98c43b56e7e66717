"""When no device is worn: days without one, nights off, charging, days put on late or taken off early."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from generators.environments.wearables.physiology.body import body
from generators.environments.wearables.physiology.signals import MINUTES

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import numpy.typing as npt

    from generators.environments.wearables.physiology.habits import Wear
    from generators.environments.wearables.physiology.plan import Plan
    from services.runtime.streams import Stream


def worn_minutes(
    wear: Wear, devices: Sequence[int | None], plan: Plan, length: int, stream: Stream
) -> npt.NDArray[np.bool_]:
    """Return for each of the first `length` minutes whether a device is worn; `devices` are of the days lived."""
    worn = np.ones(length, np.bool_)
    for start, end in _off(wear, devices, plan, stream):
        worn[max(0, start) : max(0, end)] = False
    return worn


def _off(wear: Wear, devices: Sequence[int | None], plan: Plan, stream: Stream) -> Iterator[tuple[int, int]]:
    odds = body().wear
    ups = {sleep.end // MINUTES: sleep.end for sleep in plan.sleeps if sleep.main}
    for day, device in enumerate(devices):
        at, own = day * MINUTES, stream.child(day)
        if device is None:
            yield at, at + MINUTES
        if own.chance(wear.gaps, 100):
            start = at + own.between(7 * 60, 22 * 60)
            gap = start, start + own.between(*odds.gap_minutes)
            if not _taken(gap, plan):
                yield gap
        if own.chance(wear.partial, 100):
            if own.chance(1, 2):
                yield ups.get(day, at), at + own.between(*odds.late_on)
            else:
                yield at + own.between(*odds.early_off), ups.get(day + 1, at + MINUTES)
    for number, (sleep, (bed, up)) in enumerate(zip(plan.sleeps, plan.in_bed, strict=True)):
        if sleep.main and not stream.child("night", number).chance(wear.nights, 100):
            yield bed - 5, up + 10


def _taken(gap: tuple[int, int], plan: Plan) -> bool:
    """Return whether a gap would cut a workout or a sleep: nobody charges then."""
    spans = [*((bout.start, bout.end) for bout in plan.bouts), *plan.in_bed]
    return any(gap[0] < end and start < gap[1] for start, end in spans)
