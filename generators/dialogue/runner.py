"""One conversation of an assistant and a user in an environment, turn by turn, as a trajectory that is not scored yet.

Nothing an assistant does breaks it off: what cannot be carried out is answered as an API would, recorded, and bounded
by the budget.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Never

from generators.dialogue.arguments import InvalidArguments, read_arguments
from generators.dialogue.hands import UserHands
from generators.dialogue.messages import (
    assistant_message,
    call_messages,
    platform_message,
    system_message,
    user_message,
)
from generators.dialogue.offers import offered
from generators.dialogue.parts import AssistantFailed, AssistantView, Unreachable, UserFault, Varied
from generators.dialogue.prompts import system_prompt
from generators.dialogue.report import NAME as REPORT
from generators.dialogue.report import reported
from generators.dialogue.spending import Spending
from generators.dialogue.stage import Stage
from schemas.trajectory import Budget, Part, Trajectory

if TYPE_CHECKING:
    from generators.dialogue.parts import Assistant, AssistantTurn, CallRequest, User, Wish
    from schemas.base import Json
    from schemas.task import Task
    from schemas.trajectory import Did, EndReason
    from services.runtime.environment import Environment

EMPTY = "Your reply was empty. Call a tool or write a message to the user."
"""What the platform says to a reply without text and calls."""


class _Over(Exception):
    """The conversation has ended."""

    def __init__(self, end: EndReason, detail: str = "") -> None:
        super().__init__(detail)
        self.end: EndReason = end
        self.detail = detail


async def converse(
    env: Environment,
    task: Task,
    assistant: Assistant,
    user: User,
    *,
    wish: Wish,
    budget: Budget | None = None,
    answers: Literal["text", "tool"] = "text",
    attempt: int = 0,
) -> Trajectory:
    """Return the conversation about `task` in `env`, which stands at the task's start and is used up by it.

    `wish` is that of the user in this environment. Only a defect of a part that is no model raises.
    """
    return await _Conversation(env, task, assistant, user, wish, budget or Budget(), answers, attempt).held()


class _Conversation:
    """A conversation in progress."""

    def __init__(
        self,
        env: Environment,
        task: Task,
        assistant: Assistant,
        user: User,
        wish: Wish,
        budget: Budget,
        answers: Literal["text", "tool"],
        attempt: int,
    ) -> None:
        self.env, self.task, self.assistant, self.user, self.wish = env, task, assistant, user, wish
        self.answers: Literal["text", "tool"] = answers
        self.attempt = attempt
        self.stage = Stage(env)
        self.spending = Spending(budget)
        self.prompt = system_prompt(env.now, answers, env.catalogue)
        self.offer = offered(env, answers)
        self.tools_json = self.offer.text
        self.start_hash = self.stage.hash
        self.view = AssistantView([system_message(self.prompt)], self.offer.tools)

    async def held(self) -> Trajectory:
        """Hold it and return the record."""
        try:
            await self._talk()
        except _Over as over:
            return self._trajectory(over.end, over.detail)
        except AssistantFailed as error:
            return self._trajectory("agent_error", str(error))
        except UserFault as error:
            return self._trajectory("user_fault", str(error))
        except Unreachable as error:
            return self._trajectory("infrastructure_error", str(error))

    async def _talk(self) -> Never:
        """Take turns until one side or the budget ends it, which raises."""
        stage, view = self.stage, self.view
        stage.said("user", self.task.instruction)
        view.messages.append(user_message(self.task.instruction, ()))
        while True:
            stage.turn += 1
            text = await self._assistants_turn()
            stage.turn += 1
            await self._users_turn(text)

    # --- the assistant ----------------------------------------------------------------------------------------------

    async def _assistants_turn(self) -> str:
        """Return what the assistant says to the user, after all its calls."""
        stage, view, spending = self.stage, self.view, self.spending
        reply = 0
        while True:
            detail = spending.exhausted()
            if detail:
                raise _Over("budget", detail)
            view.remaining_calls = spending.calls_left
            turn = await self.assistant.turn(view)
            spending.use("assistant", turn.usage)
            text = clean(turn.text)
            view.acts = []
            if turn.calls:
                self._carry_out(turn, text, reply)
                reply += 1
                continue
            view.results = []
            spending.turns += 1
            if says_anything(text):
                stage.said("assistant", text, label=turn.label)
                view.messages.append(assistant_message(text))
                return text
            stage.said("platform", EMPTY)
            view.messages.append(platform_message(EMPTY))

    def _carry_out(self, turn: AssistantTurn, text: str, reply: int) -> None:
        """Make the calls of one reply, as many as the budget allows."""
        stage, view, spending = self.stage, self.view, self.spending
        calls = turn.calls[: spending.calls_left]
        if calls and text:
            stage.said("assistant", text, label=turn.label)
        done = [stage.record(self._call(call), reply, turn.label) for call in calls]
        spending.calls += len(calls)
        if done:
            view.messages += call_messages(text, done)
        if len(calls) < len(turn.calls):
            raise _Over("budget", f"the budget of {spending.budget.calls} tool calls is used up")
        view.results = [did.result for did in done]
        self._offer_more()

    def _call(self, request: CallRequest) -> Did:
        """Carry out one call; what is wrong with it is its result."""
        stage = self.stage
        tool, text = clean(request.tool), clean(request.arguments)
        try:
            arguments = read_arguments(text)
        except InvalidArguments as error:
            return stage.answer(tool, text, None, {"error": {"code": "INVALID_ARGUMENTS", "message": str(error)}})
        if tool == REPORT and self.answers == "tool":
            return stage.answer(tool, text, arguments, reported(arguments))
        did = stage.call("assistant", tool, arguments, text)
        if _code(did.result) != "CONFIRMATION_REQUIRED":
            return did
        # Asked in words before, the user may have said yes already.
        if not self.user.agrees(tool, arguments, UserHands(stage)):
            stage.pending.append((tool, arguments))
            return did
        stage.confirm(tool, arguments)
        return stage.call("assistant", tool, arguments, text)

    def _offer_more(self) -> None:
        """Offer what the last calls unlocked."""
        if self.env.session.unlocked == self.offer.unlocked:
            return
        known = self.offer.names
        self.offer = offered(self.env, self.answers)
        new: list[Json] = [tool for name, tool in self.offer.names.items() if name not in known]
        self.view.tools = self.offer.tools
        self.stage.offer(new)

    # --- the user ---------------------------------------------------------------------------------------------------

    async def _users_turn(self, text: str) -> None:
        """Let the user act and answer."""
        stage, view = self.stage, self.view
        hands = UserHands(stage)
        reply = await self.user.reply(text, hands)
        self.spending.use("user", reply.usage)
        words = clean(reply.text)
        if words.strip() or hands.done:
            stage.said("user", words, told=reply.told, answered=reply.answered)
            view.messages.append(user_message(words, hands.done))
        elif not reply.stop:
            msg = "the user neither says nor does anything"
            raise UserFault(msg)
        view.acts = hands.acts
        if reply.stop:
            met = not reply.gave_up and self.wish.fulfilled()
            raise _Over("done" if met else "user_stopped")

    # --- the record -------------------------------------------------------------------------------------------------

    def _trajectory(self, end: EndReason, detail: str) -> Trajectory:
        task, assistant, user, spent = self.task, self.assistant, self.user, self.spending
        return Trajectory.model_construct(
            trajectory_id=f"{task.task_id}-k{self.attempt:02d}",
            task_id=task.task_id,
            user_id=task.user_id,
            attempt=self.attempt,
            family=task.family,
            level=task.level,
            template=task.template,
            scenario=task.scenario,
            now=self.env.now,
            answers=self.answers,
            assistant=Part.model_construct(
                name=assistant.name,
                parameters=dict(assistant.parameters),
                prompt=self.prompt,
                usage=spent.assistant,
            ),
            user=Part.model_construct(
                name=user.name, parameters=dict(user.parameters), prompt=user.prompt, usage=spent.user
            ),
            tools_json=self.tools_json,
            budget=spent.budget,
            events=self.stage.events,
            end=end,
            end_detail=detail,
            start_hash=self.start_hash,
            end_hash=self.stage.hash,
            declared=assistant.declared,
            variant=assistant.variant if isinstance(assistant, Varied) else "",
        )


def clean(text: str) -> str:
    """Return text that UTF-8 can hold: half a surrogate pair, as models sometimes write, becomes a question mark."""
    return text if text.isascii() else text.encode("utf-8", "replace").decode()


def says_anything(text: str) -> bool:
    """Return whether a text has a sign that can be seen: white space, zero-width and control characters are none."""
    return any(sign.isprintable() and not sign.isspace() for sign in text)


def _code(result: dict[str, Json]) -> str:
    error = result.get("error")
    return str(error.get("code", "")) if isinstance(error, dict) else ""
