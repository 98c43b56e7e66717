"""A person at the terminal who plays one side of a conversation, reading lines and being shown what happens."""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, cast

import orjson

from generators.dialogue.parts import AssistantFailed, AssistantTurn, CallRequest, UserReply
from schemas.base import canonical_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from generators.dialogue.parts import AssistantView, Hands
    from schemas.base import Json
    from schemas.task import Task
    from schemas.trajectory import Declared
    from services.runtime.catalogue import Catalogue

HELP_ASSISTANT = """\
You are the assistant. Write a message to the user, or call a tool:
  get_wallet                           a tool without arguments
  inspect_item product_id=p_1          arguments by name; values are JSON or text
  inspect_item {"product_id": "p_1"}   arguments as one JSON object
  /tools [WORD]  /tool NAME  /policy  /help  /quit"""
HELP_USER = """\
You are the user. Write to the assistant, or:
  /script                              what you want, what you keep back, what you agree to
  /call set_purchase_permission allow=true      do something yourself; /tools lists what you can do
  /confirm                             say yes to the call that waits for it
  /stop [LAST WORDS]  /help  /quit"""
_TOOL_NAME = re.compile(r"[a-z]+(_[a-z]+)+")
"""What nobody begins a message with."""
_LEFT = "the person left the conversation"


@dataclass(slots=True)
class Terminal:
    """Where a person reads and writes."""

    read: Callable[[str], str]
    """Return the next line after showing a prompt. Raise EOFError when there is none."""
    write: Callable[[str], None]

    def line(self, prompt: str) -> str | None:
        """Return the next line that is not empty; None when there are no more."""
        while True:
            try:
                text = self.read(prompt).strip()
            except EOFError:
                return None
            if text:
                return text


@dataclass(slots=True)
class PersonAssistant:
    """A person as the assistant. Implements `generators.dialogue.parts.Assistant`."""

    terminal: Terminal
    name: str = "person"
    declared: Declared | None = None
    parameters: Mapping[str, Json] = field(default_factory=dict[str, "Json"])
    _shown: int = 0
    _calls: int = 0

    async def turn(self, view: AssistantView) -> AssistantTurn:
        """Show what is new and take the next message or call. Raise AssistantFailed when the person leaves."""
        self._show(view)
        while True:
            line = self.terminal.line("assistant> ")
            if line is None or line == "/quit":
                raise AssistantFailed(_LEFT)
            if not line.startswith("/"):
                call = read_call(line, [name for name, _ in _described(view.tools)])
                if call is None and _TOOL_NAME.fullmatch(line.partition(" ")[0]):
                    self.terminal.write("  that is no call of a tool that there is; /tools lists them")
                    continue
                if call is None:
                    return AssistantTurn(text=line)
                self._calls += 1
                return AssistantTurn(calls=(CallRequest(f"call_{self._calls}", *call),))
            self._command(line, view)

    def _show(self, view: AssistantView) -> None:
        for message in view.messages[self._shown :]:
            role, text = message["role"], message.get("content")
            if role == "system":
                self.terminal.write(HELP_ASSISTANT + "\n")
            elif role == "tool":
                self.terminal.write(f"  -> {text}")
            elif role == "user":
                self.terminal.write(f"\nuser: {text}")
        self._shown = len(view.messages)

    def _command(self, line: str, view: AssistantView) -> None:
        command, _, rest = line.partition(" ")
        if command == "/tools":
            found = [f"  {name:<36} {text}" for name, text in _described(view.tools) if rest in name]
            self.terminal.write("\n".join(found) or f"  no tool has {rest!r} in its name")
        elif command == "/tool":
            found = [canonical_text(tool) for tool in view.tools if _name(tool) == rest]
            self.terminal.write(found[0] if found else f"  there is no tool {rest!r}")
        elif command == "/policy":
            self.terminal.write(str(view.messages[0]["content"]))
        else:
            self.terminal.write(HELP_ASSISTANT)


