"""Whoever asks as the gold plan does gets from the scripted user what the plan says, and ends where it ends."""

from __future__ import annotations

from generators.users.asking import question_about_gate, question_about_slot, question_to_confirm, question_to_pay
from language import find
from schemas.plan import Ask, Call, Confirm, Question, Step
from schemas.task import Slot, Task
from services.payments.records import Transaction
from services.runtime.streams import Stream
from tests.generators.users.talks import Talk, talk_of
from tests.nonempty import nonempty
from tests.validators import tasks_support
from validators.tasks.context import TaskContext

WORDED = ("term", "name", "text")


def slot_named(task: Task, name: str) -> Slot:
    return next(slot for use in task.intents for slot in use.slots if use.prefix + slot.name == name)


def _ask(talk: Talk, step: Step, task: Task, stream: Stream) -> None:
    """Do one step of the plan, asking in words where it asks."""
    catalogue = talk.env.catalogue
    match step:
        case Ask():
            reply = talk.say(question_about_gate(catalogue.gates[step.gate].gate, step.values, stream))
            assert reply.answered == {step.gate: step.granted}
            changed = task.script.change is not None and task.script.change.message in reply.text
            assert reply.told == (dict.fromkeys(task.script.change.first, "change") if changed else {})  # type: ignore[union-attr]  # pyright: ignore[reportOptionalMemberAccess]
        case Question():
            reply = talk.say(question_about_slot(task, step.slot, stream))
            slot = slot_named(task, step.slot)
            vocabulary = (str(slot.value),) if slot.kind in WORDED else ()
            read = [mention.value for mention in find(slot.kind, reply.text, vocabulary, talk.env.now[:10])]
            assert read == [tuple(slot.value) if isinstance(slot.value, list) else slot.value]
            assert reply.told == {step.slot: "active"}
        case Confirm():
            reply = talk.say(question_to_confirm(catalogue.tools[step.tool], "that I found", stream))
        case Call(side="assistant"):
            assert "error" not in talk.call(step.tool, step.arguments)
            return
        case Call():
            reply = _act(talk, step, stream)
        case _:
            return
    assert reply is None or not reply.stop


def _act(talk: Talk, step: Call, stream: Stream):  # noqa: ANN202
    """See that the user did what the plan has them do, after being asked where nobody asked yet."""
    tool = talk.env.catalogue.tools[step.tool]
    reply = None
    if tool.approval is not None:
        key = str(step.arguments["transaction_id"])
        record = talk.env.state_.get("transactions", key)
        assert isinstance(record, Transaction)
        reply = talk.say(question_to_pay(tool, "your order", record.total_cents, key, stream))
    gate = talk.env.catalogue.gates[step.gate].gate if step.gate else None
    if gate is None or gate.remedy is None or step.arguments != dict(gate.remedy.takes_back):
        assert (step.tool, step.arguments) in talk.acts
    return reply


def _play(context: TaskContext) -> None:
    task, talk = context.task, talk_of(context)
    stream = Stream(task.task_id, "test")
    for step in task.plan.steps:
        _ask(talk, step, task, stream)
    last = talk.say("That's what I could do for you. Is there anything else I can help with?")
    assert last.stop
    assert not last.gave_up
    assert talk.env.state_hash() == task.end_hash


def test_talkative_users_do_what_the_plan_says() -> None:
    for context in nonempty(list(tasks_support.talkative_contexts(2))):
        _play(context)


def test_users_do_what_the_plan_says() -> None:
    for context in nonempty([context for user in (1, 2) for context in tasks_support.contexts(user)]):
        _play(context)
