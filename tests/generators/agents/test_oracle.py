"""The oracle carries out every gold plan in conversation, and tells what is to be told."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from generators.agents.oracle import Oracle
from generators.agents.oracle_course import Calls, Request, course_of
from generators.agents.reports import said_answer
from generators.dialogue.messages import messages_of
from generators.dialogue.parts import Hands, UserReply
from language import Manner, find
from schemas.base import Json, canonical
from schemas.plan import Call, Tell
from schemas.task import Task
from schemas.trajectory import Did, Said, Trajectory
from services.runtime.catalogue import installed_catalogue
from tests.generators.agents.obedient import Obedient
from tests.generators.agents.talks import seat, talk, tasks


def report_of(trajectory: Trajectory) -> str:
    return [e.text for e in trajectory.events if isinstance(e, Said) and e.by == "assistant"][-1]


def calls_of(trajectory: Trajectory) -> list[Did]:
    return [e for e in trajectory.events if isinstance(e, Did)]


_TALKS: dict[str, Trajectory] = {}


def gold_talk(task: Task) -> Trajectory:
    """The conversation of the plain oracle, held once."""
    if task.task_id not in _TALKS:
        _TALKS[task.task_id] = talk(task)
    return _TALKS[task.task_id]


def one(feature: str) -> Task:
    return next(task for task in tasks() if feature in task.features)


def test_tasks_of_every_kind_are_there() -> None:
    features = {feature for task in tasks() for feature in task.features}
    assert features >= {
        "several_intents",
        "decline",
        "closed_gate",
        "told_on_request",
        "limited_consent",
        "change_of_mind",
    }
    assert any(step.step == "confirm" for task in tasks() for step in task.plan.steps)


def test_every_task_ends_as_its_gold() -> None:
    found = {task.task_id: talk(task) for task in tasks()}
    assert {
        t.task_id for t in tasks() if (found[t.task_id].end, found[t.task_id].end_hash) != ("done", t.end_hash)
    } == set()
    calls = [call for trajectory in found.values() for call in calls_of(trajectory)]
    assert not [call.tool for call in calls if "error" in call.result]


def test_every_answer_is_told_with_its_value_and_asks_nothing() -> None:
    told = 0
    for task in tasks():
        report = report_of(gold_talk(task))
        assert "?" not in report
        for answer in task.expectation.answers:
            if answer.kind == "reason":
                continue
            told += 1
            values = answer.value if isinstance(answer.value, list) else [answer.value]
            kind = "name" if answer.kind == "names" else answer.kind
            for value in values:
                said = said_answer(kind, value, Manner())
                assert said.lower() in report.lower() or _stands_in(report, kind, value)
    assert told > 20


def _stands_in(report: str, kind: str, value: Json) -> bool:
    return kind == "date" and value in [mention.value for mention in find("date", report)]


def test_calls_are_those_of_the_plan_in_their_order() -> None:
    for task in tasks():
        planned = [(s.side, s.tool, s.arguments) for s in task.plan.steps if isinstance(s, Call)]
        assert [(c.side, c.tool, c.arguments) for c in calls_of(gold_talk(task))] == planned


def test_reads_go_together_where_none_needs_another_and_writes_go_alone() -> None:
    tools = installed_catalogue().tools
    together = 0
    for task in tasks():
        for beat in course_of(task.plan, installed_catalogue()):
            if isinstance(beat, Calls) and len(beat.calls) > 1:
                together += 1
                assert not any(tools[call.tool].write for call in beat.calls)
    assert together > 10


def test_pages_after_the_first_are_read_together() -> None:
    task = next(t for t in tasks() if "browse_items" in t.tools)
    beats = [beat for beat in course_of(task.plan, installed_catalogue()) if isinstance(beat, Calls)]
    pages = [[c.arguments["page"] for c in beat.calls if c.tool == "browse_items"] for beat in beats]
    first, rest = [page for page in pages if page][:2]
    assert first == [1]
    assert rest == list(range(2, 2 + len(rest)))
    assert len(rest) > 1


def test_a_consent_for_this_request_is_left_to_the_user_to_take_back() -> None:
    for task in tasks():
        for beat in course_of(task.plan, installed_catalogue()):
            if isinstance(beat, Request):
                assert not any(act.arguments.get("allow") is False for act in beat.acts)


def test_a_conversation_is_the_same_every_time_and_another_one_in_a_further_attempt() -> None:
    task = one("several_gates") if any("several_gates" in t.features for t in tasks()) else one("closed_gate")
    first, again, other = talk(task), talk(task), talk(task, attempt=1)
    assert canonical(first) == canonical(again)
    assert messages_of(first) != messages_of(other)


class Hesitant(Obedient):
    """Does what they are asked for the second time."""

    def __init__(self, task: Task, times: int = 1) -> None:
        super().__init__(task)
        self.refused: list[str] = []
        self._times = times

    async def reply(self, text: str, hands: Hands) -> UserReply:
        if text.startswith("I could not finish"):
            return UserReply("Well.", stop=True)
        if self._steps and self.refused.count(self._steps[0].step) < self._times and ("?" in text or "lease" in text):
            self.refused.append(self._steps[0].step)
            return UserReply("Sorry, what?")
        return await super().reply(text, hands)


@pytest.mark.parametrize("feature", ["told_on_request", "change_of_mind"])
def test_who_does_not_do_what_is_needed_is_asked_once_more(feature: str) -> None:
    task = next(t for t in tasks() if feature in t.features and not t.features.count("decline"))
    trajectory = talk(task, user=Hesitant(task))
    assert trajectory.end_hash == task.end_hash


def test_who_never_does_it_is_told_that_it_was_not_done() -> None:
    task = next(t for t in tasks() if "PURCHASE" in t.gates and "decline" not in t.features)
    trajectory = talk(task, user=Hesitant(task, times=9))
    assert "could not finish" in report_of(trajectory)
    asked = [e for e in trajectory.events if isinstance(e, Said) and e.by == "assistant" and "?" in e.text]
    assert len(asked) == len({e.turn for e in asked}) <= 3


class Distrustful(Obedient):
    """Says yes in words, and means it only when a call is waiting."""

    def agrees(self, tool: str, arguments: Mapping[str, Json], hands: Hands) -> bool:
        return False

    async def reply(self, text: str, hands: Hands) -> UserReply:
        if hands.pending:
            hands.confirm(*hands.pending[-1])
            return UserReply("Yes, that one.")
        return await super().reply(text, hands)


def test_a_yes_is_asked_for_again_when_the_call_waits_for_it() -> None:
    task = next(t for t in tasks() if any(s.step == "confirm" for s in t.plan.steps))
    trajectory = talk(task, user=Distrustful(task))
    codes = [c.result["error"]["code"] for c in calls_of(trajectory) if "error" in c.result]  # type: ignore[index,call-overload]
    assert codes == ["CONFIRMATION_REQUIRED"]
    assert trajectory.end_hash == task.end_hash


def test_answers_are_reported_once_as_values_just_before_the_final_message() -> None:
    reported = 0
    for task in tasks():
        plain, trajectory = gold_talk(task), talk(task, answers="tool")
        calls = [c for c in calls_of(trajectory) if c.tool == "report"]
        assert len(calls) == (1 if task.expectation.answers else 0)
        assert len(trajectory.events) == len(plain.events) + len(calls)
        reported += len(calls)
        for call in calls:
            assert call.result == {"received": len(task.expectation.answers)}
    assert reported > 10


def test_what_is_told_comes_from_the_plan() -> None:
    for task in tasks():
        told = {name for step in task.plan.steps if isinstance(step, Tell) for name in step.answers}
        assert told == {answer.name for answer in task.expectation.answers}


def test_it_is_named_and_plays_no_variant() -> None:
    assistant = Oracle(seat(tasks()[0]))
    assert (assistant.name, assistant.variant, assistant.declared) == ("oracle", "", None)
