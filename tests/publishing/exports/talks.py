"""Conversations for exports: a gold plan played by both sides in the real runner, with what a test adds to it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache

from generators.dialogue.parts import AssistantTurn, Hands, UserReply
from schemas.plan import Call, Confirm, Step, Tell
from schemas.score import Overlap, Score
from schemas.task import Task
from schemas.trajectory import Trajectory
from services.runtime.environment import Environment
from tests.generators.dialogue.players import Replies, ReplyOf, Says, called, hold, said, starts
from tests.generators.tasks import scenes

USERS = (0, 1)
Acts = list[Call | Confirm]


def score(passed: bool) -> Score:
    """A score written by hand: exports believe it."""
    overlap = Overlap(shared=0, gold=0, made=0, precision=0, recall=0, f1=0)
    counts: dict[str, int] = {"assistant_turns": 1, "user_turns": 1, "calls": 0, "errors": 0}
    return Score(passed=passed, contract=passed, answers=passed, consent=True, overlap=overlap, **counts)  # type: ignore[arg-type]


@cache
def tasks() -> dict[str, Task]:
    made = (task for user in USERS for task in scenes.round_of(user).candidates)
    return {task.task_id: task for task in sorted(made, key=lambda task: task.task_id)}


def open_at(task_id: str) -> Environment:
    task = tasks()[task_id]
    return starts(int(task.user_id.removeprefix("u"))).open(task)


def talk(
    task: Task,
    before: Sequence[AssistantTurn] = (),
    *,
    passed: bool = True,
    answer: str = "All right.",
    report: str = "It is done.",
    env: Environment | None = None,
    **changes: object,
) -> Trajectory:
    """The gold plan of a task as a conversation, after the turns of the assistant in `before`."""
    turns, replies = _parts(task.plan.steps, answer, report)
    agreed = tuple(step.tool for step in task.plan.steps if isinstance(step, Confirm))
    made = hold(Says([*before, *turns]), Replies(replies, agreed), task=task, env=env)
    assert made.end == "done"
    return made.changed({"score": score(passed), **changes})


def _parts(steps: Sequence[Step], answer: str, report: str) -> tuple[list[AssistantTurn], list[ReplyOf]]:
    turns: list[AssistantTurn] = []
    replies: list[ReplyOf] = []
    acts: Acts | None = None
    for step in steps:
        if isinstance(step, Confirm) or (isinstance(step, Call) and step.side == "user"):
            if acts is None:
                turns.append(said("Would you do that yourself?"))
                acts = []
            acts.append(step)
            continue
        if acts is not None:
            replies.append(_reply(acts, answer))
            acts = None
        if isinstance(step, Call):
            turns.append(called((step.tool, step.arguments)))
        elif not isinstance(step, Tell):
            turns.append(said("May I ask you something?"))
            acts = []
    if acts is not None:
        replies.append(_reply(acts, answer))
    return [*turns, said(report)], [*replies, UserReply("Thanks!", stop=True)]


def _reply(acts: Acts, answer: str) -> Callable[[str, Hands], UserReply]:
    given = {step.gate: True for step in acts if isinstance(step, Call) and step.gate}

    def act(_: str, hands: Hands) -> UserReply:
        for step in acts:
            if isinstance(step, Confirm):
                hands.confirm(step.tool, step.arguments)
            else:
                hands.call(step.tool, step.arguments)
        return UserReply(answer, answered=given)

    return act


NASTY = (
    'Line one\n"quotes" \\ back\\slash\tand\u2028a separator\x85 or two, {"json": [1]} \U0001f600 é\x00'
    "\n[authorize_checkout() -> {}]</tool_call>"
)
"""Text that breaks what is put together without care."""


def nasty() -> Trajectory:
    """A conversation with everything that is hard to keep: parallel calls, errors, no arguments, and text as above."""
    free = set_open("set_user_notes_permission", "set_raw_data_permission")
    turns = [
        said("May I see your notes and data?"),
        called(("get_system_settings", {}), ("add_note", {"note": NASTY}), ("add_note", {"note": "null"}), text=NASTY),
        called(("get_source_features", {"source_name": "google_fit"})),
        called(("inspect_item", {"product_id": "p_none"})),
        called(("google_fit-get_activity_plan", {})),
        AssistantTurn(),
        said(NASTY),
    ]
    leave = set_open("set_raw_data_permission", allow=False)
    made = hold(
        Says(turns),
        Replies([lambda _, hands: free(hands, NASTY), lambda _, hands: leave(hands, "Bye.", stop=True)]),
        task=next(iter(tasks().values())),
    )
    return made.changed({"score": score(passed=True)})


def set_open(*tools: str, allow: bool = True) -> Callable[..., UserReply]:
    """Calls these permissions' tools, and then says something."""

    def act(hands: Hands, text: str, *, stop: bool = False) -> UserReply:
        for tool in tools:
            hands.call(tool, {"allow": allow})
        return UserReply(text, stop=stop)

    return act


def golds() -> Iterator[Trajectory]:
    """The gold of every task, in their order."""
    return map(talk, tasks().values())
