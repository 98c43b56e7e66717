"""The configs of a release: one row model each, and who may see it.

Every field of a task stands in exactly one of `tasks`, `scripts` and `gold`, so that a task can be put together again
from the published files, and nothing that only a grader may know stands elsewhere. `scripts` is apart from `tasks`
because what a user consents to, and would tell when asked, is for the simulated user and not for the assistant.
`trajectories` shows tasks being solved, and is for training and grading alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from publishing.columns import JsonText
from publishing.trajectories import TrajectoryRow
from schemas.base import Json, Model
from schemas.certificate import Certificate
from schemas.contract import Expectation
from schemas.goal import Goal
from schemas.plan import Plan
from schemas.profile import Profile
from schemas.task import IntentUse, Patch, SlotKind, UserScript


class WorldRow(Model):
    """Data shared by many users."""

    world_id: str
    """Hash of the content; environments and tasks name it."""
    schema_version: int
    """Version of the form of `tables_json`."""
    tables_json: JsonText[dict[str, list[dict[str, Json]]]]
    """Immutable rows by table, such as the product catalogue in `products`."""


class EnvironmentRow(Model):
    """One user's state over all services at one frozen moment."""

    environment_id: str
    """`<user_id>-env`."""
    user_id: str
    """The user whose data it is."""
    world_id: str
    """The world it refers to."""
    now: str
    """Frozen local time, `YYYY-MM-DDTHH:MM:SS`, without a zone."""
    seed: str
    """Seed of the ids that tools create."""
    state_hash: str
    """Hash over all records, 32 hexadecimal digits; opening the environment compares it."""
    tables_json: JsonText[dict[str, list[dict[str, Json]]]]
    """Records by table, sorted by id, tables that no tool shows included; money in cents."""
    blobs_json: JsonText[dict[str, str]]
    """Arrays of numbers by name, such as one value per minute: base64 of a zlib stream, little-endian. The record whose
    id is the name tells their encoding, number and digest."""


class TaskRow(Model):
    """A task as it starts: what is asked, when and where."""

    task_id: str
    """`<user_id>-t<ordinal>`."""
    user_id: str
    """Who asks."""
    ordinal: int
    """Index among the user's tasks, from 0."""
    environment_id: str
    """The environment in which the task plays."""
    world_id: str
    """The world of that environment."""
    family: str
    """Part of life, such as `shopping`."""
    level: Literal["easy", "hard"]
    """Difficulty by stated features, which stand with the gold."""
    kin: Literal["first", "twin", "variation"]
    """`twin`: the same request where one record or consent, and what is right, is different from the task `kin_of`;
    `variation`: the same scenario told in another way. For who counts or samples tasks, not for the assistant."""
    kin_of: str
    """The first task of the scenario: the one that this task came from, else itself. Tasks that share it are kin."""
    now: str
    """The frozen local time that the assistant is told."""
    instruction: str
    """The user's first message. It leaves out what is told on request, and states a wish that may change."""
    offered_tools: list[str]
    """Names of the tools that the assistant can call at the start; their schemas stand in the config `tools`."""


class StartRow(Model):
    """How a task starts: for whoever runs the tools. What was prepared for a task gives away what it is about."""

    task_id: str
    """The task."""
    user_id: str
    """Who asks."""
    environment_id: str
    """The environment in which the task plays."""
    setup_json: JsonText[list[Patch]]
    """Records replaced in the environment before the start; `record` null deletes one."""
    environment_hash: str
    """State hash before the setup."""
    start_hash: str
    """State hash at the start."""


class Fact(Model):
    """One thing the user knows and may tell."""

    intent: str
    name: str
    """As script and plan name it: in a request for several things with the number of its part, such as `2.quantity`."""
    kind: SlotKind
    value: Json
    """What the user wants, in the end."""
    told: Literal["upfront", "on_request", "implicit", "on_change"]
    """`upfront`: the instruction states it; `on_request`: told when asked for, and not before; `implicit`: a text of
    the user's states it; `on_change`: told with the message of the script's `change`."""
    first: Json = None
    """Of a fact told `on_change`, what the instruction states instead."""


def facts_of(intents: Sequence[IntentUse], script: UserScript) -> list[Fact]:
    """Return what the user of a task knows, and when each fact is told. What a part is to find out is no such fact."""
    first = {} if script.change is None else script.change.first
    facts: list[Fact] = []
    for use in intents:
        for slot in use.slots:
            name = use.prefix + slot.name
            if slot.told == "by_part":
                continue
            told, said = ("on_change", first[name]) if name in first else (slot.told, None)
            facts.append(Fact(intent=use.intent, name=name, kind=slot.kind, value=slot.value, told=told, first=said))
    return facts


