"""What a service brings to fill its tables for one user: a seeder, found through an entry-point group.

Seeders run one after the other and see what the earlier ones made. What follows from all of them together (a ledger
from every service's transactions) is made by `close`, which runs after every `seed`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from graphlib import CycleError, TopologicalSorter
from hashlib import blake2b
from importlib.metadata import entry_points
from typing import TYPE_CHECKING, TypeAlias, cast

from services.runtime.catalogue import installed_catalogue
from services.runtime.records import Record
from services.runtime.streams import Stream

if TYPE_CHECKING:
    from generators.environments.folders import FolderInput
    from schemas.profile import Profile

GROUP = "pausegen.environments"


@dataclass(frozen=True, slots=True)
class SeedContext:
    """What a seeder may use: nothing of other users, and no source of chance but the stream."""

    profile: Profile
    world: Mapping[str, Mapping[str, Record]]
    """World tables by record id."""
    stream: Stream
    """The seeder's own."""
    now: str
    """Frozen time of the environment; no observation is later."""
    since: str
    """First day of the user's records; no observation is earlier."""
    tables: Mapping[str, Sequence[Record]]
    """State tables made so far."""
    new_id: Callable[[str], str]
    """Returns an unused id for a record of the table."""
    given: object | None = None
    """What the seeder's folder of the user's own gives this user; None where all is drawn."""
    blobs: dict[str, bytes] = field(default_factory=dict[str, bytes])
    """Values of the blobs made so far, little-endian; a seeder adds its own under names that its records describe."""


Seed: TypeAlias = Callable[[SeedContext], Mapping[str, Sequence[Record]]]
Shared: TypeAlias = "Callable[[Stream], Mapping[str, Sequence[Record]]]"
"""Returns records of world tables, from a stream of its own."""


@dataclass(frozen=True, slots=True)
class Seeder:
    """How one service's part of an environment is made. Both functions return the records they add, per table."""

    name: str
    seed: Seed
    after: tuple[str, ...] = ()
    """Seeders whose records this one reads."""
    close: Seed | None = None
    shared: Shared | None = None
    """Makes what the service's users share: its tables of the world."""
    folder: FolderInput | None = None
    """How a folder of the user's own is taken, where the seeder can work from one."""


class Ids:
    """Ids of one seeder's records: made like those that tools make, from a name of their own."""

    def __init__(self, seed: str, seeder: str, prefixes: Mapping[str, str], used: set[str]) -> None:
        """Make ids with each table's prefix; `used` holds all ids of the environment so far and grows."""
        self._seed = seed
        self._seeder = seeder
        self._prefixes = prefixes
        self._used = used
        self._made: dict[str, int] = {}

    def new(self, table: str) -> str:
        """Return the next unused id of `table`: `<prefix>_<10 hex>`, whose order says nothing."""
        while True:
            ordinal = self._made.get(table, 0)
            self._made[table] = ordinal + 1
            name = f"{self._seed}/{table}/seed/{self._seeder}/{ordinal}"
            token = f"{self._prefixes[table]}_{blake2b(name.encode(), digest_size=5).hexdigest()}"
            if token not in self._used:
                self._used.add(token)
                return token


def in_order(seeders: Iterable[Seeder]) -> tuple[Seeder, ...]:
    """Return the seeders in an order in which each follows those it names, by name where that leaves a choice.

    Raise ValueError when a name occurs twice, a seeder follows an unknown one, or they follow each other in a circle.
    """
    found: dict[str, Seeder] = {}
    for seeder in seeders:
        if seeder.name in found:
            msg = f"two seeders are called {seeder.name!r}"
            raise ValueError(msg)
        found[seeder.name] = seeder
    unknown = sorted({earlier for seeder in found.values() for earlier in seeder.after} - set(found))
    if unknown:
        msg = f"a seeder follows {unknown[0]!r}, which is not installed"
        raise ValueError(msg)
    ordered: list[Seeder] = []
    waiting: list[str] = []
    sorter: TopologicalSorter[str] = TopologicalSorter({name: seeder.after for name, seeder in found.items()})
    try:
        sorter.prepare()
    except CycleError as error:
        msg = f"seeders follow each other in a circle: {', '.join(sorted(found))}"
        raise ValueError(msg) from error
    while sorter.is_active():
        waiting = sorted([*waiting, *sorter.get_ready()])
        first = waiting.pop(0)
        sorter.done(first)
        ordered.append(found[first])
    return tuple(ordered)


def observed_times(tables: Mapping[str, Sequence[Record]]) -> set[str]:
    """Return every time at which something was observed so far, by what services declare of their tables."""
    declared = installed_catalogue().tables
    return {
        value
        for name, records in tables.items()
        for field in declared[name].observed
        for record in records
        if (value := getattr(record, field)) is not None
    }


def stream_of(seed: int, profile: Profile) -> Stream:
    """Return the stream of a user's environment; each phase of a seeder draws from a child of its own."""
    return Stream(seed, "user", profile.index, "environment")


def folder_inputs() -> dict[str, FolderInput]:
    """Return how folders of the user's own are taken, by the seeder that works from them."""
    return {seeder.name: seeder.folder for seeder in installed_seeders() if seeder.folder is not None}


@cache
def installed_seeders() -> tuple[Seeder, ...]:
    """Return the seeders of all installed services, in order, loaded once."""
    return in_order(cast("Seeder", entry.load()) for entry in entry_points(group=GROUP))
