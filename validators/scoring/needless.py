"""Requests to the user that were not needed, and how the facts that the user kept back came out."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from language.asking import is_about, sentences
from validators.scoring.outcome import took_as_asked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validators.scoring.marking import Marking
    from validators.scoring.outcome import Outcome, Told

_GO_AHEAD = re.compile(
    r"\b(?:(?:shall|should|may|can|could) i|(?:do|would) you (?:want|like) me to|confirm|go ahead|proceed|"
    r"is (?:that|this|it) (?:ok|okay|right|correct|all right|fine)|are you (?:sure|certain))\b",
    re.IGNORECASE,
)
_OFFER = re.compile(
    r"\b(?:anything else|something else|further|help (?:you )?with|instead|other|alternative)\b", re.IGNORECASE
)
"""Offers beyond the request are no request for a yes to it."""


def needless_of(marking: Marking, outcome: Outcome) -> list[str]:
    """Return the requests that were not needed, in order: `consent GATE`, `fact slot`, `confirmation`."""
    found: list[str] = []
    known = set(marking.upfront)
    given: set[str] = set()
    for told in outcome.messages:
        found += [f"consent {gate}" for gate in _needless_gates(marking, told, given)]
        found += [f"fact {slot}" for slot, how in told.told.items() if slot in known and how != "change"]
        known.update(told.told)
        given.update(gate for gate, granted in told.answered.items() if granted)
        if _is_needless_confirmation(marking, told):
            found.append("confirmation")
    return found


def _needless_gates(marking: Marking, told: Told, given: set[str]) -> Iterator[str]:
    for gate in sorted(told.answered):
        declared = marking.gates.get(gate)
        if declared is None or not took_as_asked(told, declared):
            continue
        if gate not in marking.met_gates or (declared.standing and gate not in told.closed):
            yield gate


def _is_needless_confirmation(marking: Marking, told: Told) -> bool:
    """Return whether a message asks for a yes to what the request already says, and nothing comes of it."""
    if told.answered or told.told or told.acts or told.confirmed:
        return False
    said = sentences(told.text)
    cues = [cue for phrases in marking.yes_cues.values() for cue in phrases]
    # "It would be deleted for good. Is that all right?" asks for the yes to a deletion.
    if any(is_about(one, cues) for one in said):
        return False
    return any(one.endswith("?") and _GO_AHEAD.search(one) and not _OFFER.search(one) for one in said)


def elicited_of(marking: Marking, outcome: Outcome) -> dict[str, str]:
    """Return how each fact that the user kept back came out: `active`, `passive` or `never`."""
    how: dict[str, str] = {}
    for told in outcome.messages:
        for slot, one in told.told.items():
            how.setdefault(slot, one)
    return {slot: how.get(slot, "never") for slot in marking.kept_back}
