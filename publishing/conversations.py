"""Conversations of a rollout to be shown: one of each kind that there is."""

from __future__ import annotations

from typing import TYPE_CHECKING

from publishing.conversation import conversation
from schemas.trajectory import Did, Said

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from schemas.trajectory import Trajectory


def _passed(trajectory: Trajectory) -> bool:
    return trajectory.score is not None and trajectory.score.passed


def _declined(trajectory: Trajectory) -> bool:
    """Return whether a part of the task is to be declined, by its template: `intent/form` or `intent/form/variant`."""
    return any(part.split("/")[1] != "fulfil" for part in trajectory.template.split(" + "))


def _refused(trajectory: Trajectory) -> bool:
    return any(isinstance(event, Said) and False in event.answered.values() for event in trajectory.events)


def _changed_mind(trajectory: Trajectory) -> bool:
    return any(isinstance(event, Said) and "change" in event.told.values() for event in trajectory.events)


def _plain(trajectory: Trajectory) -> bool:
    """Return whether both sides changed something, and nothing came in between."""
    sides = {event.side for event in trajectory.events if isinstance(event, Did) and event.diff}
    asked = any(isinstance(event, Said) and (event.told or event.answered) for event in trajectory.events)
    return len(sides) == 2 and not asked and not _declined(trajectory)


def _with_evidence(trajectory: Trajectory) -> bool:
    """Return whether a reason is told, and beside it what shows it."""
    told = len(trajectory.score.told) if trajectory.score is not None else 0
    return _declined(trajectory) and not _refused(trajectory) and told > trajectory.template.count(" + ") + 1


KINDS: Mapping[str, Callable[[Trajectory], bool]] = {
    "A plain success": lambda t: _passed(t) and _plain(t),
    "A consent asked for and refused": lambda t: _passed(t) and _refused(t),
    "A change of mind": lambda t: _passed(t) and _changed_mind(t),
    "A decline with evidence": lambda t: _passed(t) and _with_evidence(t),
    "A failure": lambda t: t.score is not None and not t.score.passed,
}
"""Kind of conversation -> whether one is of it."""


def conversations(trajectories: Iterable[Trajectory]) -> str:
    """Return the shortest conversation of each kind as one Markdown page, the first of several."""
    chosen: dict[str, Trajectory] = {}
    for trajectory in trajectories:
        for kind, fits in KINDS.items():
            best = chosen.get(kind)
            if fits(trajectory) and (best is None or len(trajectory.events) < len(best.events)):
                chosen[kind] = trajectory
    shown = [conversation(chosen[kind], kind) for kind in KINDS if kind in chosen]
    return "\n".join(["# Conversations", "", *(shown or ["No conversation is of a kind that is shown."])])
