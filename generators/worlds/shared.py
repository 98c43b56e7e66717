"""The tables of a world beside its catalogue: what the seeders of services bring for all users."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.environments.seeder import installed_seeders
from services.runtime.records import to_data
from services.runtime.streams import Stream

if TYPE_CHECKING:
    from schemas.base import Json


def shared_tables(seed: int) -> dict[str, list[dict[str, Json]]]:
    """Return the rows that seeders bring, by table. Raise ValueError when two fill one table."""
    tables: dict[str, list[dict[str, Json]]] = {}
    for seeder in installed_seeders():
        if seeder.shared is None:
            continue
        for name, records in seeder.shared(Stream(seed, "world", seeder.name)).items():
            if name in tables:
                msg = f"seeder {seeder.name!r} fills the table {name!r} of the world, which another one fills"
                raise ValueError(msg)
            tables[name] = [to_data(record) for record in records]
    return tables
