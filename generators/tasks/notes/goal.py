"""Notes in the goal algebra: which one is meant, and why it is left alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, column, const, count, eq, ge, gt, le, node, rows, scalar, slot
from schemas import goal as g
from services.runtime.catalogue import installed_catalogue

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

DAY = col("day")
_NOTES = g.Select(
    source=g.Table(table="notes", prefix="n"), columns=[column("day", g.DateOf(fn="day", args=[col("n.time")]))]
)


def which(names: Collection[str], day: g.Expr = DAY) -> list[g.Pred]:
    """Return the predicates of the day or the period among `names`, which say what note is meant."""
    if "note_date" in names:
        return [eq(day, slot("note_date"))]
    return [ge(day, slot("period_first")), le(day, slot("period_last"))]


def noted(names: Collection[str], order: Sequence[g.Order] = ()) -> g.NamedNode:
    """Return the node `noted`: the notes of the day or of the period."""
    return rows("noted", g.Select(source=_NOTES, where=both(*which(names)), order=list(order)))


def there_are(name: str = "noted") -> g.Pred:
    """Return that there is such a note."""
    return gt(count(name), const(0))


def refusal(because: g.Pred) -> g.Decline:
    """Return the decline where the user does not give the permission for notes."""
    closed = installed_catalogue().gates["NOTES"].gate.closed
    return g.Decline(reason="consent_refused", because=both(closed, because), gate="NOTES")


def unrecorded_goal() -> g.Goal:
    """Return the goal of a request about a day on which nothing was noted; the day of the latest note is told."""
    later = g.Select(source=_NOTES, where=ge(DAY, slot("note_date")))
    latest = g.Aggregate(fn="max", source=g.NodeRows(name="later"), of=DAY)
    told = g.AnswerGoal(name="latest_note", kind="date", value=node("latest"), cue="date of the latest note")
    return g.Goal(
        nodes=[noted(["note_date"]), rows("later", later), scalar("latest", latest)],
        answers=[told],
        gates=["NOTES"],
        decline=g.Decline(reason="not_recorded", because=both(eq(count("noted"), const(0)), there_are("later"))),
    )
