"""Arguments of a tool call as a model wrote them: a JSON object, or an error that says what is wrong with the text."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, NoReturn, cast

import orjson

if TYPE_CHECKING:
    from schemas.base import Json

_EXAMPLE = 'give one JSON object, such as {"name": "value"}, or {} for a tool without arguments'


class InvalidArguments(ValueError):
    """The text is no JSON object; the message says what it is instead and what to give."""


def read_arguments(text: str) -> dict[str, Json]:
    """Return the JSON object that `text` is. Raise InvalidArguments for anything else; nothing is guessed or mended."""
    if not text.strip():
        msg = f"the arguments are empty; {_EXAMPLE}"
        raise InvalidArguments(msg)
    try:
        found: object = _DECODER.decode(text)
        # What the record cannot hold is refused here: half a surrogate pair, an integer of more than 64 bits.
        orjson.dumps(found)
    except InvalidArguments:
        raise
    except RecursionError:
        msg = "the arguments are nested too deeply"
        raise InvalidArguments(msg) from None
    except json.JSONDecodeError as error:
        msg = f"the arguments are no JSON ({error.msg} at character {error.pos}); {_EXAMPLE}"
        raise InvalidArguments(msg) from error
    except (ValueError, TypeError) as error:
        msg = f"the arguments hold a value that JSON cannot carry exactly ({error})"
        raise InvalidArguments(msg) from error
    if not isinstance(found, dict):
        msg = f"the arguments are {_kind(found)}, not an object; {_EXAMPLE}"
        raise InvalidArguments(msg)
    return cast("dict[str, Json]", found)


def _object(pairs: list[tuple[str, object]]) -> dict[str, object]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        msg = f"the arguments give {twice!r} more than once; give each name one value"
        raise InvalidArguments(msg)
    return found


def _constant(name: str) -> NoReturn:
    msg = f"the arguments hold {name}, which is no JSON number"
    raise InvalidArguments(msg)


def _number(text: str) -> float:
    number = float(text)
    if math.isinf(number):
        msg = f"the arguments hold {text}, which is too large for a number"
        raise InvalidArguments(msg)
    return number


def _kind(value: object) -> str:
    kinds = ((list, "a list"), (str, "a text"), (bool, "true or false"), (type(None), "null"))
    return next((name for kind, name in kinds if isinstance(value, kind)), "a number")


_DECODER = json.JSONDecoder(object_pairs_hook=_object, parse_float=_number, parse_constant=_constant)
