"""The content of goals as bytes and plain data, much faster than a dump of the models."""

from __future__ import annotations

from functools import lru_cache
from itertools import count
from typing import TYPE_CHECKING, cast

import orjson

from schemas.base import content
from services.runtime.identity import by_identity

if TYPE_CHECKING:
    from schemas.base import Model


_KEPT = 4096
_numbers = count()
_names: dict[bytes, bytes] = {}


@by_identity
def name_of(part: Model) -> bytes:
    """Return a short name for the content of a model: within this process, equal names mean equal content and type."""
    written_out = type(part).__name__.encode() + b"\0" + content(part)
    name = _names.get(written_out)
    if name is None:
        if len(_names) >= _KEPT:
            # Numbers go on, so that what is kept under an old name is never taken for something else.
            _names.clear()
        name = _names[written_out] = b"%d" % next(_numbers)
    return name


def plain(part: Model) -> object:
    """Return the content of a model as plain data."""
    return cast("object", orjson.loads(content(part)))


@lru_cache(maxsize=4096)
def written(text: str) -> bytes:
    """Return a text as JSON: where the content of a goal names it, these bytes stand in it."""
    return orjson.dumps(text)
