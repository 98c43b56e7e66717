"""Form of a profile, by its JSON Schema and an engine that is not the one that made the model."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cache

from schemas.profile import Profile
from validators.json_form import Form


@cache
def _form() -> Form:
    return Form(Profile.model_json_schema())


def schema_faults(record: Mapping[str, object]) -> Iterator[str]:
    """Yield what breaks the JSON Schema of profiles."""
    yield from _form().faults(record)
