"""Pairs for preferences: of one task, a conversation that passed and one that did not, from where they part.

Both begin with the same messages, and go on with another message of the assistant: what the user or a tool answered
differently is nothing that an assistant could prefer.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from publishing.exports.examples import tool_names

if TYPE_CHECKING:
    from collections.abc import Sequence

    from publishing.exports.examples import Example
    from schemas.base import Json


@dataclass(frozen=True, slots=True)
class Pair:
    """Two conversations about one task."""

    chosen: Example
    rejected: Example
    common: int
    """Messages that both begin with."""

    @property
    def tools(self) -> list[Json]:
        """All tools that were offered in either."""
        known = tool_names(self.chosen.tools)
        return [*self.chosen.tools, *(tool for tool in self.rejected.tools if tool_names([tool]) - known)]


def pairs_of(passed: Sequence[Example], failed: Sequence[Example]) -> list[Pair]:
    """Return a pair for each conversation that failed: with the passed one that has most in common with it.

    Of several such the first; none where no passed one parts from it by a message of the assistant.
    """
    found: list[Pair] = []
    for rejected in failed:
        pairs = [pair for chosen in passed if (pair := _pair(chosen, rejected))]
        found += [max(pairs, key=lambda pair: pair.common)] if pairs else []
    return found


def _pair(chosen: Example, rejected: Example) -> Pair | None:
    both = zip(chosen.messages, rejected.messages, strict=False)
    common = next((at for at, (one, other) in enumerate(both) if one != other), None)
    # No difference within both: one is the beginning of the other. A difference at once: another system prompt.
    if not common or chosen.messages[common]["role"] != "assistant":
        return None
    return Pair(chosen, rejected, common) if rejected.messages[common]["role"] == "assistant" else None
