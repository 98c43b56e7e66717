"""Mutants of the gold plan: all the ways to go wrong that are tried, and how many of each on one task.

An operator knows what tools, gates and tables declare, and the plan; it names none of them. A plan that goes wrong is
carried out: one whose wrong call fails is no mutant, and the next that its operator has takes its place.
"""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from schemas.plan import Call
from validators.tasks.replay import replay
from validators.tasks.wrong_calls import (
    crossed,
    lost_option,
    needless_option,
    other_amount,
    other_choice,
    other_day,
    other_item,
    wrong_pack,
)
from validators.tasks.wrong_course import (
    before_consent,
    granted_anyway,
    half_done,
    leftover,
    needless_grant,
    second_order,
    skipped_part,
    told_only,
    too_late,
    unasked,
    undo_too_early,
    undo_write,
    without_remedy,
)
from validators.tasks.wrong_reports import declines_instead, declines_otherwise, declines_silently, wrong_answer
from validators.tasks.wrong_words import misheard, old_words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from services.runtime.streams import Stream
    from validators.tasks.altered import Deviation, Operator
    from validators.tasks.context import TaskContext
    from validators.tasks.replay import Outcome

OPERATORS: tuple[tuple[str, Operator, int], ...] = (
    ("wrong_pack", wrong_pack, 1),
    ("other_item", other_item, 1),
    ("crossed", crossed, 1),
    ("other_choice", other_choice, 1),
    ("other_amount", other_amount, 1),
    ("other_day", other_day, 2),
    ("misheard", misheard, 1),
    ("old_words", old_words, 2),
    ("lost_option", lost_option, 1),
    ("needless_option", needless_option, 1),
    ("second_order", second_order, 1),
    ("leftover", leftover, 1),
    ("needless_grant", needless_grant, 1),
    ("granted_anyway", granted_anyway, 1),
    ("undo_write", undo_write, 1),
    ("undo_too_early", undo_too_early, 1),
    ("too_late", too_late, 1),
    ("before_consent", before_consent, 1),
    ("without_remedy", without_remedy, 1),
    ("unasked", unasked, 1),
    ("half_done", half_done, 1),
    ("told_only", told_only, 1),
    ("skipped_part", skipped_part, 2),
    ("wrong_answer", wrong_answer, 2),
    ("declines_instead", declines_instead, 1),
    ("declines_otherwise", declines_otherwise, 1),
    ("declines_silently", declines_silently, 1),
)
"""Operator, how it deviates from the gold, and how many of its mutants a task gets at most."""
MOST = 8
"""Mutants of a task at most, of all operators."""
SPARE = 1
"""Further deviations of one operator that are carried out on a task where some turn out to be no mutants."""


class PlanMutant(NamedTuple):
    """A plan that goes wrong in one respect, and what came of it."""

    operator: str
    deviation: Deviation
    outcome: Outcome
    passed: bool


def plan_mutants(context: TaskContext, stream: Stream) -> Iterator[PlanMutant]:
    """Carry out mutants of the gold plan and yield those that could be done; what passes is always among them.

    Where there are more operators than a task gets mutants, the stream draws among them.
    """
    made = 0
    for operator, deviate, quota in stream.shuffled(OPERATORS):
        left = min(quota, MOST - made)
        for deviation in islice(deviate(context, stream), quota + SPARE if left else 0):
            outcome = replay(context, deviation.acts, stop_at_error=not deviation.goes_on)
            if outcome.errors and _is_gold(context, outcome):
                # What goes wrong could not be done: this is the gold and a failed call.
                continue
            passed = context.passes(outcome)
            if passed or not _fails_at_once(context, deviation, outcome):
                yield PlanMutant(operator, deviation, outcome, passed)
                made += 1
                left -= 1
            if not left:
                break


def _is_gold(context: TaskContext, outcome: Outcome) -> bool:
    gold = context.gold
    return outcome.delta == gold.delta and outcome.answers == gold.answers and outcome.asks == gold.asks


def _fails_at_once(context: TaskContext, deviation: Deviation, outcome: Outcome) -> bool:
    """Return whether the first call that is not the gold's fails, so that all that is left is the gold cut short."""
    if deviation.goes_on or not outcome.errors:
        return False
    known = {id(act) for act in context.acts}
    altered = (n for n, act in enumerate(deviation.acts) if isinstance(act.step, Call) and id(act) not in known)
    first = next(altered, None)
    return first is not None and bool(outcome.error(first))
