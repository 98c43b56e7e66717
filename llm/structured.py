"""Replies that must fit a JSON Schema: checked here, whatever a provider promises, and asked for again a few times."""

from __future__ import annotations

from typing import TYPE_CHECKING

import jsonschema_rs
import orjson

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.base import Json

REPAIRS = 2
"""Calls that may follow a reply that does not fit."""
_LONGEST = 500


class Misfit(Exception):
    """A text is no JSON (`json`) or does not fit the schema (`schema`)."""

    def __init__(self, kind: str, reason: str) -> None:
        super().__init__(kind, reason)
        self.kind = kind
        self.reason = reason[:_LONGEST]


class Form:
    """A JSON Schema that replies must fit. Raise ValueError when it is none."""

    def __init__(self, schema: Mapping[str, Json]) -> None:
        self._validator = jsonschema_rs.validator_for(dict(schema))

    def read(self, text: str) -> Json:
        """Return the value of a reply. Raise Misfit when it does not fit."""
        try:
            value: Json = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise Misfit("json", f"it is no JSON: {error}") from error
        for error in self._validator.iter_errors(value):
            path = "".join(f"[{part!r}]" for part in error.instance_path)
            raise Misfit("schema", f"at {path or 'the top'}: {error.message}")
        return value


def repair(text: str, misfit: Misfit) -> list[dict[str, Json]]:
    """Return the messages that ask for a reply again."""
    request = f"This does not fit: {misfit.reason}\nReply again with JSON that fits the schema, and nothing else."
    return [{"role": "assistant", "content": text}, {"role": "user", "content": request}]
