"""How a user's loans are made: from the user's own stream, nothing else."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping, Sequence

from generators.environments.seeder import SeedContext, Seeder
from library_loan.service import Card, Loan
from services.runtime.records import Record

TITLES = (
    "The Lighthouse Ledger",
    "Winter Orchards",
    "A Field Guide to Moss",
    "The Cartographer's Niece",
    "Bread and Salt Roads",
    "Quiet Engines",
    "Letters from the Weir",
    "The Glassblower's Year",
)


def _seed(c: SeedContext) -> Mapping[str, Sequence[Record]]:
    today = dt.date.fromisoformat(c.now[:10])
    loans = [
        Loan(
            id=c.new_id("loans"),
            title=title,
            due_on=(today + dt.timedelta(days=c.stream.between(1, 20))).isoformat(),
            renewals=c.stream.below(3),
        )
        for title in c.stream.sample(TITLES, c.stream.between(3, 6))
    ]
    return {"loans": loans, "library_card": [Card(id="card", shared=c.stream.chance(1, 2))]}


SEEDER = Seeder("library", _seed)
