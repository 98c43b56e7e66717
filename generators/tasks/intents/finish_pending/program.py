"""How a perfect assistant has a pending order paid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import both, col, const, eq, scaled, slot
from generators.tasks.history.goal import of_what
from generators.tasks.history.program import LINE
from generators.tasks.intents.finish_pending.goal import too_old
from generators.tasks.program import Call, Decide, Derive, Filter, Fixed, Group, Pluck, Tell, Today, Unnest, User
from generators.tasks.shop.program import is_empty, refuse_top_up
from schemas import goal as g

if TYPE_CHECKING:
    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Program

_ORDER = ("transaction_id", "created_at", "final_total")
_DAY = g.DateOf(fn="day", args=[slot("created")])
_CENTS = scaled(slot("total"), 100)
_TOO_OLD = too_old(slot("created"), slot("today"))


def steps(binding: Binding, x: SlotReader) -> Program:
    """Return the program of a bound request: look at what waits for payment, and have the right order paid."""
    history = yield Call("get_transactions")
    waiting = yield Filter(history["transactions"], where=eq(col("status"), const("pending")))
    held = yield Unnest(waiting, "items")
    names = binding.values().keys()
    holding = yield Filter(held, where=both(*of_what(names, LINE)), args={name: x(name) for name in names})
    if (yield from is_empty(holding)):
        told = yield Pluck(held, "name")
        yield Tell({"reason": Fixed("reason", "none_satisfies"), "held": told})
        return
    orders = yield Group(holding, _ORDER, ())
    order = orders[0]
    age = {"created": order["created_at"], "today": (yield Today())}
    if (yield Decide(_TOO_OLD, age)):
        day = yield Derive(_DAY, {"created": order["created_at"]})
        yield Tell({"reason": Fixed("reason", "policy"), "ordered_on": day})
    elif binding.cell.form == "cannot_afford":
        cents = yield Derive(_CENTS, {"total": order["final_total"]})
        yield from refuse_top_up(cents)
    else:
        yield User("authorize_checkout", {"transaction_id": order["transaction_id"]})
