"""What checks of environments may use beside the record, made once per world, and the record opened, once per user."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, cast

from schemas.environment import EnvironmentRecord
from services.runtime.catalogue import installed_catalogue
from services.runtime.door import base_of, load_world
from services.runtime.environment import Environment
from validators.environments.form import Forms, forms_of
from validators.environments.invariants import Rules

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from schemas.base import Json
    from schemas.world import World
    from services.runtime.catalogue import Catalogue
    from services.runtime.state import Base
    from services.runtime.tables import Tables


@dataclass(frozen=True, slots=True)
class EnvironmentContext:
    """Build it with `environment_context`."""

    world_id: str
    world: Tables
    catalogue: Catalogue
    forms: Forms
    rules: Rules
    rebuild: Callable[[], EnvironmentRecord] | None
    """Makes the environment again from the seed; passed in, so that checks need no code that makes records."""
    rebuild_required: bool
    """Whether a record fails when `rebuild` is not given."""

    def rebuilding(self, rebuild: Callable[[], EnvironmentRecord]) -> EnvironmentContext:
        """Return this context for one user, whose environment `rebuild` makes again."""
        return replace(self, rebuild=rebuild)


def environment_context(
    world: World,
    catalogue: Catalogue | None = None,
    *,
    rebuild: Callable[[], EnvironmentRecord] | None = None,
    rebuild_required: bool = True,
) -> EnvironmentContext:
    """Return the context for environments over `world`. Raise ValueError when a record of the world does not fit."""
    known = catalogue or installed_catalogue()
    return EnvironmentContext(
        world_id=world.world_id,
        world=load_world(world, known),
        catalogue=known,
        forms=forms_of(known),
        rules=Rules(known, world),
        rebuild=rebuild,
        rebuild_required=rebuild_required,
    )


class Case:
    """One record under examination. What several checks need of it is made once; what cannot be made raises in each."""

    def __init__(self, record: EnvironmentRecord | Mapping[str, Json], context: EnvironmentContext) -> None:
        """Examine a record, which may be plain data of any form."""
        self.given = record
        self.context = context

    @cached_property
    def plain(self) -> Mapping[str, Json]:
        """The record as JSON data."""
        given = self.given
        if isinstance(given, EnvironmentRecord):
            return {name: cast("Json", getattr(given, name)) for name in EnvironmentRecord.model_fields}
        return given

    @cached_property
    def record(self) -> EnvironmentRecord:
        """The record as a model. Raise ValidationError when it is none."""
        given = self.given
        return given if isinstance(given, EnvironmentRecord) else EnvironmentRecord.model_validate(given)

    @cached_property
    def base(self) -> Base:
        """The records, typed. Raise ValueError when one does not fit its declaration."""
        return base_of(self.record, self.context.world, self.context.catalogue)

    def open(self, base: Base | None = None) -> Environment:
        """Return a new environment at the record's state, or at another one."""
        return Environment(base or self.base, self.context.catalogue, now=self.record.now, seed=self.record.seed)
