"""Seeds insights: nothing, since plots are made in conversations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.environments.seeder import Seeder

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.environments.seeder import SeedContext
    from services.runtime.records import Record


def _seed(c: SeedContext) -> Mapping[str, Sequence[Record]]:
    """Return no records: nobody has plotted anything yet."""
    del c
    return {}


SEEDER = Seeder("insights", _seed)
