"""Builds one user's environment from the root seed, the profile and the world. It names no service."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from generators.environments.moments import DAY, day_of, iso_day, iso_time
from generators.environments.odds import FIRST_DAY, HISTORY_DAYS, HOURS, LAST_DAY, MINUTE_STEP
from generators.environments.seeder import Ids, SeedContext, folder_inputs, installed_seeders, stream_of
from schemas.environment import EnvironmentRecord
from services.runtime.blobs import pack
from services.runtime.catalogue import installed_catalogue
from services.runtime.door import load_world
from services.runtime.records import MODULUS, encode, line_data, line_hash

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.environments.folders import Rows
    from generators.environments.seeder import Seed, Seeder
    from schemas.base import Json
    from schemas.profile import Profile
    from schemas.world import World
    from services.runtime.catalogue import Catalogue
    from services.runtime.records import Record
    from services.runtime.streams import Stream
    from services.runtime.tables import Tables

_WORLDS_KEPT = 4
_worlds: dict[str, Tables] = {}


def build_environment(
    seed: int, profile: Profile, world: World, given: Mapping[str, object] | None = None
) -> EnvironmentRecord:
    """Return the environment of `profile`: it depends on the root seed, the profile, the world and what is `given`.

    `given` holds what folders of the user's own give this user, by seeder; what is not given is drawn.
    Raise ValueError when a seeder fills a table that no service declares, or the world is too small for a store.
    """
    catalogue = installed_catalogue()
    stream = stream_of(seed, profile)
    token = f"{stream.child('seed').word():016x}"
    now, since = _draw_clock(stream.child("clock"))
    records = _world_records(world, catalogue)
    tables: dict[str, list[Record]] = {name: [] for name in catalogue.tables}
    prefixes, used = {name: table.prefix for name, table in catalogue.tables.items()}, set[str]()
    blobs: dict[str, bytes] = {}

    def run(seeder: Seeder, part: Seed, phase: str) -> None:
        ids = Ids(token, f"{seeder.name}.{phase}", prefixes, used)
        context = SeedContext(
            profile,
            records,
            stream.child(seeder.name, phase),
            now,
            since,
            tables,
            ids.new,
            (given or {}).get(seeder.name),
            blobs,
        )
        _add(tables, part(context), seeder.name)

    for seeder in installed_seeders():
        run(seeder, seeder.seed, "seed")
    for seeder in installed_seeders():
        if seeder.close is not None:
            run(seeder, seeder.close, "close")

    lines = {name: [encode(r) for r in sorted(rows, key=lambda r: r.id)] for name, rows in sorted(tables.items())}
    total = sum([line_hash(name, line) for name, rows in lines.items() for line in rows])
    return EnvironmentRecord.of_parsed(
        {
            "environment_id": f"{profile.user_id}-env",
            "user_id": profile.user_id,
            "now": now,
            "seed": token,
            "world_id": world.world_id,
            "tables": {name: [line_data(line) for line in rows] for name, rows in lines.items()},
            "state_hash": f"{total % MODULUS:032x}",
            "blobs": {name: pack(raw) for name, raw in sorted(blobs.items())},
        }
    )


def given_to(record: Mapping[str, Json]) -> dict[str, object]:
    """Return what a finished environment was given, by seeder, so that it can be built again without any folder.

    `record` is the environment as JSON data. Whatever it lacks or holds wrongly raises.
    """
    tables, blobs = cast("Rows", record["tables"]), cast("Mapping[str, str]", record["blobs"])
    found = ((name, folder.taken(tables, blobs)) for name, folder in folder_inputs().items())
    return {name: taken for name, taken in found if taken is not None}


def _draw_clock(stream: Stream) -> tuple[str, str]:
    """Return the frozen time, and the first day of the user's records."""
    day = stream.between(day_of(FIRST_DAY), day_of(LAST_DAY))
    hour, minute = stream.between(*HOURS), MINUTE_STEP * stream.below(60 // MINUTE_STEP)
    return iso_time(day * DAY + hour * 3600 + minute * 60), iso_day(day - stream.between(*HISTORY_DAYS))


def _world_records(world: World, catalogue: Catalogue) -> Tables:
    """Return the world's tables as typed records, kept for the worlds used last: thousands of users share one."""
    if world.world_id not in _worlds:
        while len(_worlds) >= _WORLDS_KEPT:
            del _worlds[next(iter(_worlds))]
        _worlds[world.world_id] = load_world(world, catalogue)
    return _worlds[world.world_id]


def _add(tables: dict[str, list[Record]], made: Mapping[str, Sequence[Record]], seeder: str) -> None:
    for table, records in made.items():
        if table not in tables:
            msg = f"seeder {seeder!r} fills the table {table!r}, which no installed service declares"
            raise ValueError(msg)
        tables[table].extend(records)
