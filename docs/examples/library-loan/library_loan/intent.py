"""What a user can want: one book kept for longer."""

from __future__ import annotations

from typing import cast

from generators.tasks.build import col, const, eq, ge, gt, lt, node, rows, slot
from generators.tasks.intent import Binding, Cell, Intent, Scene, SlotReader
from generators.tasks.phrases import load_phrases
from generators.tasks.program import Call, Decide, Each, Filter, Fixed, Program, Sum, Tell
from library_loan.service import DAYS, MOST_RENEWALS, Loan
from schemas import goal as g
from schemas.task import Reference, Slot
from services.runtime.streams import Stream

_LATER = g.DateOf(fn="add_days", args=[col("l.due_on"), const(DAYS)])
_MORE = g.Arith(fn="add", args=[col("l.renewals"), const(1)])


def goal(binding: Binding) -> g.Goal:
    """Return the goal: the loan of this title is due later, or its limit is reached and its last day is told."""
    wanted = g.Select(source=g.Table(table="loans", prefix="l"), where=eq(col("l.title"), slot("title")))
    longer = g.Write(
        op="update",
        table="loans",
        rows="loan",
        # Where the limit is reached there is nothing to write, and so nothing that could be fulfilled.
        when=lt(col("l.renewals"), const(MOST_RENEWALS)),
        id=col("l.id"),
        fields={"due_on": g.FieldIs(value=_LATER), "renewals": g.FieldIs(value=_MORE)},
    )
    if binding.cell.form == "fulfil":
        return g.Goal(nodes=[rows("loan", wanted)], writes=[longer], gates=["LIBRARY"])
    last = g.Aggregate(fn="max", source=g.NodeRows(name="loan"), of=col("l.due_on"))
    return g.Goal(
        nodes=[rows("loan", wanted)],
        writes=[longer],
        answers=[g.AnswerGoal(name="due_on", kind="date", value=last, cue="last day of the loan")],
        gates=["LIBRARY"],
        decline=g.Decline(reason="policy", because=ge(node("loan", "l.renewals"), const(MOST_RENEWALS))),
    )


def steps(binding: Binding, x: SlotReader) -> Program:
    """Return what a perfect assistant does."""
    listed = yield Call("list_loans")
    mine = yield Filter(listed["loans"], where=eq(col("title"), slot("title")), args={"title": x("title")})
    if binding.cell.form == "fulfil":
        found = yield Sum(mine, "count")
        yield Decide(gt(slot("count"), const(0)), {"count": found})
        yield Each(mine, "renew_loan", {"loan_id": "loan_id"})
        return
    renewals = yield Sum(mine, "max", col("renewals"))
    yield Decide(ge(slot("renewals"), const(MOST_RENEWALS)), {"renewals": renewals})
    last = yield Sum(mine, "max", col("due_on"))
    yield Tell({"reason": Fixed("reason", "policy"), "due_on": last})


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a loan that can, or can no longer, be renewed, with the card shared as the cell says."""
    loans = [cast("Loan", loan) for loan in scene.records("loans").values()]
    fitting = [loan for loan in loans if (loan.renewals < MOST_RENEWALS) == (cell.form == "fulfil")]
    # The title must matter: whoever looks at all loans must renew another one, or find another last day.
    if cell.form == "policy":
        fitting = [loan for loan in fitting if loan.due_on < max(other.due_on for other in loans)]
    elif len(fitting) == 1:
        return None
    if not fitting:
        return None
    loan = stream.choice(fitting)
    title = Slot(
        name="title",
        kind="name",
        value=loan.title,
        refers_to=Reference(table="loans", column="title"),
        alternatives=[other.title for other in loans if other.title != loan.title],
    )
    return Binding(cell=cell, slots=(title,), setup=tuple(scene.set_gate("LIBRARY", closed="LIBRARY" in cell.closed)))


INTENT = Intent(
    name="renew-loan",
    family="library",
    cells=(Cell("fulfil"), Cell("fulfil", closed=("LIBRARY",)), Cell("policy")),
    gates=("LIBRARY",),
    uses=frozenset(),
    bind=bind,
    goal=goal,
    steps=steps,
    phrases=load_phrases("library_loan"),
)
