"""JSON Schemas, read by two engines: one says fast that a record fits, the other decides and tells what does not."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, cast

import jsonschema_rs

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from jsonschema import ValidationError


class _Validator(Protocol):
    """The one method in use of a `jsonschema` validator, whose own annotation is incomplete."""

    def iter_errors(self, instance: object) -> Iterable[ValidationError]: ...


class Form:
    """The form that a JSON Schema asks of JSON data."""

    def __init__(self, schema: dict[str, Any]) -> None:
        """Read a schema. Raise ValueError when it is none."""
        self._schema = schema
        self._fast = jsonschema_rs.Draft202012Validator(schema)

    def faults(self, record: object) -> Iterator[str]:
        """Yield what does not fit, with the path to it."""
        if not self._fits(record):
            for error in _in_words(self._schema).iter_errors(record):
                yield f"{error.json_path}: {error.message}"

    def _fits(self, record: object) -> bool:
        try:
            return self._fast.is_valid(record)
        except ValueError:  # it holds what no JSON has
            return False


def _in_words(schema: dict[str, Any]) -> _Validator:
    # Nearly all records fit, and loading this engine takes as long as some of the checks on a user.
    from jsonschema import Draft202012Validator

    return cast("_Validator", Draft202012Validator(schema))