class ScriptRow(Model):
    """What the simulated user of a task knows and consents to: for a user simulator, not for the assistant."""

    task_id: str
    """The task."""
    user_id: str
    """The user who is played; the persona stands in the config `users`."""
    script_json: JsonText[UserScript]
    """Style, consents, what happens when money is short, a change of mind and what is said then, when to stop."""
    knows_json: JsonText[list[Fact]]
    """The facts behind the request, and when each is told."""


class GoldRow(Model):
    """What only a grader may see of a task."""

    task_id: str
    """The task."""
    user_id: str
    """Who asks."""
    scenario: str
    """Digest of environment, intents, slots and setup of its first task; twins and variations share it."""
    template: str
    """The composition of intents and forms, such as `buy-best/fulfil`."""
    features: list[str]
    """Stated features that decide the level, sorted."""
    gates: list[str]
    """Gates that are closed at the start and that the plan meets, sorted."""
    tools: list[str]
    """Tools that the gold plan calls, sorted."""
    intents_json: JsonText[list[IntentUse]]
    """The intents with their form (`fulfil` or the reason of a decline) and slots."""
    goals_json: JsonText[list[Goal]]
    """What must be true at the end, in a closed algebra over the state."""
    plan_json: JsonText[Plan]
    """The executed gold calls with results and the provenance of every value."""
    expectation_json: JsonText[Expectation]
    """Acceptable ends as contracts, answers that must be told, questions that must be asked."""
    end_hash: str
    """State hash after the gold plan."""
    certificate_json: JsonText[Certificate]
    """All verdicts of the checks that this task passed, with counts."""


class ToolRow(Model):
    """One tool of the environment."""

    name: str
    """Name by which it is called."""
    service: str
    """The service that it belongs to."""
    side: Literal["assistant", "user"]
    """Who calls it."""
    write: bool
    """Whether it changes the state."""
    confirm: bool
    """Whether it needs the user's yes to exactly these arguments."""
    gates: list[str]
    """Conditions on the call, by name."""
    policy: list[str]
    """The rules of these gates in words."""
    summary: str
    """What it does."""
    returns: str
    """What the result holds."""
    openai_schema_json: JsonText[dict[str, Json]]
    """The entry of the `tools` list of a chat-completions request."""
    errors_json: JsonText[dict[str, str]]
    """Its own error codes and when they are returned; gates and argument validation add theirs."""
    example_json: JsonText[dict[str, Json]]
    """Arguments of an example call; the ids in it are made up."""


FIRST = "first"
"""Said of a task that came from no other one."""


@dataclass(frozen=True, slots=True)
class Config:
    """One config of a release."""

    name: str
    row: type[Model]
    key: str
    """Column that identifies a row."""
    per_user: bool
    """Whether rows belong to users and so to a split; else they stand in the split `shared`."""
    audience: str
    """Who may see it."""
    group_rows: int
    """Rows per row group: small enough that a reader of one row decodes a few megabytes."""
    file_rows: int
    """Rows per file: 100-300 MB of the largest config."""


CONFIGS: tuple[Config, ...] = (
    Config(
        "tasks", TaskRow, "task_id", True, "everyone; the assistant sees instruction, now and tools", 2_000, 500_000
    ),
    Config("starts", StartRow, "task_id", True, "whoever runs the tools", 2_000, 500_000),
    Config("scripts", ScriptRow, "task_id", True, "the simulated user", 2_000, 500_000),
    Config("gold", GoldRow, "task_id", True, "the grader only", 200, 50_000),
    Config(
        "trajectories",
        TrajectoryRow,
        "trajectory_id",
        True,
        "training and grading; never an assistant under test, since it shows tasks being solved",
        100,
        10_000,
    ),
    Config("users", Profile, "user_id", True, "the simulated user", 2_000, 200_000),
    Config("environments", EnvironmentRow, "environment_id", True, "whoever runs the tools", 100, 20_000),
    Config("worlds", WorldRow, "world_id", False, "whoever runs the tools", 1, 100),
    Config("tools", ToolRow, "name", False, "everyone", 100, 10_000),
)
DEFAULT = "tasks"
"""The config that `load_dataset` gives when none is named."""
WITHOUT_TASKS = "environments"
"""The same of a release without tasks."""
OF_TASK = ("tasks", "starts", "scripts", "gold")
"""Configs with one row per task."""
BY_NAME = {config.name: config for config in CONFIGS}
