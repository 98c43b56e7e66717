"""How a perfect assistant buys by a noted rule: read the note, then do what the rule says."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.build import col, eq, slot
from generators.tasks.intents.buy_best.program import steps as buy
from generators.tasks.notes.program import listed, refuse_notes, unrecorded
from generators.tasks.program import Filter, Read

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Program, Traced

WORDS: Mapping[str, tuple[str, str]] = {
    "category": ("products", "category"),
    "tag": ("products", "health_tags"),
    "without": ("products", "allergens"),
}
"""Field that a note may state -> where the words for it stand."""


def _by_rule(binding: Binding, x: SlotReader) -> Program:
    notes = yield from listed(binding.values().keys(), x)
    rules = yield Read(notes, "text", WORDS)
    if binding.variant == "about":
        about = eq(col("category"), slot("category"))
        rules = yield Filter(rules, where=about, args={"category": x("category")})
    noted = {each.name for each in binding.slots if each.told == "implicit"}

    def stated(name: str) -> Traced:
        return rules[0][name] if name in noted else x(name)

    yield from buy(binding, stated)


def steps(binding: Binding, x: SlotReader) -> Program:
    """Return the program of a bound request; `x` gives its slots."""
    if binding.cell.form == "consent_refused":
        return refuse_notes()
    return unrecorded(x) if binding.cell.form == "not_recorded" else _by_rule(binding, x)
