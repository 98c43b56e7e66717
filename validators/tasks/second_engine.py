"""The second engine: the goal, evaluated in SQL on the start state, implies exactly the task's expectation."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, cast
from weakref import WeakKeyDictionary

from schemas.base import canonical, plain
from services.functions import merge_expectations
from validators.engine.expect import derive_expectation
from validators.tasks.verdicts import verdict

if TYPE_CHECKING:
    from collections.abc import Iterable

    from schemas.certificate import Verdict
    from schemas.contract import Expectation
    from validators.tasks.context import Part, TaskContext

_CHECK = "task.second_engine"
_derived: WeakKeyDictionary[TaskContext, dict[int, Expectation]] = WeakKeyDictionary()


def check_second_engine(context: TaskContext) -> Verdict:
    """Return whether the expectation derived by SQL equals the task's as canonical JSON."""
    task = context.task
    derived = merge_expectations([(part.use.prefix, derived_part(context, part)) for part in context.parts])
    if canonical(derived) == canonical(task.expectation):
        return verdict(_CHECK, [], {"compared": 1, "agreed": 1})
    difference = first_difference(plain(task.expectation), plain(derived)) or "the canonical forms differ"
    return verdict(_CHECK, [difference], {"compared": 1, "agreed": 0})


def derived_part(context: TaskContext, part: Part) -> Expectation:
    """Return what one part of the task expects by the second engine, before it is merged with the others; made once."""
    known = _derived.setdefault(context, {})
    if part.number not in known:
        known[part.number] = _derive(context, part)
    return known[part.number]


def _derive(context: TaskContext, part: Part) -> Expectation:
    return derive_expectation(
        part.goal,
        part.slots,
        context.now,
        context.task.script,
        {name: compiled.gate for name, compiled in context.catalogue.gates.items()},
        context.catalogue.tables,
        context.db,
    )


def first_difference(stored: object, derived: object, path: str = "expectation") -> str:
    """Return where two JSON values first differ and how, or nothing when they are equal."""
    pairs = _parts(stored, derived, path)
    if pairs is not None:
        return next((found for at, one, other in pairs if (found := first_difference(one, other, at))), "")
    if type(stored) is type(derived) and stored == derived:
        return ""
    return f"{path} is {stored!r}, the second engine finds {derived!r}"


def _parts(stored: object, derived: object, path: str) -> Iterable[tuple[str, object, object]] | None:
    """Return the parts of two objects or two lists, each with its path; None for anything else."""
    if isinstance(stored, dict) and isinstance(derived, dict):
        one, other = cast("dict[str, object]", stored), cast("dict[str, object]", derived)
        return [(f"{path}.{key}", one.get(key, _MISSING), other.get(key, _MISSING)) for key in sorted({*one, *other})]
    if isinstance(stored, list) and isinstance(derived, list):
        pairs = zip_longest(cast("list[object]", stored), cast("list[object]", derived), fillvalue=_MISSING)
        return [(f"{path}[{index}]", one, other) for index, (one, other) in enumerate(pairs)]
    return None


class _Missing:
    """Stands where one side has nothing."""

    def __repr__(self) -> str:
        return "nothing"


_MISSING = _Missing()
