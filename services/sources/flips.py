"""Other ways in which sources could stand at the start of a task."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec.structs import replace

from services.runtime.declare import Flip

if TYPE_CHECKING:
    from services.account.records import Source


def _connected(source: Source, _: str) -> Source | None:
    return None if source.connected else replace(source, connected=True)


def _disconnected(source: Source, _: str) -> Source | None:
    return replace(source, connected=False) if source.connected else None


FLIPS = (
    Flip("source_connected", "sources", _connected),
    Flip("source_disconnected", "sources", _disconnected),
)
