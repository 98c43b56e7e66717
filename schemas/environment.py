"""One user's environment: all services' records at one frozen moment."""

from __future__ import annotations

from schemas.base import Model, Rows


class EnvironmentRecord(Model):
    """State as data. `open_environment` turns it into something that tools can be called on."""

    environment_id: str
    """`<user_id>-env`."""
    user_id: str
    now: str
    """Frozen local time, `YYYY-MM-DDTHH:MM:SS`."""
    seed: str
    """Seed of the ids that tools create; tells nothing else."""
    world_id: str
    tables: Rows
    """Records per table, each with its `id`, sorted by id; hidden tables too."""
    state_hash: str
    """Incremental hash over all records, 32 hexadecimal digits."""
    blobs: dict[str, str] = {}
    """Arrays of numbers by name, each the base64 text of a zlib stream of its values, little-endian. A record whose id
    is the name tells their encoding, number and digest."""
