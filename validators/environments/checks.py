"""Runs the checks on an environment. The record may be plain data of any form; a malformed one fails every check."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial

from schemas.base import Json
from schemas.certificate import Verdict
from schemas.environment import EnvironmentRecord
from validators.environments.calls import call_faults
from validators.environments.context import Case, EnvironmentContext
from validators.environments.extra import Check, Named, installed_checks
from validators.environments.form import schema_faults
from validators.environments.gates import gate_faults
from validators.environments.invariants import invariant_faults, seeding_faults
from validators.environments.records import (
    blob_faults,
    clock_faults,
    hash_faults,
    id_faults,
    rebuild_faults,
    reference_faults,
)
from validators.judging import judge


def _schema(case: Case, _: Counter[str]) -> Iterator[str]:
    return schema_faults(case.plain, case.context.forms.whole)


def _untallied(find: Callable[[Case], Iterator[str]]) -> Check:
    return lambda case, _: find(case)


_STATE: tuple[Named, ...] = (
    ("environment.schema", _schema),
    ("environment.hash", _untallied(hash_faults)),
    ("environment.blobs", _untallied(blob_faults)),
    ("environment.ids", _untallied(id_faults)),
    ("environment.references", _untallied(reference_faults)),
    ("environment.clock", _untallied(clock_faults)),
    ("environment.invariants", _untallied(invariant_faults)),
)
_FRESH: tuple[Named, ...] = (("environment.seeding", _untallied(seeding_faults)),)
_EXECUTING: tuple[Named, ...] = (
    ("environment.gates", gate_faults),
    ("environment.calls", call_faults),
    ("environment.rebuild", _untallied(rebuild_faults)),
)


@cache
def state_checks() -> tuple[Named, ...]:
    """Return name and function of each check that reads the records alone; they hold of a task's start as well."""
    return (*_STATE, *(check for checks in installed_checks() for check in checks.state))


@cache
def environment_checks() -> tuple[Named, ...]:
    """Return name and function of each check of a fresh environment."""
    fresh = (check for checks in installed_checks() for check in checks.fresh)
    return (*state_checks(), *_FRESH, *fresh, *_EXECUTING)


def check_environment(
    record: EnvironmentRecord | Mapping[str, Json],
    context: EnvironmentContext,
    checks: Sequence[Named] | None = None,
) -> list[Verdict]:
    """Return one verdict per check, in their order; an exception is a failed verdict. With no checks nothing passes.

    Unless `checks` are named, those of a fresh environment are run.
    """
    if checks is None:
        checks = environment_checks()
    if not checks:
        return [Verdict(check="environment.none", passed=False, reason="there are no checks")]
    case = Case(record, context)
    return [_verdict(name, check, case) for name, check in checks]


def _verdict(name: str, check: Check, case: Case) -> Verdict:
    tally: Counter[str] = Counter()
    verdict = judge(name, partial(check, case, tally))
    return verdict.model_copy(update={"counts": {**verdict.counts, **dict(sorted(tally.items()))}})
