"""The oracle: an assistant that knows the gold plan and carries it out as a good assistant would, in conversation."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from generators.agents.oracle_course import Calls, Remark, Request, course_of
from generators.agents.oracle_words import Seen, asked_words, deeds_of
from generators.agents.reports import report_forms, reported_answers, write_report
from generators.dialogue.parts import AssistantTurn, CallRequest
from generators.dialogue.report import NAME as REPORT
from language import mentions
from schemas.base import canonical_text
from schemas.plan import Question, Tell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.agents.oracle_course import Beat
    from generators.agents.registry import Seat
    from generators.dialogue.parts import AssistantView
    from schemas.base import Json
    from schemas.task import Slot
    from schemas.trajectory import Declared
    from services.runtime.streams import Stream


class Oracle:
    """Plays one conversation. Implements `parts.Assistant`."""

    declared: Declared | None = None

    def __init__(
        self, seat: Seat, *, name: str = "oracle", variant: str = "", beats: Sequence[Beat] | None = None
    ) -> None:
        """Play the gold plan of a task or, for a `variant`, `beats` made of it."""
        self.name = name
        self.variant = variant
        """Which variant for training it is; empty for the plain one, and where the task leaves no room for one."""
        self.parameters: Mapping[str, Json] = {}
        self._task = seat.task
        self._today = seat.now[:10]
        self._catalogue = seat.catalogue
        self._draws = seat.stream
        self._beats = course_of(seat.task.plan, seat.catalogue) if beats is None else list(beats)
        self._at = 0
        """Number of beats played."""
        self._again: set[int] = set()
        """Requests that were made a second time."""
        self._seen: list[Seen] = []
        self._reported = False
        self._final = ""

    async def turn(self, view: AssistantView) -> AssistantTurn:
        """Return the next turn of the plan, after a look at what came of the last one."""
        if self._final:
            return AssistantTurn(text=report_forms().again + self._final)
        if self._reported:
            return self._report(view)
        self._look(view)
        last = self._beats[self._at - 1] if self._at else None
        trouble = "" if last is None else self._trouble(last, view)
        if trouble:
            return self._retried(self._beats[self._at - 1], trouble)
        while self._at < len(self._beats):
            beat = self._beats[self._at]
            self._at += 1
            # A fact may have come out before it was asked for.
            if not (isinstance(beat, Request) and self._is_known(beat, view)):
                return self._played(beat)
        return self._report(view)

    # --- what came of the last turn ---------------------------------------------------------------------------------

    def _look(self, view: AssistantView) -> None:
        """Remember what succeeded."""
        last = self._beats[self._at - 1] if self._at else None
        if isinstance(last, Calls):
            for call, result in zip(last.calls, view.results, strict=False):
                if "error" not in result:
                    self._seen.append(Seen(call.tool, call.arguments, result))
        for act in view.acts:
            if "error" not in act.result:
                self._seen.append(Seen(act.tool, act.arguments, act.result))

    def _trouble(self, last: Beat, view: AssistantView) -> str:
        """Return what did not come about in the last turn, in a sentence; nothing when all is well."""
        if isinstance(last, Calls):
            errors = [result["error"] for result in view.results if "error" in result]
            if not errors or last.fails:
                return ""
            return str(errors[0].get("message", "")) if isinstance(errors[0], dict) else str(errors[0])
        if isinstance(last, Request):
            done = {act.tool for act in view.acts if "error" not in act.result}
            told = not isinstance(last.about, Question) or self._is_told(last.about, view.messages[-1:])
            if not told or not all(act.tool in done for act in last.acts):
                return report_forms().undone
        return ""

    def _is_known(self, request: Request, view: AssistantView) -> bool:
        """Return whether a fact that was kept back has come out in the meantime."""
        return isinstance(request.about, Question) and self._is_told(request.about, view.messages[2:])

    def _is_told(self, question: Question, messages: Sequence[Mapping[str, Json]]) -> bool:
        slot = self._slots[question.slot]
        said = [str(message["content"]) for message in messages if message["role"] == "user"]
        if slot.kind == "text":
            return any(str(question.value) in text for text in said)
        return any(mentions(text, slot.kind, question.value, (), self._today) for text in said)

    @cached_property
    def _slots(self) -> dict[str, Slot]:
        return {use.prefix + slot.name: slot for use in self._task.intents for slot in use.slots}

    # --- the next turn ----------------------------------------------------------------------------------------------

    def _retried(self, last: Beat, trouble: str) -> AssistantTurn:
        """Ask once more, and give up when that did not help either."""
        at, request = self._at - 1, last
        if isinstance(last, Calls) and at > 0:
            # A yes that was asked for in words is asked for again, now that the call is known.
            at, request = at - 1, self._beats[at - 1]
            request = request if isinstance(request, Request) and request.about.step == "confirm" else last
        if isinstance(request, Request) and at not in self._again:
            self._again.add(at)
            self._at = at + 1
            return self._asked(request)
        self._final = report_forms().failed.format(why=trouble)
        return AssistantTurn(text=self._final)

    def _played(self, beat: Beat) -> AssistantTurn:
        if isinstance(beat, Calls):
            calls = [CallRequest(f"{i}", c.tool, canonical_text(c.arguments)) for i, c in enumerate(beat.calls)]
            return AssistantTurn(calls=tuple(calls), label=beat.label)
        if isinstance(beat, Remark):
            return AssistantTurn(text=beat.text, label=beat.label)
        return self._asked(beat)

    def _asked(self, request: Request) -> AssistantTurn:
        stream = self._stream("request", self._at, len(self._again))
        text = asked_words(
            self._task, request.about, self._seen, self._catalogue, stream, at_length=request.label == "clarification"
        )
        return AssistantTurn(text=text, label=request.label)

    def _report(self, view: AssistantView) -> AssistantTurn:
        told: dict[str, Json] = {}
        for step in self._task.plan.steps:
            told |= step.answers if isinstance(step, Tell) else {}
        if told and not self._reported and _offers(view, REPORT):
            self._reported = True
            arguments: Json = {"answers": reported_answers(self._task, told)}
            return AssistantTurn(calls=(CallRequest("report", REPORT, canonical_text(arguments)),))
        at_length = self.variant == "refusal"
        deeds = deeds_of(self._seen, self._catalogue)
        self._final = write_report(self._task, told, deeds, self._stream("report"), at_length=at_length)
        return AssistantTurn(text=self._final, label="refusal" if at_length else "")

    def _stream(self, *names: str | int) -> Stream:
        return self._draws.child("oracle", *names)


def _offers(view: AssistantView, name: str) -> bool:
    tools = (tool["function"] for tool in view.tools if isinstance(tool, dict))
    return any(isinstance(function, dict) and function["name"] == name for function in tools)
