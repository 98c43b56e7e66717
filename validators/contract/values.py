"""Equality of JSON values and what a field rule admits.

Values are equal when their canonical JSON is: 25 equals 25.0, a tuple equals a list, and true does not equal 1.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias, TypeGuard, cast

from language.matching import agree, find
from schemas.base import Json, canonical
from schemas.contract import AnyValue, Equal, Left, OneOf, Range, Ref, Text

if TYPE_CHECKING:
    from language.spans import Kind
    from schemas.contract import Rule

Check: TypeAlias = Callable[[Json], bool]
"""Whether a field's value is admitted."""

_WORDED = ("term", "name", "text")


class InvalidContract(ValueError):
    """A contract that judges nothing, or that no end-state can meet: it is refused, never passed."""


def same(one: Json, other: Json) -> bool:
    """Return whether two values have the same canonical JSON."""
    if one is other:
        return True
    if isinstance(one, bool) or isinstance(other, bool):
        return False
    if isinstance(one, (list, tuple, dict)):
        return isinstance(other, (list, tuple, dict)) and canonical(one) == canonical(other)
    return one == other


def same_names(one: Json, other: Json) -> bool:
    """Return whether two lists hold the same set of names."""
    return _is_names(one) and _is_names(other) and set(cast("list[str]", one)) == set(cast("list[str]", other))


def _is_names(value: Json) -> bool:
    return isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value)


def check_of(rule: Rule) -> Check:
    """Return what `rule` admits; a `Ref` admits any id here, since which one depends on the other records.

    Raises:
        InvalidContract: the rule admits no value, or its bounds are of different types.
    """
    match rule:
        case Equal():
            expected = rule.value
            return lambda value: same(value, expected)
        case OneOf():
            values = rule.values
            if not values:
                raise InvalidContract("a one_of rule without values admits nothing")
            return lambda value: any(same(value, item) for item in values)
        case Range():
            return _within(rule.low, rule.high)
        case Left():
            raise InvalidContract("what is left is to be settled before a contract is judged")
        case Text():
            return _states(cast("dict[Kind, list[Json]]", rule.slots))
        case Ref():
            return lambda value: isinstance(value, str)
        case AnyValue():
            return lambda value: True


def is_number(value: object) -> TypeGuard[int | float]:
    """Return whether a JSON value is a number; a truth value is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def _within(low: Json, high: Json) -> Check:
    if isinstance(low, str) and isinstance(high, str) and low <= high:
        return lambda value: isinstance(value, str) and low <= value <= high
    if is_number(low) and is_number(high) and low <= high:
        return lambda value: is_number(value) and low <= value <= high
    raise InvalidContract(f"a range from {low!r} to {high!r} admits nothing")


def _states(slots: dict[Kind, list[Json]]) -> Check:
    if not any(slots.values()):
        raise InvalidContract("a text rule without values admits any text; use the rule `any`")
    return lambda value: isinstance(value, str) and all(_text_states(value, *item) for item in slots.items())


def _text_states(text: str, kind: Kind, values: list[Json]) -> bool:
    """Return whether `text` states each of `values` and no other value of `kind`."""
    vocabulary = tuple(str(value) for value in values) if kind in _WORDED else ()
    found = [mention.value for mention in find(kind, text, vocabulary)]
    return all(any(agree(kind, item, value) for item in found) for value in values) and all(
        any(agree(kind, item, value) for value in values) for item in found
    )


def is_reason(name: str) -> bool:
    """Return whether an answer of this name says why a request, or a part of one (`2.reason`), cannot be met."""
    return name.rpartition(".")[2] == "reason"
