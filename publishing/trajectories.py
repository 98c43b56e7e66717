"""Recorded conversations as rows of a release, and back.

A row holds the whole trajectory: its events, from which everything else follows, and beside them what readers select
by and train on as typed columns. `trajectory_of` gives back what `row_of` was given.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, cast

import orjson

from generators.dialogue.messages import messages_of
from publishing.columns import JsonText
from schemas.base import Json, Model, canonical_text
from schemas.models import Usage
from schemas.score import Score
from schemas.trajectory import Budget, Declared, EndReason, Event, Part, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from generators.dialogue.parts import Message
    from publishing.parquet import RawRow


class CallColumns(Model):
    """One tool call in a message."""

    id: str
    name: str
    arguments: str
    """As the assistant wrote them; JSON unless it went wrong."""


class MessageColumns(Model):
    """One message of a conversation; what a message does not have is empty, and nothing is null."""

    role: Literal["system", "user", "assistant", "tool"]
    content: str
    name: str
    """Of a tool's message, the tool."""
    tool_call_id: str
    """Of a tool's message, the call."""
    tool_calls: list[CallColumns]


class ScoreColumns(Model):
    """What the score says; zeros and empty texts where there is none."""

    contract: bool
    answers: bool
    consent: bool
    reason: str
    error_class: str
    """Of a failed conversation, the class of its first decisive error."""
    collateral: int
    needless: int
    targets: int
    reached: int
    precision: float
    recall: float
    f1: float
    assistant_turns: int
    user_turns: int
    calls: int
    errors: int


class UsageColumns(Model):
    """What the model of one side used; zeros where no model played."""

    calls: int
    input_tokens: int
    cached_tokens: int
    output_tokens: int
    reasoning_tokens: int
    cost: str
    """Decimal text in US dollars; empty where it is not known."""


class TrajectoryRow(Model):
    """One recorded conversation about a task, with its score."""

    trajectory_id: str
    """`<task_id>-k<attempt>-<rollout>`."""
    rollout: str
    """The rollout it is from: first digits of the digest of its settings, which the manifest lists."""
    task_id: str
    """The task."""
    user_id: str
    """Who asks."""
    attempt: int
    """Of the attempts of one rollout at the task, from 0."""
    assistant: str
    """Who played the assistant."""
    variant: str
    """Which variant of the oracle it is, for training; empty for the plain one and for other assistants."""
    user: str
    """Who played the user."""
    answers: Literal["text", "tool"]
    """Where answers are read: in the final report, or in calls of the tool `report`."""
    family: str
    """Part of life, as of the task."""
    level: Literal["easy", "hard"]
    """Difficulty, as of the task."""
    template: str
    """Composition of intents and forms, as of the task."""
    scenario: str
    """As of the task."""
    now: str
    """The frozen local time that the assistant was told."""
    end: EndReason
    """`done`, `user_stopped`, `budget`, `agent_error`; after `user_fault`, `infrastructure_error` it is not scored."""
    end_detail: str
    """What ended it, in one sentence."""
    scored: bool
    """Whether there is a score."""
    passed: bool
    """Whether contract, answers and consent hold, by execution."""
    score: ScoreColumns
    assistant_usage: UsageColumns
    user_usage: UsageColumns
    messages: list[MessageColumns]
    """The conversation as the assistant had it, the user's last words included."""
    tools_json: JsonText[list[Json]]
    """The tools offered to the assistant at the start, as in a chat-completions request."""
    events_json: JsonText[list[Event]]
    """Everything that happened, in order: messages, calls with results, state hashes and changes, the user's yes."""
    score_json: JsonText[Score | None]
    """The whole score."""
    assistant_json: JsonText[Part]
    """Parameters and exact prompt of the assistant."""
    user_json: JsonText[Part]
    """Parameters and exact prompt of the user."""
    budget_json: JsonText[Budget]
    """What the conversation could use up."""
    declared_json: JsonText[Declared | None]
    """Of an imperfect assistant, the error that it commits."""
    start_hash: str
    """State hash at the start."""
    end_hash: str
    """State hash at the end."""


