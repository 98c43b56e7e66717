"""A run in figures: rows of its funnel and a short report."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from flows.amounts import Amount
    from flows.funnel import Funnel, StageCounts
    from schemas.base import Json
    from schemas.config import RunConfig

_SHOWN = 3


def funnel_rows(funnel: Funnel) -> list[dict[str, Json]]:
    """Return one row per stage, with its most frequent reasons in words."""
    return [
        {"stage": c.stage, "made": c.made, "kept": c.kept, "rejected": c.rejected, "reasons": reasons_text(c)}
        for c in funnel.stages
    ]


def reasons_text(counts: StageCounts) -> str:
    """Return the most frequent reasons of a stage's rejects, most frequent first."""
    ordered = sorted(counts.reasons.items(), key=lambda item: (-item[1], item[0]))
    shown = ", ".join(f"{check} {number}" for check, number in ordered[:_SHOWN])
    return shown + (f", {len(ordered) - _SHOWN} more" if len(ordered) > _SHOWN else "")


def report_text(config: RunConfig, funnel: Funnel, amount: Amount) -> str:
    """Return a report of a run in Markdown."""
    lines = [
        f"| {r['stage']} | {r['made']} | {r['kept']} | {r['rejected']} | {r['reasons']} |" for r in funnel_rows(funnel)
    ]
    head = ["| stage | made | kept | rejected | most frequent reasons |", "|---|--:|--:|--:|---|"]
    text = [f"# {config.preset}", "", f"{amount.text()} kept, seed {config.seed}.", "", *head, *lines, ""]
    return "\n".join(text)