@dataclass(slots=True)
class PersonUser:
    """A person as the user. Implements `generators.dialogue.parts.User`."""

    terminal: Terminal
    task: Task
    catalogue: Catalogue
    name: str = "person"
    prompt: str = ""
    parameters: Mapping[str, Json] = field(default_factory=dict[str, "Json"])
    _greeted: bool = False

    async def reply(self, text: str, hands: Hands) -> UserReply:
        """Show a message of the assistant and take acts, then words."""
        if not self._greeted:
            self._greeted = True
            self.terminal.write(f"{HELP_USER}\n\nuser: {self.task.instruction}")
        self.terminal.write(f"\nassistant: {text}")
        while True:
            line = self.terminal.line("user> ")
            if line is None or line == "/quit":
                return UserReply("", stop=True, gave_up=True)
            if not line.startswith("/"):
                return UserReply(line)
            command, _, rest = line.partition(" ")
            if command == "/stop":
                return UserReply(rest, stop=True)
            self._command(command, rest, hands)

    def agrees(self, tool: str, arguments: Mapping[str, Json], hands: Hands) -> bool:
        """Ask whether the person agrees to a call that is being made."""
        del hands
        answer = self.terminal.line(
            f"the assistant wants to call {tool}({canonical_text(dict(arguments))}); yes? [y/N] "
        )
        return answer is not None and answer.lower() in {"y", "yes"}

    def _command(self, command: str, rest: str, hands: Hands) -> None:
        write = self.terminal.write
        if command == "/script":
            write("\n".join(script_lines(self.task)))
        elif command == "/tools":
            tools = self.catalogue.offered("user", frozenset[str]())
            write("\n".join(f"  {name:<36} {text}" for name, text in _described([t.openai() for t in tools])))
        elif command == "/call":
            self._call(rest, hands)
        elif command == "/confirm" and hands.pending:
            hands.confirm(*hands.pending[-1])
            write("  confirmed")
        elif command == "/confirm":
            write("  no call waits for your yes")
        else:
            write(HELP_USER)

    def _call(self, rest: str, hands: Hands) -> None:
        call = read_call(rest, [rest.partition(" ")[0]])
        try:
            arguments = None if call is None else cast("object", orjson.loads(call[1]))
        except orjson.JSONDecodeError:
            arguments = None
        if call is None or not isinstance(arguments, dict):
            self.terminal.write("  write it as /call tool name=value, or /call tool {…}")
        else:
            result = hands.call(call[0], cast("dict[str, Json]", arguments))
            self.terminal.write(f"  -> {canonical_text(result)}")


def read_call(line: str, tools: Sequence[str]) -> tuple[str, str] | None:
    """Return the tool and the JSON text of its arguments that a line calls; None when it is a message."""
    name, _, rest = line.partition(" ")
    rest = rest.strip()
    if name not in tools:
        return None
    if not rest or rest.startswith("{"):
        return name, rest or "{}"
    try:
        pairs = [part.partition("=") for part in shlex.split(rest)]
    except ValueError:
        return None
    if not all(key.isidentifier() and equals for key, equals, _ in pairs):
        return None
    return name, canonical_text({key: _value(text) for key, _, text in pairs})


def script_lines(task: Task) -> Iterator[str]:
    """Yield what the user of a task wants, knows and agrees to, and nothing of what would be right."""
    script = task.script
    yield f"  you asked: {task.instruction}"
    for use in task.intents:
        for slot in use.slots:
            if slot.told in ("on_request", "implicit"):
                yield f"  when asked, you say: {slot.name} = {canonical_text(slot.value)}"
    for consent in script.consents:
        limit = "" if consent.up_to_cents is None else f", up to {consent.up_to_cents / 100:.2f} in all"
        once = ", for this request only" if consent.once else ""
        yield f"  asked for {consent.gate}: {'yes' if consent.granted else 'no'}{limit}{once}"
    yield f"  when money is missing: {script.top_up.replace('_', ' ')}"
    if script.change is not None:
        yield f"  first asked for {script.change.gate}, you change your mind: {script.change.message}"


def _described(tools: Sequence[Json] | Sequence[Mapping[str, Json]]) -> list[tuple[str, str]]:
    """Return name and first line of the description of each tool."""
    functions = [cast("Mapping[str, Mapping[str, Json]]", tool)["function"] for tool in tools]
    return [(str(f["name"]), str(f.get("description", "")).partition("\n")[0]) for f in functions]


def _name(tool: Json) -> str:
    return _described([tool])[0][0]


def _value(text: str) -> object:
    try:
        return cast("object", orjson.loads(text))
    except orjson.JSONDecodeError:
        return text
