"""Results kept by identity, for objects that nobody changes and that cannot be hashed."""

from __future__ import annotations

from functools import wraps
from typing import TYPE_CHECKING, ParamSpec, TypeVar

from pydantic import BaseModel

if TYPE_CHECKING:
    from collections.abc import Callable

A = TypeVar("A")
R = TypeVar("R")
P = ParamSpec("P")
M = TypeVar("M", bound=BaseModel)


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


def shared(make: Callable[P, M], kept: int = 4096) -> Callable[P, M]:
    """Return `make` so that equal arguments give one object: models count as equal when they are the same object.

    For functions that write parts of goals, out of texts, numbers and other such parts: a goal that is written again is
    then put together from what is there.
    """
    known: dict[tuple[object, ...], tuple[object, M]] = {}

    @wraps(make)
    def found(*args: P.args, **kwargs: P.kwargs) -> M:
        # true and 1 are equal keys; a model is kept with the result, so that its identity is not given away
        key = tuple([id(a) if isinstance(a, BaseModel) else (type(a), a) for a in (*args, *kwargs, *kwargs.values())])
        try:
            pair = known.get(key)
        except TypeError:
            return make(*args, **kwargs)  # a list cannot be looked up
        if pair is None:
            if len(known) >= kept:
                known.clear()
            pair = known[key] = ((args, kwargs), make(*args, **kwargs))
        return pair[1]

    return found
