"""How a perfect assistant writes a note."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.notes.program import refuse_notes
from generators.tasks.program import Call

if TYPE_CHECKING:
    from generators.tasks.intent import Binding, SlotReader
    from generators.tasks.program import Program


def _add(x: SlotReader) -> Program:
    yield Call("add_note", {"note": x("text")})


def steps(binding: Binding, x: SlotReader) -> Program:
    """Return the program of a bound request; `x` gives its slots."""
    return refuse_notes() if binding.cell.form == "consent_refused" else _add(x)
