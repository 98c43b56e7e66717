"""What came of a conversation: its calls carried out anew from the task's start, and what was said, asked and answered.

Nothing that a record says of results, hashes or changes is believed.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING, NamedTuple, cast

from language.asking import is_about, sentences
from language.leave import seeks_leave
from schemas.trajectory import Confirmed, Did, Offered, Said
from services.runtime.algebra import NO_ROW, Scope

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from schemas.base import Json
    from schemas.trajectory import Event, Trajectory
    from services.runtime.declare import Gate
    from services.runtime.environment import Environment
    from services.runtime.state import Overlay
    from validators.contract.judge import Judgement
    from validators.tasks.context import TaskContext

REPORT = "report"
"""Tool by which answers may be stated as values; the platform answers it, and it is no act in the environment."""


class Made(NamedTuple):
    """One call, as carried out anew."""

    at: int
    """Place of its event."""
    event: Did
    result: dict[str, Json]
    code: str
    """Error code; empty when it succeeded."""
    gate: str
    """The gate that blocked it; empty when none did."""
    quiet: str
    """The closed gate for which a read says only that nothing is there."""
    state_hash: str
    changed: bool
    """Whether it wrote."""
    diff: Json
    """What it changed, as an event records it."""


class Told(NamedTuple):
    """A message that the user got from the assistant, and what the user did and said then."""

    at: int
    """Place of its event."""
    text: str
    answered: dict[str, bool]
    """Gates about which the user's answer decides."""
    told: dict[str, str]
    """Facts that the answer tells."""
    acts: tuple[str, ...]
    """Tools that the user called in answer."""
    confirmed: tuple[str, ...]
    """Tools to a call of which the user said yes, in answer or when the call was made right after it."""
    closed: frozenset[str]
    """Standing gates that were closed when it was said."""

    @property
    def asks(self) -> bool:
        """Whether it asks something."""
        return "?" in self.text


class Outcome:
    """A conversation carried out anew."""

    def __init__(self, context: TaskContext, events: Sequence[Event]) -> None:
        """Carry out all calls and confirmations from the start of the task."""
        self.context = context
        self.env: Environment = context.open()
        self.calls: list[Made] = []
        self.messages: list[Told] = []
        self.user_turns = 0
        self.report: list[tuple[str, Json]] = []
        """What calls of the tool `report` state, in order."""
        self._standing = {name: one for name, one in context.catalogue.gates.items() if one.gate.standing}
        self._closed: tuple[Overlay, frozenset[str]] | None = None
        """Those of them that are closed in a state, which are looked at again once a call has written."""
        for at, event in enumerate(events):
            if isinstance(event, Did):
                self._carry_out(at, event)
            elif isinstance(event, Confirmed):
                self.env.confirm(event.tool, event.arguments)
            elif isinstance(event, Said) and event.by == "user":
                self.user_turns += 1
            elif isinstance(event, Said) and event.by == "assistant" and _is_delivered(events, at):
                self.messages.append(_told(events, at, event, self._closed_gates()))
        self.delta = self.env.delta()
        self.end_hash = self.env.state_hash()

    @cached_property
    def end(self) -> Judgement:
        """What the judge says of the state at the end."""
        return self.context.judge.judge_end(self.delta, self.context.holds(self.env.state_))

    @cached_property
    def made(self) -> list[Made]:
        """The calls of the assistant."""
        return [call for call in self.calls if call.event.side == "assistant"]

    def asked(self, gate: Gate) -> list[Told]:
        """Return the messages that ask for the consent of a gate and that the user took as that."""
        return [one for one in self.messages if took_as_asked(one, gate)]

    def _carry_out(self, at: int, event: Did) -> None:
        env = self.env
        quiet, changed = "", False
        before = env.snapshot()
        if event.arguments is None:
            result: dict[str, Json] = {"error": {"code": "INVALID_ARGUMENTS"}}
        elif event.tool == REPORT and event.side == "assistant" and REPORT not in env.catalogue.tools:
            self.report += _reported(event.arguments)
            return
        else:
            result = env.call(event.tool, event.arguments, event.side)
            quiet, changed = env.unavailable, bool(env.footprint.writes) and "error" not in result
        error = result.get("error")
        code = str(error.get("code", "")) if isinstance(error, dict) else ""
        gate = str(error.get("gate", "")) if isinstance(error, dict) else ""
        previous = self.calls[-1].state_hash if self.calls else ""
        state_hash = env.state_hash() if changed or not previous else previous
        diff = cast("Json", env.diff(before)) if changed else {}
        self.calls.append(Made(at, event, result, code, gate, quiet, state_hash, changed, diff))

    def _closed_gates(self) -> frozenset[str]:
        overlay = self.env.snapshot().overlay
        if self._closed is None or self._closed[0] is not overlay:
            scope = Scope(self.env.state_, self.env.now, {})
            found = frozenset(name for name, one in self._standing.items() if one.closed(NO_ROW, scope))
            self._closed = (overlay, found)
        return self._closed[1]


