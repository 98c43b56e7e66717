"""Parts that many records have in common, such as goals and the expressions of a plan: parsed once, then shared.

Thousands of tasks are made of a few dozen different goals. Equal data gives the same object, so that what is worked out
about it (its SQL, its compiled form) can be kept by identity.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec
from pydantic_core import core_schema

if TYPE_CHECKING:
    from pydantic.annotated_handlers import GetCoreSchemaHandler

_KEPT = 4096
"""Different parts kept per field."""
_encoder = msgspec.msgpack.Encoder()


class Shared:
    """Marks a field of a record, in an `Annotated`, whose value is shared between records with equal data there."""

    @classmethod
    def __get_pydantic_core_schema__(cls, source: object, handler: GetCoreSchemaHandler) -> core_schema.CoreSchema:
        known: dict[bytes, object] = {}

        def share(value: object, validate: core_schema.ValidatorFunctionWrapHandler) -> object:
            if type(value) is not dict and type(value) is not list:
                return validate(value)
            try:
                # tells 1, 1.0, true and null apart, and every other difference that data can have
                key = _encoder.encode(value)
            except (TypeError, ValueError, OverflowError, RecursionError):
                return validate(value)  # it holds models already
            found = known.get(key)
            if found is None:
                found = validate(value)
                if len(known) >= _KEPT:
                    known.clear()
                known[key] = found
            return found

        return core_schema.no_info_wrap_validator_function(share, handler(source))
