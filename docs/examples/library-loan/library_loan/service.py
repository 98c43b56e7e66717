"""The service: records, tools, one gate."""

from __future__ import annotations

import datetime as dt
from typing import Annotated

from msgspec import Meta
from msgspec.structs import replace

from schemas.base import Json
from schemas.goal import Col, Const, FieldIs, Lookup, Slot, Test, Write
from schemas.goal import Table as Rows
from services.runtime.declare import Asking, Flip, Gate, Probe, Remedy, Service, Table
from services.runtime.records import Record
from services.runtime.tools import Context, tool

MOST_RENEWALS = 2
DAYS = 21


class Loan(Record, frozen=True):
    """A book that the user has borrowed."""

    title: str
    due_on: str
    """Last day, `YYYY-MM-DD`."""
    renewals: int


class Card(Record, frozen=True):
    """The library card; one record, id `card`."""

    shared: bool
    """Whether the assistant may use it."""


@tool(side="assistant")
def get_library_card(c: Context) -> dict[str, Json]:
    """Return whether the assistant may use the library card.

    `shared`, true or false.
    """
    card = c.get(Card, "card")
    return {"shared": card is not None and card.shared}


@tool(side="assistant", gates=("LIBRARY",))
def list_loans(c: Context) -> dict[str, Json]:
    """List the books that the user has borrowed.

    `loans` [{loan_id, title, due_on (last day), renewals so far}].
    """
    loans = sorted(c.all(Loan), key=lambda loan: (loan.due_on, loan.id))
    return {
        "loans": [
            {"loan_id": loan.id, "title": loan.title, "due_on": loan.due_on, "renewals": loan.renewals}
            for loan in loans
        ]
    }


@tool(
    side="assistant",
    write=True,
    gates=("LIBRARY",),
    errors={
        "LOAN_NOT_FOUND": "There is no such loan.",
        "RENEWAL_LIMIT": f"The loan has been renewed {MOST_RENEWALS} times.",
    },
    example={"loan_id": "loan_0123456789"},
)
def renew_loan(c: Context, loan_id: Annotated[str, Meta(description="Id of a loan.")]) -> dict[str, Json]:
    """Renew a loan for three weeks from its last day; a loan can be renewed twice.

    `loan_id`, the new `due_on` and `renewals`.
    """
    loan = c.get(Loan, loan_id)
    if loan is None:
        c.refuse("LOAN_NOT_FOUND", f"There is no loan {loan_id!r}.")
    if loan.renewals >= MOST_RENEWALS:
        c.refuse("RENEWAL_LIMIT", f"A loan can be renewed {MOST_RENEWALS} times.")
    due = (dt.date.fromisoformat(loan.due_on) + dt.timedelta(days=DAYS)).isoformat()
    loan = replace(loan, due_on=due, renewals=loan.renewals + 1)
    c.put(loan)
    return {"loan_id": loan.id, "due_on": loan.due_on, "renewals": loan.renewals}


@tool(side="user", write=True, example={"allow": True})
def share_library_card(
    c: Context, allow: Annotated[bool, Meta(description="True lets the assistant use the card.")]
) -> dict[str, Json]:
    """Let the assistant use the library card, or no longer.

    `shared`, the new state.
    """
    c.put(Card(id="card", shared=allow))
    return {"shared": allow}


def _switch(value: bool) -> tuple[Write, ...]:
    return (
        Write(
            op="update",
            table="library_card",
            id=Const(value="card"),
            fields={"shared": FieldIs(value=Const(value=value))},
        ),
    )


_SHARED = Lookup(
    source=Rows(table="library_card", prefix="card"),
    where=Test(fn="eq", left=Col(name="card.id"), right=Const(value="card")),
    field="card.shared",
)

GATE = Gate(
    name="LIBRARY",
    code="CARD_NOT_SHARED",
    message="The assistant may not use the library card; the user can share it.",
    closed=Test(fn="ne", left=_SHARED, right=Const(value=True)),
    probe=Probe("get_library_card"),
    remedy=Remedy(
        tool="share_library_card",
        arguments={"allow": Const(value=True)},
        shows=Test(fn="ne", left=Slot(name="shared"), right=Const(value=True)),
        values={"shared": ("probe", "shared")},
        takes_back={"allow": False},
    ),
    effect=_switch(True),
    closing=_switch(False),
    policy="Using the library card needs the user's consent.",
    asking=Asking(
        forms=(
            "May I use your library card? You would have to share it with me.",
            "I can't reach your loans, as your library card is not shared with me. Would you share it?",
            "For that I need your library card. Could you let me use it?",
        ),
        cues=("library card", "share card", "share it with me"),
    ),
)


def _at_the_limit(loan: Loan, _: str) -> Loan | None:
    return replace(loan, renewals=MOST_RENEWALS) if loan.renewals < MOST_RENEWALS else None


def _never_renewed(loan: Loan, _: str) -> Loan | None:
    return replace(loan, renewals=0) if loan.renewals else None


FLIPS = (Flip("at_the_limit", "loans", _at_the_limit), Flip("never_renewed", "loans", _never_renewed))

SERVICE = Service(
    name="library",
    summary="Books borrowed from the library.",
    family="library",
    tables=(Table("loans", Loan, "loan"), Table("library_card", Card, "card")),
    tools=(get_library_card, list_loans, renew_loan, share_library_card),
    gates=(GATE,),
    flips=FLIPS,
)
