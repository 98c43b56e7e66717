"""Tool calls of the assistant against those of the gold, as multisets of typed, normalised calls.

Arguments are taken as the tool understands them: 1.0 is 1, what is not given stands at its default, so that a call
without an argument equals none that has one. Ids of created records need no renaming: the n-th record created in a
table has the same id in every conversation about the task. A text that a contract judges by what it states is compared
so.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, TypeAlias, cast

import msgspec

from schemas.base import canonical_text, content
from schemas.contract import Text
from schemas.plan import Call
from schemas.score import Overlap
from services.runtime.tools import ToolRefusal, parse_arguments
from validators.contract.values import check_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from schemas.base import Json
    from services.runtime.catalogue import Catalogue
    from validators.tasks.context import TaskContext

_Worded: TypeAlias = tuple[str, bytes]
"""A tool and its arguments, as they are written."""


class Calls:
    """The gold's calls of a task, ready to be compared with others."""

    def __init__(self, context: TaskContext) -> None:
        """Take the calls of the assistant's in the gold plan."""
        self._catalogue: Catalogue = context.catalogue
        contracts = context.task.expectation.any_of
        rules = [rule for contract in contracts for change in contract.changes for rule in change.fields.values()]
        self._texts = [check_of(rule) for rule in rules if isinstance(rule, Text)]
        self._keys: dict[_Worded, str] = {}
        """Keys by call, as far as they are known: attempts at a task mostly make the same calls."""
        steps = [step for step in context.task.plan.steps if isinstance(step, Call) and step.side == "assistant"]
        self._gold = {_worded(step.tool, step.arguments): step.arguments for step in steps}
        self._counted = Counter(_worded(step.tool, step.arguments) for step in steps)

    def key(self, tool: str, arguments: Mapping[str, Json] | None) -> str:
        """Return what equal calls share."""
        call = _worded(tool, arguments)
        if call not in self._keys:
            self._keys[call] = self._key(tool, arguments)
        return self._keys[call]

    def _key(self, tool: str, arguments: Mapping[str, Json] | None) -> str:
        declared = self._catalogue.tools.get(tool)
        if declared is None or not declared.callable or arguments is None:
            return canonical_text([tool, None if arguments is None else dict(arguments)])
        try:
            values = {**declared.defaults, **parse_arguments(declared, arguments)}
        except ToolRefusal:
            return canonical_text([tool, "refused", dict(arguments)])
        plain = cast("dict[str, Json]", msgspec.to_builtins(values))
        return canonical_text([tool, {name: self._stated(value) for name, value in plain.items()}])

    def _stated(self, value: Json) -> Json:
        """Return a text by what it states, where a contract judges it so."""
        if not self._texts or not isinstance(value, str) or " " not in value:
            return value
        met = [number for number, states in enumerate(self._texts) if states(value)]
        return cast("Json", {"states": met}) if met else value

    def overlap(self, made: Iterable[tuple[str, Mapping[str, Json] | None]]) -> Overlap:
        """Return precision, recall and their harmonic mean (F1); all are 1 where neither calls anything."""
        calls = [(_worded(tool, arguments), arguments) for tool, arguments in made]
        counted = Counter(call for call, _ in calls)
        # What stands in the same words is one call; only of the others it has to be found out what they mean.
        alike = self._counted & counted
        left, more = self._keyed(self._counted - alike, self._gold), self._keyed(counted - alike, dict(calls))
        shared, gold, own = alike.total() + (left & more).total(), self._counted.total(), counted.total()
        if not gold and not own:
            return Overlap.model_construct(shared=0, gold=0, made=0, precision=1.0, recall=1.0, f1=1.0)
        precision = shared / own if own else 0.0
        recall = shared / gold if gold else 0.0
        f1 = 2 * shared / (gold + own)
        return Overlap.model_construct(shared=shared, gold=gold, made=own, precision=precision, recall=recall, f1=f1)

    def _keyed(self, calls: Counter[_Worded], arguments: Mapping[_Worded, Mapping[str, Json] | None]) -> Counter[str]:
        found = Counter[str]()
        for call, times in calls.items():
            found[self.key(call[0], arguments[call])] += times
        return found


def _worded(tool: str, arguments: Mapping[str, Json] | None) -> _Worded:
    return tool, content(None if arguments is None else dict(arguments))
