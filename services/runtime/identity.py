"""Results kept by identity, for objects that nobody changes and that cannot be hashed."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

A = TypeVar("A")
R = TypeVar("R")


def by_identity(compute: Callable[[A], R], kept: int = 4096) -> Callable[[A], R]:
    """Return `compute` so that its result for an object is kept, and found by the object's identity.

    Records share their repeated parts, and walking through one costs more than a look. At most `kept` are held.
    """
    known: dict[int, tuple[A, R]] = {}

    @wraps(compute)
    def found(part: A) -> R:
        # Each result stands with its object, so that the identity is not given to another one.
        pair = known.get(id(part))
        if pair is None:
            if len(known) >= kept:
                known.clear()
            pair = known[id(part)] = (part, compute(part))
        return pair[1]

    return found
