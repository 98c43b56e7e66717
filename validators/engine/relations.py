"""Named relations at the end of an outcome: the start state with a delta applied, asked by the second engine."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from validators.engine.evaluate import evaluate_pred
from validators.engine.sql import GoalError

if TYPE_CHECKING:
    from schemas.goal import Pred
    from validators.contract.changes import Delta
    from validators.contract.judge import Holds
    from validators.engine.database import Database, Patch


def patches_of(delta: Delta) -> Iterator[Patch]:
    """Yield the changes of a delta as patches of the state it starts from."""
    for table, records in delta.items():
        for key, (_, after) in records.items():
            yield table, key, after


def holds_after(relations: Mapping[str, Pred], now: str, db: Database) -> Callable[[Delta], Holds]:
    """Return what tells, for a delta, whether a named relation holds at its end; the database holds the start state."""

    def after(delta: Delta) -> Holds:
        def holds(name: str) -> bool:
            if name not in relations:
                raise GoalError(f"there is no relation {name!r}")
            with db.patched(patches_of(delta)):
                return evaluate_pred(relations[name], {}, now, db)

        return holds

    return after
