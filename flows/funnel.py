"""The funnel: how many records each stage made, kept and rejected, and by which check. Counts of extents add up."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from schemas.base import Model

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

FUNNEL_STAGES = ("worlds", "profiles", "environments", "tasks", "selection")
"""Stages in order. `tasks` counts candidates and their checks; `selection` what passed them."""
NARRATIVES, REWRITE = "narratives", "rewrite"
"""Further stages of a run whose texts a model put in other words: how many narratives of users and requests of tasks
there are, and how many stand in the model's words."""


class StageCounts(Model):
    """Counts of one stage."""

    stage: str
    made: int = 0
    kept: int = 0
    rejected: int = 0
    reasons: dict[str, int] = {}
    """Rejects by the first check that failed."""


class Funnel(Model):
    """Counts of all stages."""

    stages: list[StageCounts] = []

    def of(self, stage: str) -> StageCounts:
        """Return the counts of one stage, zeros when it has none."""
        return next((counts for counts in self.stages if counts.stage == stage), StageCounts(stage=stage))


def tally(stage: str, kept: int, rejected_by: Iterable[str]) -> StageCounts:
    """Return the counts of a stage that kept `kept` records and rejected one for each named check."""
    reasons = Counter(rejected_by)
    rejected = reasons.total()
    return StageCounts(stage=stage, made=kept + rejected, kept=kept, rejected=rejected, reasons=_sorted(reasons))


def total(funnels: Iterable[Funnel]) -> Funnel:
    """Return the sum of funnels, every stage present that each run has."""
    sums = {stage: StageCounts(stage=stage) for stage in FUNNEL_STAGES}
    for counts in (counts for funnel in funnels for counts in funnel.stages):
        sums[counts.stage] = _plus(sums.get(counts.stage, StageCounts(stage=counts.stage)), counts)
    return Funnel(stages=list(sums.values()))


def _plus(one: StageCounts, other: StageCounts) -> StageCounts:
    return StageCounts(
        stage=one.stage,
        made=one.made + other.made,
        kept=one.kept + other.kept,
        rejected=one.rejected + other.rejected,
        reasons=_sorted(Counter(one.reasons) + Counter(other.reasons)),
    )


def _sorted(reasons: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(reasons.items()))
