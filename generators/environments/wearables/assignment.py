"""Which source and device recorded which day: stretches of the window, one source each, as in a life with wearables."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

from generators.environments import odds
from services.account.records import Device
from services.sources.platforms import DEVICES
from services.wearables.records import SourceDay

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from services.account.records import DeviceType, Source
    from services.runtime.streams import Stream
    from services.sources.platforms import SourceName

Worn = tuple[str, int | None]
"""A date and the ordinal of the device worn on it; None where no device was."""


def assign(
    worn: Sequence[Worn],
    sources: Sequence[Source],
    devices: Sequence[Device],
    stream: Stream,
    new_device_id: Callable[[], str],
) -> tuple[list[SourceDay], list[Device]]:
    """Return the source and device of each day, and devices that the user must have had beside `devices`.

    A day is recorded exactly when a device was worn. Another ordinal is another device.
    """
    swap = next((n for n in range(1, len(worn)) if _swapped(worn, n)), None)
    names = _names_by_stretch(len(worn), swap, [source.id for source in sources], stream)
    owned = {source.id: [device for device in devices if device.source == source.id] for source in sources}
    chosen: dict[tuple[str, int], Device] = {}
    added: list[Device] = []
    days: list[SourceDay] = []
    for name, (date, ordinal) in zip(names, worn, strict=True):
        if ordinal is None:
            days.append(SourceDay(id=date, source=None, device=None))
            continue
        if (name, ordinal) not in chosen:
            if not owned[name]:
                added.append(Device(id=new_device_id(), source=name, type=_kind_beside(name, chosen)))
                owned[name].append(added[-1])
            chosen[name, ordinal] = owned[name].pop(0)
        days.append(SourceDay(id=date, source=name, device=chosen[name, ordinal].id))
    return days, added


def _swapped(worn: Sequence[Worn], day: int) -> bool:
    """Return whether another device is worn from this day on than on the last day before with any."""
    before = [ordinal for _, ordinal in worn[:day] if ordinal is not None]
    return bool(before) and worn[day][1] is not None and worn[day][1] != before[-1]


def _kind_beside(name: str, chosen: Mapping[tuple[str, int], Device]) -> DeviceType:
    """Return the kind of a device that came after one of the same source: another kind where there is one."""
    used = {device.type for (source, _), device in chosen.items() if source == name}
    kinds = DEVICES[_known(name)]
    unused: list[DeviceType] = [kind for kind in kinds if kind not in used]
    return unused[0] if unused else kinds[0]


def _known(name: str) -> SourceName:
    return next(known for known in DEVICES if known == name)


def _names_by_stretch(days: int, swap: int | None, listed: Sequence[str], stream: Stream) -> list[str]:
    """Return the source of each day: one, two or three of those listed, in stretches of at least some days."""
    count = min(len(listed), stream.weighted(odds.SOURCES_USED), days // odds.STRETCH_LEAST)
    names = stream.sample(listed, max(1, count))
    order = [*names]
    if len(names) == 2 and stream.chance(odds.STRETCH_BETWEEN, 100):
        order = [names[0], names[1], names[0]]
    cuts = _cuts(days, len(order) - 1, swap, stream)
    stretches = zip(order, [0, *cuts], [*cuts, days], strict=True)
    return [name for name, start, end in stretches for _ in range(start, end)]


def _cuts(days: int, count: int, swap: int | None, stream: Stream) -> list[int]:
    """Return the first day of each stretch but the first; where devices are swapped, one begins if there is room."""
    least = odds.STRETCH_LEAST
    spare = days - (count + 1) * least
    if not count or spare < 0:
        return []
    points = sorted(stream.below(spare + 1) for _ in range(count))
    cuts = [point + least * (number + 1) for number, point in enumerate(points)]
    if swap is None:
        return cuts
    moved = [sorted({*cuts[:n], swap, *cuts[n + 1 :]}) for n in range(count)]
    fitting = [one for one in moved if len(one) == count and _apart([0, *one, days], least)]
    return fitting[0] if fitting else cuts


def _apart(points: Sequence[int], least: int) -> bool:
    return all(second - first >= least for first, second in pairwise(points))
