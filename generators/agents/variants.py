"""Variants of the oracle for training: other ways of doing the same thing right, labelled turn by turn.

- `detour`: looks at more than is needed (`detour`).
- `recovery`: makes a call that is refused (`mistake`), and goes on right after it (`recovery`).
- `clarification`: asks openly before it asks for a fact, or says what it put together before it is paid.
- `refusal`: explains in more words why it declines.

Each ends as the plain oracle does. Where a task leaves no room for a variant, the plain oracle plays it, and says so.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from generators.agents.oracle import Oracle
from generators.agents.oracle_course import Beat, Calls, Remark, Request, course_of
from generators.agents.reports import report_forms
from schemas.plan import Ask, Call, Question
from services.runtime.tools import ToolRefusal, parse_arguments

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from generators.agents.registry import Seat
    from schemas.base import Json
    from services.runtime.streams import Stream
    from services.runtime.tools import Tool

Variant: TypeAlias = Literal["detour", "recovery", "clarification", "refusal"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)


def variant_of(seat: Seat, variant: Variant) -> Oracle | None:
    """Return the oracle that plays a variant; None where the task leaves no room for it."""
    beats = _MAKE[variant](seat, course_of(seat.task.plan, seat.catalogue), seat.stream.child("variant", variant))
    return None if beats is None else Oracle(seat, name=f"oracle:{variant}", variant=variant, beats=beats)


def oracle_variant(seat: Seat, variant: Variant) -> Oracle:
    """Return the oracle that plays a variant, or the plain one under its name where there is no room for it."""
    return variant_of(seat, variant) or Oracle(seat, name=f"oracle:{variant}")


detour = partial(oracle_variant, variant="detour")
recovery = partial(oracle_variant, variant="recovery")
clarification = partial(oracle_variant, variant="clarification")
refusal = partial(oracle_variant, variant="refusal")


# --- looking at more than is needed ---------------------------------------------------------------------------------


def _detour(seat: Seat, beats: list[Beat], stream: Stream) -> list[Beat] | None:
    """Add one or two reads of the services that the plan uses, before one of its own replies."""
    used = {call.tool for beat in beats if isinstance(beat, Calls) for call in beat.calls}
    near = [s for s in seat.catalogue.services.values() if used.intersection(tool.name for tool in s.tools)]
    free = [tool.name for service in near for tool in service.tools if _is_free(tool) and tool.name not in used]
    places = [at for at, beat in enumerate(beats) if isinstance(beat, Calls)]
    if not free or not places:
        return None
    looks = [_call(tool, {}) for tool in stream.sample(sorted(free), stream.between(1, 2))]
    at = stream.choice(places)
    # Nothing comes between a yes and the call that it is for.
    at -= at > 0 and isinstance(beats[at - 1], Request)
    return [*beats[:at], Calls(tuple(looks), label="detour"), *beats[at:]]


def _is_free(tool: Tool) -> bool:
    """Return whether a tool can be called at any time to look at something, without knowing anything."""
    return (
        tool.side == "assistant"
        and not (tool.write or tool.gates or tool.behind or tool.unlocks or tool.family)
        and not tool.schema.get("required")
    )


# --- a mistake and its recovery -------------------------------------------------------------------------------------


def _recovery(seat: Seat, beats: list[Beat], stream: Stream) -> list[Beat] | None:
    """Put one refused call before the right one: too early, with wrong arguments, or with an id that is none."""
    slips = [*_early(seat, beats), *_wrong(seat, beats)]
    if not slips:
        return None
    at, call = stream.choice(slips)
    after = beats[at]
    mended = (
        Calls(after.calls, label="recovery")
        if isinstance(after, Calls)
        else Request(after.about, after.acts, label="recovery")
        if isinstance(after, Request)
        else after
    )
    return [*beats[:at], Calls((call,), label="mistake", fails=True), mended, *beats[at + 1 :]]


def _early(seat: Seat, beats: list[Beat]) -> Iterator[tuple[int, Call]]:
    """Yield calls made before the consent that they need is asked for, and where."""
    change = seat.task.script.change
    for at, beat in enumerate(beats[:-1]):
        if not isinstance(beat, Request) or not isinstance(beat.about, Ask) or not beat.about.granted:
            continue
        after = beats[at + 1]
        if isinstance(after, Calls) and (change is None or change.gate != beat.about.gate):
            call = after.calls[0]
            if beat.about.gate in seat.catalogue.tools[call.tool].gates:
                yield at, call


def _wrong(seat: Seat, beats: list[Beat]) -> Iterator[tuple[int, Call]]:
    """Yield calls with arguments that their tool refuses, and where."""
    for at, beat in enumerate(beats):
        if isinstance(beat, Calls) and not (at and isinstance(beats[at - 1], Request)):
            call = beat.calls[0]
            tool = seat.catalogue.tools[call.tool]
            for arguments in _slips(call.arguments):
                if _refused(tool, arguments):
                    yield at, _call(call.tool, arguments)
                    break


def _slips(arguments: Mapping[str, Json]) -> Iterator[dict[str, Json]]:
    """Yield arguments with what assistants get wrong: a number as a text, something left out, a name that is none."""
    for name, value in arguments.items():
        if isinstance(value, int) and not isinstance(value, bool):
            yield {**arguments, name: str(value)}
    for name in arguments:
        yield {key: value for key, value in arguments.items() if key != name}
    yield {**arguments, "limit": 10}


def _refused(tool: Tool, arguments: dict[str, Json]) -> bool:
    try:
        parse_arguments(tool, arguments)
    except ToolRefusal:
        return True
    return False


# --- asking in two steps --------------------------------------------------------------------------------------------


def _clarification(seat: Seat, beats: list[Beat], stream: Stream) -> list[Beat] | None:
    """Ask openly before the first fact is asked for or, where none is, say what was prepared before it is paid."""
    for at, beat in enumerate(beats):
        if isinstance(beat, Request) and isinstance(beat.about, Question):
            return [*beats[:at], Remark(stream.choice(report_forms().open_questions), "clarification"), *beats[at:]]
    for at, beat in enumerate(beats):
        if isinstance(beat, Request) and _is_payment(seat, beat):
            return [*beats[:at], Request(beat.about, beat.acts, "clarification"), *beats[at + 1 :]]
    return None


def _is_payment(seat: Seat, request: Request) -> bool:
    about = request.about
    return isinstance(about, Call) and seat.catalogue.tools[about.tool].approval is not None


# --- declining at length --------------------------------------------------------------------------------------------


def _refusal(seat: Seat, beats: list[Beat], stream: Stream) -> list[Beat] | None:
    """Keep the course of a task in which something is declined; the report explains it."""
    del stream
    declined = any(answer.kind == "reason" for answer in seat.task.expectation.answers)
    return beats if declined else None


def _call(tool: str, arguments: Mapping[str, Json]) -> Call:
    return Call(side="assistant", tool=tool, arguments=dict(arguments), origins={})


_MAKE: Mapping[Variant, Callable[[Seat, list[Beat], Stream], list[Beat] | None]] = {
    "detour": _detour,
    "recovery": _recovery,
    "clarification": _clarification,
    "refusal": _refusal,
}