class RolloutOrigin(Model):
    """One rollout whose trajectories a release holds."""

    rollout: str
    """First digits of the digest of its settings."""
    assistant: str
    user: str
    attempts: int
    """At each task."""
    seed: int
    settings_sha256: str
    """Digest of all settings that decide the trajectories."""
    generator_version: str
    trajectories: int
    passed: int
    ends: dict[str, int]
    """End reason -> trajectories."""


@dataclass(frozen=True, slots=True)
class Recorded:
    """The trajectories that go into a release."""

    origins: list[RolloutOrigin]
    """Sorted by `rollout`, each another one."""
    users: Callable[[], Iterator[str]]
    """Yields the user of each trajectory."""
    trajectories: Callable[[], Iterator[tuple[str, Trajectory]]]
    """Yields rollout and trajectory, in the order of tasks and rollouts."""


def row_of(rollout: str, trajectory: Trajectory) -> RawRow:
    """Return a trajectory as a row."""
    score, record = trajectory.score, trajectory.__dict__
    plain = ("task_id", "user_id", "attempt", "variant", "answers", "family", "level", "template", "scenario", "now")
    return {
        "trajectory_id": f"{trajectory.trajectory_id}-{rollout}",
        "rollout": rollout,
        **{name: record[name] for name in (*plain, "end", "end_detail", "tools_json", "start_hash", "end_hash")},
        "assistant": trajectory.assistant.name,
        "user": trajectory.user.name,
        "scored": score is not None,
        "passed": score is not None and score.passed,
        "score": _score(score).model_dump(),
        "assistant_usage": _usage(trajectory.assistant.usage),
        "user_usage": _usage(trajectory.user.usage),
        "messages": _messages(messages_of(trajectory)),
        **{f"{name}_json": canonical_text(record[name]) for name in ("events", "score", "assistant", "user", "budget")},
        "declared_json": canonical_text(trajectory.declared),
    }


def trajectory_of(row: Mapping[str, object]) -> Trajectory:
    """Return the trajectory of a row. Raise ValueError when it is none."""
    parsed = {
        name: orjson.loads(cast("str", row[f"{name}_json"]))
        for name in ("events", "score", "assistant", "user", "budget", "declared")
    }
    fields = {name: row[name] for name in Trajectory.model_fields if name in row and name not in parsed}
    identity = str(row["trajectory_id"]).removesuffix(f"-{row['rollout']}")
    return Trajectory.of_parsed({**fields, **parsed, "trajectory_id": identity})


def _score(score: Score | None) -> ScoreColumns:
    overlap = None if score is None else score.overlap
    return ScoreColumns(
        contract=score is not None and score.contract,
        answers=score is not None and score.answers,
        consent=score is not None and score.consent,
        reason=score.reason if score else "",
        error_class=(score.error_class or "") if score else "",
        collateral=score.collateral if score else 0,
        needless=len(score.needless) if score else 0,
        targets=score.targets if score else 0,
        reached=score.reached if score else 0,
        precision=overlap.precision if overlap else 0.0,
        recall=overlap.recall if overlap else 0.0,
        f1=overlap.f1 if overlap else 0.0,
        assistant_turns=score.assistant_turns if score else 0,
        user_turns=score.user_turns if score else 0,
        calls=score.calls if score else 0,
        errors=score.errors if score else 0,
    )


def _usage(usage: Usage) -> dict[str, Json]:
    fields = {name: getattr(usage, name) for name in UsageColumns.model_fields}
    return {**fields, "cost": usage.cost or ""}


def _messages(messages: list[Message]) -> list[dict[str, Json]]:
    tools: dict[str, str] = {}
    rows: list[dict[str, Json]] = []
    for message in messages:
        calls: list[Json] = []
        for call in cast("list[dict[str, Json]]", message.get("tool_calls") or []):
            function = cast("dict[str, str]", call["function"])
            tools[str(call["id"])] = function["name"]
            calls.append({"id": call["id"], "name": function["name"], "arguments": function["arguments"]})
        answers = str(message.get("tool_call_id") or "")
        rows.append(
            {
                "role": message["role"],
                "content": message.get("content") or "",
                "name": tools[answers] if answers else "",
                "tool_call_id": answers,
                "tool_calls": calls,
            }
        )
    return rows
