"""The wearable platforms that a user can connect, and the kinds of device that record for each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from services.runtime.families import Family

if TYPE_CHECKING:
    from collections.abc import Mapping

    from services.account.records import DeviceType

SourceName: TypeAlias = Literal[
    "apple_health",
    "fitbit",
    "garmin_connect",
    "google_fit",
    "huawei_health",
    "oura",
    "polar_flow",
    "samsung_tracking",
    "withings",
    "xiaomi_mi_fitness",
]
SOURCES: tuple[SourceName, ...] = get_args(SourceName)
DEVICES: Mapping[SourceName, tuple[DeviceType, ...]] = {
    "apple_health": ("watch",),
    "fitbit": ("band", "watch"),
    "garmin_connect": ("watch",),
    "google_fit": ("watch",),
    "huawei_health": ("band", "watch"),
    "oura": ("ring",),
    "polar_flow": ("watch",),
    "samsung_tracking": ("ring", "watch"),
    "withings": ("watch",),
    "xiaomi_mi_fitness": ("band", "watch"),
}
"""The first kind is that of the device which a newly added platform comes with."""
FAMILY = Family("source", "source_name", SOURCES)
"""The tools of a source are offered for each source apart."""
