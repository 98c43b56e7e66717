"""The tool `report`, by which an assistant may state its answers as values; it touches nothing in the environment."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from msgspec import Meta, Struct

from schemas.base import Json
from services.runtime.tools import Context, ToolRefusal, parse_arguments, tool

if TYPE_CHECKING:
    from collections.abc import Mapping


class Answer(Struct, frozen=True, forbid_unknown_fields=True):
    """One thing that the user wanted to know, or a reason for which a request is declined."""

    what: Annotated[str, Meta(description="Which value this is, in a few words, such as 'total of the order'.")]
    value: Annotated[
        str | int | float | bool | list[str],
        Meta(description="The value: a number, a date YYYY-MM-DD, a name, a list of names, or a reason."),
    ]


@tool(side="assistant", name="report")
def REPORT(  # the decorator makes it a constant
    c: Context,
    answers: Annotated[list[Answer], Meta(description="Everything that you tell the user.", min_length=1)],
) -> dict[str, Json]:
    """State the values that you tell the user, before your final message. Of two about one thing, the later counts.

    `received`, how many were understood.
    """
    del c
    return {"received": len(answers)}


NAME = REPORT.name


def reported(arguments: Mapping[str, Json]) -> dict[str, Json]:
    """Return what a call of the tool returns: how many answers there are, or the error that names what does not fit."""
    try:
        parse_arguments(REPORT, arguments)
    except ToolRefusal as refusal:
        return {"error": {"code": refusal.code, "message": refusal.message}}
    answers = arguments["answers"]
    return {"received": len(answers) if isinstance(answers, list) else 0}
