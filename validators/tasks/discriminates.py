"""The task tells a careful assistant from a careless one: a naive reading of its goal leads to another result."""

from __future__ import annotations

from typing import TYPE_CHECKING

from validators.tasks.context import slot_values
from validators.tasks.derivation import derivations_of
from validators.tasks.verdicts import verdict

if TYPE_CHECKING:
    from schemas.certificate import Verdict
    from validators.tasks.context import TaskContext

_CHECK = "task.discriminates"


def check_discriminates(context: TaskContext) -> Verdict:
    """Return whether a rewrite that speaks of no constraint changes the result; the constraints are checked apart.

    Rewrites are tried until one differs, named expressions first; `rewrites` counts those tried.
    """
    told = [slot for slot in context.told if slot.constraint]
    constraints = slot_values({slot.name: (slot.kind, slot.value) for slot in told}).keys()
    derivations = derivations_of(context)
    sites = [site for site in derivations.sites() if site.slots.isdisjoint(constraints)]
    sites.sort(key=lambda site: site.kind != "named")
    counts = {"rewrites": 0, "different": 0}
    if not sites:
        return verdict(_CHECK, [], counts, note="the goal has no condition or expression to take carelessly")
    for site in sites:
        counts["rewrites"] += 1
        if derivations.without(site):
            counts["different"] += 1
            return verdict(_CHECK, [], counts)
    return verdict(_CHECK, [f"all {len(sites)} careless readings lead to the same result"], counts)
