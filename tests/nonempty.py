"""A test that asserts in a loop only says something when the loop runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeVar

T = TypeVar("T")


def nonempty(items: Iterable[T]) -> list[T]:
    """The items, of which there must be some."""
    found = list(items)
    assert found, "there is nothing to look at, so that nothing was tested"
    return found
