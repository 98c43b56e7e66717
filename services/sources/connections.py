"""Connecting sources, which only the user does, and finding out what a source offers."""

from __future__ import annotations

from typing import Annotated

from msgspec import Meta

from schemas.base import Json
from services.account.records import Device, Source
from services.runtime.tools import Context, tool
from services.sources.platforms import DEVICES, FAMILY, SourceName
from services.wearables.asking import CONNECT

_NOT_FOUND = {"SOURCE_NOT_FOUND": "The user has no source of this name."}


def _listed(c: Context, source_name: str, **_: object) -> None:
    """Refuse a source that the user does not have."""
    if c.get(Source, source_name) is None:
        c.refuse("SOURCE_NOT_FOUND", f"The user has no source {source_name!r}; get_system_settings lists them.")


@tool(
    side="assistant",
    gates=("RAW", "CONNECTED"),
    errors=_NOT_FOUND,
    before=_listed,
    unlocks=FAMILY.behind,
    example={"source_name": "fitbit"},
)
def get_source_features(
    c: Context,
    source_name: Annotated[str, Meta(description="Name of one of the user's sources, such as fitbit or google_fit.")],
) -> dict[str, Json]:
    """Find out which tools one of the user's sources offers, and make them available in this conversation.

    `source` and `tools`, their schemas; each name begins with that of the source and a hyphen.
    """
    feature = FAMILY.feature(source_name)
    c.unlock(feature)
    return {"source": source_name, "tools": [*c.tools_behind(feature)]}


@tool(
    side="user",
    asking=CONNECT,
    write=True,
    errors=_NOT_FOUND,
    example={"source_name": "fitbit", "allow": True},
)
def update_source(
    c: Context,
    source_name: Annotated[SourceName, Meta(description="Name of the source to connect, disconnect or add.")],
    allow: Annotated[bool, Meta(description="True connects the source, false disconnects it.")],
) -> dict[str, Json]:
    """Connect or disconnect one of the user's sources, or add a new one with its usual device.

    `source` and whether it is now `connected`. What it recorded is available at once, or no longer.
    """
    if c.get(Source, source_name) is None:
        if not allow:
            c.refuse("SOURCE_NOT_FOUND", f"The user has no source {source_name!r} to disconnect.")
        c.create(Device, source=source_name, type=DEVICES[source_name][0])
    c.put(Source(id=source_name, connected=allow))
    return {"source": source_name, "connected": allow}
