"""Tasks: intents bound to an environment, with plans that were executed and expectations that follow from a goal."""

from __future__ import annotations

from generators.tasks.quota import Share
from generators.tasks.rounds import MAX_BATCHES, Round, Unbound, make_round

__all__ = ["MAX_BATCHES", "Round", "Share", "Unbound", "make_round"]
