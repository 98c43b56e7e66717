"""What is said of one conversation after it was held or read: score, columns beside it, faults of the record."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flows.rollout_shards import Scored
from schemas.trajectory import UNSCORED
from validators.scoring.pause_compat import overlap
from validators.scoring.pause_compat_adapter import gold_calls, made_calls, shopping_state, shopping_target
from validators.scoring.pause_compat_shopping import shopping_points
from validators.scoring.score import mark, score_of
from validators.scoring.shopping_columns import columns as shopping_columns
from validators.trajectories.checks import check_trajectory

if TYPE_CHECKING:
    from schemas.trajectory import Trajectory
    from services.runtime.state import State
    from validators.tasks.context import TaskContext


def scored(context: TaskContext, trajectory: Trajectory) -> Scored:
    """Return a trajectory with the score that executing its events from the start of its task gives."""
    if trajectory.end in UNSCORED:
        return Scored(trajectory.changed({"score": None}), {}, [])
    marked = mark(context, trajectory)
    found = trajectory.changed({"score": score_of(marked)})
    faults = [f"{v.check}: {v.reason}" for v in check_trajectory(context, found, marked.outcome) if not v.passed]
    return Scored(found, columns_of(context, found, marked.outcome.env.state_), faults)


def columns_of(context: TaskContext, trajectory: Trajectory, end: State) -> dict[str, float]:
    """Return our columns of shopping, and PAUSE's by its own formulas."""
    calls = overlap(gold_calls(context.task), made_calls(trajectory))
    found = {"pause.precision": calls.precision, "pause.recall": calls.recall, "pause.f1": calls.f1}
    found |= {f"shopping.{name}": value for name, value in shopping_columns(context, end).items()}
    target = shopping_target(context)
    if target is not None:
        points = shopping_points(shopping_state(context, end), target)
        pause = {
            "score": points.score,
            "pid": points.products / points.expected,
            "qty_size": points.quantity,
            "voucher": points.voucher,
            "balance": points.balance,
            "ok": float(points.ok),
        }
        found |= {f"pause.{name}": float(value) for name, value in pause.items()}
    return found
