"""A user who does what the gold plan says a user does, step by step: for tests of assistants."""

from __future__ import annotations

from collections.abc import Mapping

from generators.agents.oracle_course import takes_back
from generators.dialogue.parts import Hands, UserReply
from language import Kind, write
from schemas.base import Json
from schemas.plan import Ask, Call, Confirm, Question
from schemas.task import Task
from services.runtime.catalogue import installed_catalogue


class Obedient:
    """Plays one conversation with an assistant that asks for everything once and in order."""

    name = "obedient"
    prompt = ""

    def __init__(self, task: Task) -> None:
        self.parameters: Mapping[str, Json] = {}
        self._task = task
        self._kinds: dict[str, Kind] = {use.prefix + slot.name: slot.kind for use in task.intents for slot in use.slots}
        self._steps = [s for s in task.plan.steps if not (isinstance(s, Call) and s.side == "assistant")]
        self._steps = [s for s in self._steps if s.step != "tell"]
        self._changed = False

    async def reply(self, text: str, hands: Hands) -> UserReply:
        if "?" not in text and "lease" not in text:
            for step in self._steps:
                assert isinstance(step, Call)
                assert takes_back(step, installed_catalogue())
                hands.call(step.tool, step.arguments)
            return UserReply("Thanks.", stop=True)
        step = self._steps.pop(0)
        if isinstance(step, Question):
            return UserReply(f"It's {write(self._kinds[step.slot], step.value)}.", told={step.slot: "active"})
        if isinstance(step, Confirm):
            return UserReply("Yes.")
        if isinstance(step, Call):
            hands.call(step.tool, step.arguments)
            return UserReply("Done.")
        assert isinstance(step, Ask)
        while self._steps and isinstance(self._steps[0], Call) and self._steps[0].gate == step.gate:
            call = self._steps[0]
            if takes_back(call, installed_catalogue()) or not step.granted or call.tool == "authorize_checkout":
                break
            hands.call(call.tool, call.arguments)
            self._steps.pop(0)
        said = "Yes." if step.granted else "No, I don't want that."
        change = self._task.script.change
        if change is not None and change.gate == step.gate and not self._changed:
            self._changed = True
            said = change.message
        return UserReply(said, answered={step.gate: step.granted})

    def agrees(self, tool: str, arguments: Mapping[str, Json], hands: Hands) -> bool:
        return True
