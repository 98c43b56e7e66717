"""Runs every check on a world and turns what it finds into verdicts; whatever goes wrong is a failed verdict."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from schemas.certificate import Verdict
from schemas.world import World
from validators.worlds.declared import reference_faults, rule_faults
from validators.worlds.form import content_id_faults, keys_faults, schema_faults
from validators.worlds.rules import energy_faults, health_tag_faults, label_faults, name_faults, price_faults
from validators.worlds.tables import products

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from validators.worlds.tables import Record

WORLD_CHECKS: tuple[tuple[str, Callable[[Record], Iterator[str]]], ...] = (
    ("world.schema", schema_faults),
    ("world.content_id", content_id_faults),
    ("world.keys", keys_faults),
    ("world.references", reference_faults),
    ("world.rules", rule_faults),
    ("world.health_tags", health_tag_faults),
    ("world.energy", energy_faults),
    ("world.labels", label_faults),
    ("world.names", name_faults),
    ("world.prices", price_faults),
)
"""Name of each check and the function that yields the faults it finds, in plain words."""

_SHOWN = 3
_MOST = 1000


def check_world(world: World | Record) -> list[Verdict]:
    """Return one verdict per check. `world` may be plain data of any form; a malformed one fails."""
    record: Record = world.model_dump(mode="json") if isinstance(world, World) else world
    return [_judge(name, find, record) for name, find in WORLD_CHECKS]


def _judge(name: str, find: Callable[[Record], Iterator[str]], record: Record) -> Verdict:
    """Return the verdict of one check; an exception is a failed verdict that tells its type and text."""
    try:
        faults = list(islice(find(record), _MOST))
        counts = {"products": len(products(record)), "faults": len(faults)}
    except Exception as error:
        return Verdict(check=name, passed=False, reason=f"{type(error).__name__}: {error}")
    more = f" and {len(faults) - _SHOWN} more" if len(faults) > _SHOWN else ""
    return Verdict(check=name, passed=not faults, reason="; ".join(faults[:_SHOWN]) + more, counts=counts)
