"""Whether declared invariants hold of a state; those of a catalogue are made ready once."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from services.runtime.algebra import NO_ROW, PredFn, Scope, compile_pred
from services.runtime.declare import Invariant

if TYPE_CHECKING:
    from collections.abc import Iterator

    from services.runtime.algebra import Source
    from validators.environments.context import Case

Ready: TypeAlias = Sequence[tuple[Invariant, PredFn]]
"""Invariants, each with a function that tells whether it holds."""


def made_ready(invariants: Iterable[Invariant]) -> Ready:
    """Return invariants ready to be evaluated, by name."""
    return [(one, compile_pred(one.holds)) for one in sorted(invariants, key=lambda one: one.name)]


def broken(invariants: Ready, source: Source, now: str) -> list[str]:
    """Return the invariants that do not hold of `source`, in words."""
    scope = Scope(source, now, {})
    return [f"not so: {one.text} ({one.name})" for one, holds in invariants if not holds(NO_ROW, scope)]


def invariant_faults(case: Case) -> Iterator[str]:
    """Yield invariants of services that do not hold."""
    yield from broken(case.context.invariants, case.open().state_, case.record.now)


def seeding_faults(case: Case) -> Iterator[str]:
    """Yield what services ask of a fresh environment and what does not hold."""
    yield from broken(case.context.seeding, case.open().state_, case.record.now)
