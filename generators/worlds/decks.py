"""Even choice: deals options like cards, so that shares hold in every small group and not only on average."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Sequence

    from services.runtime.streams import Stream

T = TypeVar("T")


def deal(stream: Stream, options: Sequence[tuple[T, int]], count: int) -> list[T]:
    """Return `count` picks; every run of as many picks as the shares sum to holds each option exactly its share."""
    deck = [option for option, share in options for _ in range(share)]
    picks: list[T] = []
    while len(picks) < count:
        picks += stream.shuffled(deck)
    return picks[:count]
