"""What PAUSE's formulas are given of our tasks and trajectories."""

from __future__ import annotations

import json

import pytest

from schemas.base import Json
from schemas.plan import Call as GoldCall
from schemas.score import ErrorClass, Overlap, Score
from schemas.task import Task
from schemas.trajectory import Budget, Did, Event, Offered, Part, Said, Side, Trajectory
from tests.validators.scoring.shop import context
from validators.scoring.pause_compat import counts, overlap
from validators.scoring.pause_compat_adapter import failures, gold_calls, made_calls, steps_of, targets_met

TASK = context().task


def did(turn: int, side: Side, tool: str, arguments: dict[str, Json] | str, reply: int = 0) -> Did:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    parsed = None if isinstance(arguments, str) else arguments
    return Did(
        turn=turn,
        side=side,
        call_id="c",
        reply=reply,
        tool=tool,
        arguments_text=text,
        arguments=parsed,
        result={},
        state_hash="",
    )


def trajectory(*events: Event, score: Score | None = None, name: str = "m") -> Trajectory:
    return Trajectory(
        trajectory_id=f"{TASK.task_id}-k00",
        task_id=TASK.task_id,
        user_id=TASK.user_id,
        attempt=0,
        family=TASK.family,
        level=TASK.level,
        template=TASK.template,
        scenario=TASK.scenario,
        now="2025-06-10T12:00:00",
        answers="text",
        assistant=Part(name=name),
        user=Part(name="scripted"),
        tools_json="[]",
        budget=Budget(),
        events=list(events),
        end="done",
        start_hash="",
        end_hash="",
        score=score,
    )


def gold_events(task: Task) -> list[Event]:
    calls = [step for step in task.plan.steps if isinstance(step, GoldCall)]
    return [did(turn, step.side, step.tool, step.arguments) for turn, step in enumerate(calls)]


def test_the_gold_calls_overlap_with_themselves_and_calls_of_the_user_do_not_count() -> None:
    events = gold_events(TASK)
    gold = gold_calls(TASK)
    assert [call.tool for call in gold].count("authorize_checkout") == 0
    assert any(isinstance(event, Did) and event.side == "user" for event in events)
    assert overlap(gold, made_calls(trajectory(*events))) == (len(gold), 1.0, 1.0, 1.0, 1.0)


def test_a_report_is_no_call_of_pauses() -> None:
    told = did(9, "assistant", "report", {"answers": [{"what": "total", "value": 3}]})
    found = trajectory(*gold_events(TASK), told)
    assert overlap(gold_calls(TASK), made_calls(found)).precision == 1
    assert counts(steps_of(found), greeted=False) == counts(steps_of(trajectory(*gold_events(TASK))), greeted=False)


def test_a_call_counts_as_it_was_written_also_when_it_failed() -> None:
    gold = gold_calls(TASK)
    # One of the gold's calls written with a float, one that is no JSON: both only add to the calls made.
    page = did(0, "assistant", "browse_items", '{"page": 1.0}')
    broken = did(0, "assistant", "browse_items", '{"page": ')
    made = made_calls(trajectory(*gold_events(TASK), page, broken))
    found = overlap(gold, made)
    assert (found.shared, len(made)) == (len(gold), len(gold) + 2)
    assert found.precision == pytest.approx(len(gold) / (len(gold) + 2))
    assert found.recall == 1


def test_rounds_are_texts_that_no_call_follows_in_the_turn() -> None:
    events: list[Event] = [
        Said(turn=0, by="user", text="Buy it."),
        Said(turn=1, by="assistant", text="Let me see."),
        did(1, "assistant", "look", {}),
        Offered(turn=1, tools=[]),
        did(1, "assistant", "look", {}, reply=1),
        Said(turn=1, by="assistant", text="May I?"),
        did(2, "user", "allow", {}),
        Said(turn=2, by="user", text="You may."),
        Said(turn=3, by="platform", text="That was no JSON."),
        Said(turn=3, by="assistant", text="Done."),
        Said(turn=4, by="user", text="Thanks."),
    ]
    assert counts(steps_of(trajectory(*events)), greeted=False) == (2, 2, 1, {"allow": 1, "look": 2})


def scored(passed: bool, error_class: ErrorClass | None = None, targets: int = 3, reached: int = 3) -> Score:
    return Score(
        passed=passed,
        contract=passed,
        answers=True,
        consent=True,
        targets=targets,
        reached=reached,
        overlap=Overlap(shared=0, gold=0, made=0, precision=0, recall=0, f1=0),
        assistant_turns=1,
        user_turns=1,
        calls=0,
        errors=0,
        error_class=error_class,
    )


@pytest.mark.parametrize(
    ("targets", "reached", "met"), [(3, 2, [True, True, False]), (2, 2, [True, True]), (1, 0, [False]), (0, 0, [])]
)
def test_targets_are_met_as_scored(targets: int, reached: int, met: list[bool]) -> None:
    assert targets_met(scored(False, targets=targets, reached=reached)) == met


def test_only_failed_trajectories_of_a_known_class_are_failures() -> None:
    records = [
        trajectory(score=scored(True)),
        trajectory(score=scored(False, "data"), name="m1"),
        trajectory(score=scored(False, "consent"), name="m2"),
        trajectory(score=scored(False)),
        trajectory(),
    ]
    assert failures(records) == [("m1", "data"), ("m2", "consent")]
