"""Conversations for tests: the gold plan of a task as a recorded conversation, with whatever is to be different."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from schemas.base import canonical_text
from schemas.plan import Ask, Call, Confirm, Question, Tell
from schemas.trajectory import Budget, Confirmed, Did, Part, Said, Trajectory

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from schemas.base import Json
    from schemas.plan import Step
    from schemas.trajectory import EndReason, Event
    from services.runtime.environment import Environment
    from validators.tasks.context import TaskContext

REASONS = {
    "none_satisfies": "I did not find anything that meets all your conditions, so I did not go ahead.",
    "out_of_stock": "There are too few units in stock, so I did not go ahead.",
    "cannot_afford": "Your balance is too low for it, so I did not go ahead.",
    "consent_refused": "You did not give the permission that it needs, so I did not go ahead.",
    "not_recorded": "There is no record of that time, so I could not do it.",
    "policy": "The policy does not allow a payment after 24 hours, so I did not go ahead.",
}


def shown(kind: str, value: Json) -> str:
    """A value as an assistant writes it."""
    if isinstance(value, list):
        return " and ".join(map(str, value))
    if kind == "money_cents" and isinstance(value, int):
        return f"${value / 100:,.2f}"
    return f"{value}%" if kind == "percent" else str(value).replace("_", " ")


def report_of(context: TaskContext, **changed: Json) -> str:
    """The report of a perfect assistant; `changed` gives other values by name, without prefix, null for none."""
    sentences: list[str] = []
    for answer in context.task.expectation.answers:
        name = answer.name.rpartition(".")[2]
        value = changed.get(name, answer.value)
        if value is None:
            continue
        sentences.append(
            REASONS[str(value)] if name == "reason" else f"The {answer.cue} is {shown(answer.kind, value)}."
        )
    return " ".join(sentences) or "It is all set."


class Talk:
    """A conversation being written; every call is carried out."""

    def __init__(self, context: TaskContext) -> None:
        self.context = context
        self.env: Environment = context.open()
        self.start = self.env.state_hash()
        self.events: list[Event] = [Said(turn=0, by="user", text=context.task.instruction)]
        self.turn = 1

    def call(self, tool: str, arguments: dict[str, Json], side: str = "assistant") -> dict[str, Json]:
        before = self.env.snapshot()
        result = self.env.call(tool, arguments, side)  # pyright: ignore[reportArgumentType]
        diff: Json = {} if "error" in result else json.loads(json.dumps(self.env.diff(before)))
        self.events.append(
            Did(
                turn=self.turn,
                side=side,  # pyright: ignore[reportArgumentType]
                call_id=f"call_{len(self.events)}",
                tool=tool,
                arguments_text=canonical_text(arguments),
                arguments=arguments,
                result=result,
                state_hash=self.env.state_hash(),
                diff=diff,
            )
        )
        return result

    def confirm(self, tool: str, arguments: dict[str, Json]) -> None:
        self.env.confirm(tool, arguments)
        self.events.append(Confirmed(turn=self.turn, tool=tool, arguments=arguments))

    def say(self, text: str, by: str = "assistant", **more: object) -> None:
        self.events.append(Said(turn=self.turn, by=by, text=text, **more))  # pyright: ignore[reportArgumentType]
        self.turn += 1

    def ask(self, gate: str, *, granted: bool, acts: Sequence[Call] = ()) -> None:
        """The assistant asks for a consent; the user acts and answers."""
        declared = self.context.catalogue.gates[gate].gate
        remedy = declared.remedy
        assert remedy is not None
        self.say(f"May I ask you to use {remedy.tool.replace('_', ' ')} for this?")
        for act in acts:
            self.call(act.tool, act.arguments, "user")
        change = self.context.task.script.change
        told = dict.fromkeys(change.first, "change") if change is not None and change.gate == gate else {}
        self.say("Done." if granted else "No.", "user", answered={gate: granted}, told=told)

    def trajectory(self, end: EndReason = "done", answers: str = "text") -> Trajectory:
        task = self.context.task
        return Trajectory(
            trajectory_id=f"{task.task_id}-k00",
            task_id=task.task_id,
            user_id=task.user_id,
            attempt=0,
            family=task.family,
            level=task.level,
            template=task.template,
            scenario=task.scenario,
            now=self.context.now,
            answers=answers,  # pyright: ignore[reportArgumentType]
            assistant=Part(name="oracle"),
            user=Part(name="scripted"),
            tools_json="[]",
            budget=Budget(),
            events=self.events,
            end=end,
            start_hash=self.start,
            end_hash=self.env.state_hash(),
        )


def play(talk: Talk, steps: Iterable[Step]) -> None:
    """Write the steps of a plan as a conversation; tells are left out."""
    waiting = list(steps)
    while waiting:
        step = waiting.pop(0)
        if isinstance(step, Ask):
            acts: list[Call] = []
            while (
                waiting and isinstance(waiting[0], Call) and waiting[0].side == "user" and waiting[0].gate == step.gate
            ):
                acts.append(waiting.pop(0))  # pyright: ignore[reportArgumentType]
            talk.ask(step.gate, granted=step.granted, acts=acts)
        elif isinstance(step, Question):
            talk.say("Could you tell me more about what you need?")
            talk.say(f"It is {step.value}.", "user", told={step.slot: "active"})
        elif isinstance(step, Confirm):
            talk.say(f"Do you confirm {step.tool.replace('_', ' ')}?")
            talk.confirm(step.tool, step.arguments)
            talk.say("Yes.", "user")
        elif isinstance(step, Call) and step.side == "user":
            talk.say(f"Please use {step.tool.replace('_', ' ')} now.")
            talk.call(step.tool, step.arguments, "user")
            talk.say("Done.", "user")
        elif isinstance(step, Call):
            talk.call(step.tool, step.arguments)
        else:
            assert isinstance(step, Tell)


def gold_talk(
    context: TaskContext, report: str | None = None, keep: Callable[[Step], bool] = lambda _: True
) -> Trajectory:
    """The gold plan as a conversation, without the steps that `keep` leaves out, ended by a report."""
    talk = Talk(context)
    play(talk, [step for step in context.task.plan.steps if keep(step)])
    talk.say(report_of(context) if report is None else report)
    talk.say("Thanks.", "user")
    return talk.trajectory()
