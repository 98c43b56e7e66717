"""The content of goals as bytes and plain data, much faster than a dump of the models."""

from __future__ import annotations

import re
from functools import wraps
from itertools import count
from typing import TYPE_CHECKING, TypeVar, cast

import orjson

if TYPE_CHECKING:
    from collections.abc import Callable

    from schemas.base import Model

_TEXT = re.compile(rb'"([^"\\]*(?:\\.[^"\\]*)*)"')


def structure(part: Model) -> bytes:
    """Return the content of a model as JSON; equal bytes mean equal content of models of one type."""
    return orjson.dumps(part, default=_fields)


_KEPT = 4096
_numbers = count()
_names: dict[bytes, bytes] = {}
A = TypeVar("A")
R = TypeVar("R")


def by_identity(compute: Callable[[A], R]) -> Callable[[A], R]:
    """Return `compute` so that its result for an object that nobody changes is kept, and found by identity.

    Records share their repeated parts, which cannot be hashed, and walking through one costs more than a look.
    """
    known: dict[int, tuple[A, R]] = {}

    @wraps(compute)
    def found(part: A) -> R:
        # Each result stands with its object, so that the identity is not given to another one.
        pair = known.get(id(part))
        if pair is None:
            if len(known) >= _KEPT:
                known.clear()
            pair = known[id(part)] = (part, compute(part))
        return pair[1]

    return found


@by_identity
def name_of(part: Model) -> bytes:
    """Return a short name for the content of a model: within this process, equal names mean equal content and type."""
    content = type(part).__name__.encode() + b"\0" + structure(part)
    name = _names.get(content)
    if name is None:
        if len(_names) >= _KEPT:
            # Numbers go on, so that what is kept under an old name is never taken for something else.
            _names.clear()
        name = _names[content] = b"%d" % next(_numbers)
    return name


def plain(part: Model) -> object:
    """Return the content of a model as plain data."""
    return cast("object", orjson.loads(structure(part)))


def texts(part: Model) -> frozenset[bytes]:
    """Return every text inside a model as `written` gives it: more than all columns that it names."""
    return frozenset(_TEXT.findall(structure(part)))


def written(text: str) -> bytes:
    """Return a text as it stands between quotes in JSON."""
    return orjson.dumps(text)[1:-1]


def _fields(part: object) -> object:
    return part.__dict__