def outcome_of(context: TaskContext, trajectory: Trajectory) -> Outcome:
    """Return what came of a conversation about the task."""
    return Outcome(context, trajectory.events)


def took_as_asked(told: Told, gate: Gate) -> bool:
    """Return whether the user took a message as asking for the consent of a gate, of which it does speak.

    They may take it so that it is off, short or missing.
    """
    if gate.name not in told.answered and (gate.remedy is None or gate.remedy.tool not in told.acts):
        return False
    closed = () if gate.asking is None else gate.asking.closed
    return is_about_gate(told.text, gate) or any(is_about(sentence, closed) for sentence in sentences(told.text))


def is_about_gate(text: str, gate: Gate) -> bool:
    """Return whether a message speaks of the consent of a gate: by its cues, by asking leave, or by its tool's name."""
    cues, leave = gate_cues(gate), None if gate.asking is None else gate.asking.leave
    parts = sentences(text)
    if any(is_about(one, cues) or (leave is not None and seeks_leave(one, leave)) for one in parts):
        return True
    # what would be done may be told first, and asked about in the next sentence
    asked = (f"{said} {question}" for said, question in pairwise(parts) if question.endswith("?"))
    return leave is not None and any(seeks_leave(both, leave) for both in asked)


def gate_cues(gate: Gate) -> Iterable[str]:
    """Return the phrases by which a message is known to speak of a gate."""
    tool = () if gate.remedy is None else (gate.remedy.tool,)
    return (*(() if gate.asking is None else gate.asking.cues), *tool)


def _is_delivered(events: Sequence[Event], at: int) -> bool:
    """Return whether the user got a message: one beside calls of the assistant is not delivered."""
    for event in events[at + 1 :]:
        if isinstance(event, Offered | Confirmed):
            continue
        return event.side == "user" if isinstance(event, Did) else event.by == "user"
    return True


def _told(events: Sequence[Event], at: int, said: Said, closed: frozenset[str]) -> Told:
    answered: dict[str, bool] = {}
    told: dict[str, str] = {}
    acts: list[str] = []
    confirmed: list[str] = []
    for event in events[at + 1 :]:
        if isinstance(event, Confirmed):
            confirmed.append(event.tool)
        elif isinstance(event, Did) and event.side == "user":
            acts.append(event.tool)
        elif isinstance(event, Said) and event.by == "user":
            answered |= event.answered
            told |= event.told
        elif isinstance(event, Said) and event.by == "assistant" and event.turn != said.turn:
            # What the user agrees to in words is confirmed when the call is made, in the next turn of the assistant.
            break
    return Told(at, said.text, answered, told, tuple(acts), tuple(confirmed), closed)


def _reported(arguments: dict[str, Json]) -> list[tuple[str, Json]]:
    entries = arguments.get("answers")
    rows = [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []
    return [(str(row["what"]), row["value"]) for row in rows if "what" in row and "value" in row]
