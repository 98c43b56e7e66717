"""PAUSE's evaluation formulas as its reference computes them, holes included, to compare with its published figures.

Our own judgement is `validators.contract.judge`, and our own columns are in `shopping_columns`; nothing here decides
whether a trajectory passes. Known holes, kept on purpose:

- tool calls count as equal only when their arguments are the same text by text: a note in other words is another call,
  and 5 is not 5.0; order, results and calls of the user do not count;
- `state_check` compares a field that no trajectory has, and so is always true;
- targets are yes or no, however they were found; how PAUSE makes TC and TA of them is inferred, not published.
"""

from __future__ import annotations

import json
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from schemas.score import ErrorClass

STATE_FIELD = "final_state"
"""Stands for the field that `state_check` compares; nothing writes it."""
ERROR_TYPES: Mapping[ErrorClass, str] = {
    "data": "DCE",
    "tool_bypass": "TBE",
    "navigation": "RNE",
    "consent": "SCE",
    "other": "OTHER",
}
"""Our classes of errors -> PAUSE's: data or computation, tool bypass, resource navigation, system configuration."""


class Call(NamedTuple):
    """A tool call of the assistant."""

    tool: str
    arguments: str
    """JSON as it was written."""


class Overlap(NamedTuple):
    """How the calls made agree with those of the gold, as multisets."""

    shared: int
    precision: float
    recall: float
    f1: float
    jaccard: float


class Step(NamedTuple):
    """What one side did at once: a text, tool calls, or both."""

    side: Literal["assistant", "user"]
    text: str = ""
    tools: tuple[str, ...] = ()


class Counts(NamedTuple):
    """What happened in one trajectory."""

    rounds: int
    """Texts of the assistant without tool calls, the greeting aside."""
    assistant_calls: int
    user_calls: int
    per_tool: dict[str, int]
    """Tool -> calls of both sides, by name."""


@lru_cache(maxsize=4096)
def key(call: Call) -> tuple[str, str]:
    """Return what makes two calls equal: the tool, and the arguments written again with sorted keys.

    Where arguments are no JSON, PAUSE's evaluation ends altogether; here they stand for themselves and equal nothing
    that is JSON.
    """
    try:
        return call.tool, json.dumps(json.loads(call.arguments), sort_keys=True)
    except (ValueError, RecursionError):
        return call.tool, call.arguments


def overlap(gold: Iterable[Call], made: Iterable[Call]) -> Overlap:
    """Return the overlap of calls: all 1 where neither made one, 0 where a denominator is empty."""
    reference, candidate = Counter(map(key, gold)), Counter(map(key, made))
    if not reference and not candidate:
        return Overlap(0, 1.0, 1.0, 1.0, 1.0)
    shared = (reference & candidate).total()
    precision, recall = _ratio(shared, candidate.total()), _ratio(shared, reference.total())
    f1 = _ratio(2 * precision * recall, precision + recall)
    return Overlap(shared, precision, recall, f1, _ratio(shared, (reference | candidate).total()))


def _ratio(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def mean(values: Sequence[float]) -> float:
    """Return the mean. Raise ValueError when there are none."""
    if not values:
        raise ValueError("there is no task to take a mean over")
    return sum(values) / len(values)


def task_completion(targets: Sequence[Sequence[bool]]) -> float:
    """Return TC, the share of tasks all of whose targets are met. Raise ValueError for no tasks or no targets."""
    return mean([float(_share(met) == 1) for met in targets])


def target_achievement(targets: Sequence[Sequence[bool]]) -> float:
    """Return TA, the mean over tasks of the share of targets met. Raise ValueError for no tasks or no targets."""
    return mean([_share(met) for met in targets])


def _share(met: Sequence[bool]) -> float:
    if not met:
        raise ValueError("a task without targets is neither met nor missed")
    return sum(met) / len(met)


def state_check(gold: Mapping[str, object], made: Mapping[str, object]) -> bool:
    """Return whether two trajectories end in the same state by the field that none of them has: always true."""
    return gold.get(STATE_FIELD) == made.get(STATE_FIELD)


def counts(steps: Iterable[Step], *, greeted: bool) -> Counts:
    """Return the counts of one trajectory; `greeted` says whether it begins with the assistant's fixed greeting."""
    rounds, calls, per_tool = -int(greeted), Counter[str](), Counter[str]()
    for step in steps:
        rounds += step.side == "assistant" and bool(step.text) and not step.tools
        calls[step.side] += len(step.tools)
        per_tool.update(step.tools)
    return Counts(rounds, calls["assistant"], calls["user"], dict(sorted(per_tool.items())))


def error_counts(failures: Iterable[tuple[str, ErrorClass]]) -> dict[str, dict[str, int]]:
    """Return model -> PAUSE's error type -> failures, from (model, class) of each failed trajectory."""
    found: dict[str, Counter[str]] = {}
    for model, error_class in failures:
        found.setdefault(model, Counter())[ERROR_TYPES[error_class]] += 1
    return {model: {kind: found[model][kind] for kind in ERROR_TYPES.values()} for model in sorted(found)}
