"""Form of a profile, by its JSON Schema and an engine that is not the one that made the model."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, cast

from jsonschema import Draft202012Validator

from schemas.profile import Profile

if TYPE_CHECKING:
    from jsonschema import ValidationError


class _Validator(Protocol):
    """The one method in use of a `jsonschema` validator, whose own annotation is incomplete."""

    def iter_errors(self, instance: object) -> Iterable[ValidationError]: ...


@lru_cache(maxsize=1)
def _validator() -> _Validator:
    return cast("_Validator", Draft202012Validator(Profile.model_json_schema()))


def schema_faults(record: Mapping[str, object]) -> Iterator[str]:
    """Yield what breaks the JSON Schema of profiles."""
    for error in _validator().iter_errors(record):
        yield f"{error.json_path}: {error.message}"
