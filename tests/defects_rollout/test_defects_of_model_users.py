"""Known defects of a published simulation of users by a model, each with a test that it is not repeated here."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from flows.rollout_players import talk_of
from generators.dialogue.runner import converse
from generators.users.model import END, ModelUser
from llm import ModelClient
from schemas.models import Limits, ModelChoice
from schemas.trajectory import Budget, Did, Said, Trajectory
from tests.defects_rollout.staging import first_context, oracle_talks, some_contexts
from tests.generators.dialogue.players import Says, said
from tests.llm.conftest import Serve
from tests.nonempty import nonempty
from validators.scoring.score import score
from validators.scoring.wish import WishOf
from validators.tasks.context import TaskContext
from validators.users import message_faults

BUYS = first_context(lambda context: context.task.template == "buy-best/fulfil")


def speaking(*replies: dict[str, Any]) -> tuple[Callable[[dict[str, Any]], dict[str, Any]], list[dict[str, Any]]]:
    """A model that gives these replies, the last one for ever, and the requests that it gets."""
    seen: list[dict[str, Any]] = []

    def behave(request: dict[str, Any]) -> dict[str, Any]:
        seen.append(request)
        return replies[min(len(seen), len(replies)) - 1]

    return behave, seen


def talk(context: TaskContext, url: str, lines: Sequence[str]) -> Trajectory:
    """A conversation of an assistant that says these lines with a user played by a model."""

    async def go() -> Trajectory:
        choice = ModelChoice(model="openai/tiny", api_base=url)
        async with ModelClient(choice, Limits(max_attempts=2, timeout_s=20), role="user") as client:
            env = context.open()
            wish = WishOf(context, env)
            plausible = partial(message_faults, talk_of(context))
            user = ModelUser(client, context.task, context.now, context.catalogue, wish, plausible)
            budget = Budget(turns=len(lines))
            return await converse(env, context.task, Says(map(said, lines)), user, wish=wish, budget=budget)

    return asyncio.run(go())


def users_words(trajectory: Trajectory) -> list[str]:
    return [event.text for event in trajectory.events if isinstance(event, Said) and event.by == "user"][1:]


INVENTED = {"content": "Please make it 47 of them, for at most $913.27, and add 31 Golden Dragon Fruits."}
PLANNING = {"content": "First call browse_items, then prepare_order, please."}
AS_ASSISTANT = {"content": "How can I help you today?"}
PLAIN = {"content": "Yes, please go ahead."}
STOPS = {"tool_calls": [{"name": END, "arguments": {}}]}

# D37: the check of the user's messages defaulted to off, and no entry point switched it on.


@pytest.mark.parametrize("broken", [INVENTED, PLANNING, AS_ASSISTANT, STOPS])
def test_defect_D37_what_breaks_the_script_never_reaches_the_assistant(serve: Serve, broken: dict[str, Any]) -> None:
    behave, seen = speaking(broken, PLAIN)
    trajectory = talk(BUYS, serve(behave).url, ["Shall I go ahead with it?"])
    assert users_words(trajectory) == [PLAIN["content"]]
    assert len(seen) == 2
    assert "Not like that" in json.dumps(seen[1]["messages"][-1])
    assert trajectory.end == "budget"


@pytest.mark.parametrize("broken", [INVENTED, PLANNING, AS_ASSISTANT, STOPS])
def test_defect_D37_a_user_who_goes_on_breaking_it_is_a_fault_that_is_not_scored(
    serve: Serve, broken: dict[str, Any]
) -> None:
    behave, _ = speaking(broken)
    trajectory = talk(BUYS, serve(behave).url, ["Shall I go ahead with it?"])
    assert trajectory.end == "user_fault"
    assert users_words(trajectory) == []
    assert score(BUYS, trajectory) is None


def test_defect_D37_what_the_user_does_not_want_is_not_done(serve: Serve) -> None:
    behave, _ = speaking({"tool_calls": [{"name": "top_up_wallet", "arguments": {"amount": 5000}}]}, PLAIN)
    trajectory = talk(BUYS, serve(behave).url, ["Shall I go ahead with it?"])
    assert not [e for e in trajectory.events if isinstance(e, Did) and e.side == "user" and "error" not in e.result]
    assert trajectory.end_hash == trajectory.start_hash


# D38: the prompt of the user held the products to buy and the results of the solver.


def hidden(context: TaskContext) -> set[str]:
    """Names and ids that the gold is about and that the request does not state."""
    task = context.task
    told = task.instruction + json.dumps([slot.value for slot in context.told])
    told += task.script.change.message if task.script.change else ""
    values = [value for step in task.plan.steps for value in getattr(step, "arguments", {}).values()]
    values += [value for answer in task.expectation.answers for value in _each(answer.value)]
    texts = {value for value in values if isinstance(value, str) and len(value) > 6}
    named = {str(row["name"]) for key, row in context.user.world_tables["products"].items() if key in texts}
    return {text for text in texts | named if text.lower() not in told.lower()}


def _each(value: object) -> list[object]:
    return list(value) if isinstance(value, list) else [value]


def test_defect_D38_nothing_that_is_sent_to_the_model_holds_the_answer(serve: Serve) -> None:
    behave, seen = speaking(PLAIN)
    url = serve(behave).url
    checked = 0
    for context in nonempty(some_contexts())[:12]:
        del seen[:]
        trajectory = talk(context, url, ["Shall I go ahead with it?"])
        sent = json.dumps([seen[0]["messages"], seen[0]["tools"]])
        reasons = {str(a.value) for a in context.task.expectation.answers if a.kind == "reason"}
        right = hidden(context) - reasons - {"single_pack", "1_month", "3_months"}
        assert not [text for text in right if text in sent], context.task.task_id
        assert trajectory.user.prompt in seen[0]["messages"][0]["content"]
        checked += len(right)
    assert checked > 10


def test_defect_D37_the_check_finds_no_fault_in_users_who_keep_to_their_script() -> None:
    for context, trajectory in oracle_talks():
        before: list[dict[str, Any]] = [{"role": "user", "content": context.task.instruction}]
        words = [e for e in trajectory.events if isinstance(e, Said)][1:]
        for event in words:
            if event.by == "user" and event.text:
                assert message_faults(talk_of(context), event.text, before) == [], event.text
            before.append({"role": event.by, "content": event.text})
