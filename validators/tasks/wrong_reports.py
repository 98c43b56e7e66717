"""Reports that are wrong: another value, a decline where there is something to do, a decline for another reason."""

from __future__ import annotations

from collections import deque
from itertools import islice
from typing import TYPE_CHECKING, get_args

from schemas.goal import Reason
from schemas.plan import Tell
from validators.contract.values import is_number, is_reason
from validators.tasks.altered import Deviation, done_for, retold
from validators.tasks.other_values import days_off, is_day, neighbours, other_words
from validators.tasks.worth import graph_of

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemas.base import Json
    from services.runtime.streams import Stream
    from validators.tasks.context import Part, TaskContext

REASONS: tuple[str, ...] = get_args(Reason)


def wrong_answer(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Tell one value wrong: that of another row or another day, another word, a little more or less, too few names."""
    told = [
        (name, _mistakes(context, act.step, name, stream))
        for act in context.acts
        if isinstance(act.step, Tell)
        for name in act.step.answers
        if not is_reason(name)
    ]
    # The first mistake in each answer, then the second in each.
    waiting = deque(stream.shuffled(told))
    while waiting:
        name, mistakes = waiting.popleft()
        for wrong in islice(mistakes, 1):
            yield Deviation(retold(context, {name: wrong}))
            waiting.append((name, mistakes))


def _mistakes(context: TaskContext, step: Tell, name: str, stream: Stream) -> Iterator[Json]:
    """Yield what could be told instead of a value: what stands or comes out elsewhere, then what is a little off."""
    value, node = step.answers[name], step.origins[name]
    yield from islice(neighbours(graph_of(context), node), 1)
    yield from islice(other_words(graph_of(context), node), 1)
    sign = stream.choice((1, -1))
    if is_number(value):
        yield value + sign if isinstance(value, int) else round(value + sign / 10, 1)
    elif isinstance(value, str) and is_day(value):
        yield days_off(value, sign)
    elif isinstance(value, list):
        yield value[1:]


def declines_instead(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Decline what can be done, for any reason there is: look, but do none of it."""
    for part in stream.shuffled(context.parts):
        if part.goal.decline is None:
            left_out = done_for(context, part.number)
            for reason in stream.shuffled(REASONS):
                yield Deviation(retold(context, {_reason_of(part): reason}, left_out), goes_on=True)


def declines_otherwise(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Decline for another reason than the one that holds."""
    for part in stream.shuffled(context.parts):
        if part.goal.decline is not None:
            others = [reason for reason in REASONS if reason != part.goal.decline.reason]
            yield Deviation(retold(context, {_reason_of(part): stream.choice(others)}))


def declines_silently(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Leave the reason out where the request cannot be met."""
    for part in stream.shuffled(context.parts):
        if part.goal.decline is not None:
            yield Deviation(retold(context, {_reason_of(part): None}))


def _reason_of(part: Part) -> str:
    return f"{part.use.prefix}reason"
