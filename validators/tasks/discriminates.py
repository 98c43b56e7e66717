"""The task tells a careful assistant from a careless one: a naive reading of its goal leads to another result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validators.tasks.context import slot_values
from validators.tasks.derivation import derivations_of
from validators.tasks.verdicts import verdict

if TYPE_CHECKING:
    from schemas.certificate import Verdict
    from validators.tasks.context import Part, TaskContext
    from validators.tasks.rewrites import Site

_CHECK = "task.discriminates"


def check_discriminates(context: TaskContext) -> Verdict:
    """Return whether a rewrite that speaks of no constraint changes the result of each part of the task.

    The constraints are checked apart. Rewrites are tried until one differs, those first that mostly do; `rewrites`
    counts those tried.
    """
    counts = {"rewrites": 0, "different": 0}
    faults = [fault for part in context.parts for fault in _part_faults(context, part, counts)]
    note = "" if counts["rewrites"] else "the goal has no condition or expression to take carelessly"
    return verdict(_CHECK, faults, counts, note=note)


def _rank(site: Site) -> int:
    """Return how late a rewrite is tried: what the goal is about stands in its last relations, the account before."""
    return _KINDS.index(site.kind) if "rows" in site.place or site.kind == "named" else len(_KINDS)


_KINDS = ("named", "filter", "condition")


def _part_faults(context: TaskContext, part: Part, counts: dict[str, int]) -> list[str]:
    told = [slot for slot in part.use.slots if slot.constraint]
    constraints = slot_values({slot.name: (slot.kind, slot.value) for slot in told}).keys()
    derivations = derivations_of(context, part)
    sites = [site for site in derivations.sites() if site.slots.isdisjoint(constraints)]
    for site in sorted(reversed(sites), key=_rank):
        counts["rewrites"] += 1
        if derivations.without(site):
            counts["different"] += 1
            return []
    where = f" of {part.use.intent}" if part.use.prefix else ""
    return [f"all {len(sites)} careless readings{where} lead to the same result"] if sites else []
