"""The planner runs an intent's program on a real environment and records what a perfect assistant did.

Programs do not handle permissions. When a call meets a closed gate, the planner undoes it, inserts the gate's probe,
the question to the user and the remedy, and calls again. When a remedy wrote a record that an earlier step had read,
everything read before may be wrong: the program starts over with that remedy done first, until no new gate appears.
Nor do they handle how the user tells things: a fact kept back is asked for where it is first used, and after a change
of mind what the program has written is taken back and it starts over on the new wish.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple, cast

from generators.tasks import program as p
from generators.tasks.attempt import Attempt, PlanError, touches
from generators.tasks.prune import prune
from generators.tasks.trace import NothingThereError
from schemas.base import canonical_text
from schemas.goal import Arith, Const, Slot, Test
from schemas.plan import Call, Confirm, Plan, Tell
from schemas.provenance import Element, Result

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from generators.tasks.intent import SlotReader
    from generators.tasks.program import Args, Command, Given, Program, Traced
    from generators.tasks.telling import Telling
    from schemas.base import Json
    from schemas.task import UserScript
    from services.runtime.declare import Gate
    from services.runtime.environment import Environment
    from services.runtime.tools import Tool

MAX_ROUNDS = 6
MAX_PAGES = 50
_ONE = Const(value=1)
_SAME = Test(fn="eq", left=Slot(name="done"), right=Slot(name="wanted"))
_NEXT_PAGE = Arith(fn="add", args=[Slot(name="page"), _ONE])
_MORE_PAGES = Test(fn="lt", left=Slot(name="page"), right=Slot(name="total"))


_CALL = Call(side="assistant", tool="", arguments={}, origins={})
"""What every call of a plan is made of: its values come from the run, and are not validated again."""


class _Restart(Exception):
    def __init__(self, gate: str) -> None:
        super().__init__(gate)
        self.gate = gate


class _KeptError(Exception):
    """Some of what served the first wish serves the last one as well, and need not be taken back."""

    def __init__(self, calls: Counter[str]) -> None:
        super().__init__()
        self.calls = calls


class _OtherWishError(Exception):
    """The user wants something else than what the program in progress is at work on."""


class _Run(Attempt):
    """One attempt: the program carried out step by step on the environment."""

    def run(self, program: Program) -> None:
        """Carry the program out to its end."""
        command: Command
        try:
            command = next(program)
            while True:
                command = program.send(self._do(command))
        except StopIteration:
            return

    def carry_out(self, part: PartSteps) -> None:
        """Carry out one part, from the start again when the user changes their mind about it."""
        self.part, self.prefix = part.number, part.prefix
        before = len(self.steps)
        program = part.first if part.first is not None and self.changed_at is None else part.steps
        try:
            self.run(program(self.slot))
        except _OtherWishError:
            turn = len(self.steps)
            self._take_back(before)
            self.run(part.steps(self.slot))
            if kept := self._writes(before, turn) & self._writes(turn, len(self.steps)):
                raise _KeptError(kept) from None
            if any(self.standing.values()):
                msg = "what is kept of the first wish is not what the last one calls for"
                raise PlanError(msg) from None

    def _writes(self, start: int, stop: int) -> Counter[str]:
        """Return the writes that the program made itself from step `start` on, before `stop`."""
        steps = (step for step in self.steps[start:stop] if isinstance(step, Call) and not step.gate)
        return Counter(_key(step.tool, step.arguments) for step in steps if self.env.catalogue.tools[step.tool].write)

    def _take_back(self, start: int) -> None:
        """Undo what was written since step `start` and is not kept, the last first."""
        for number in reversed(range(start, len(self.steps))):
            step = self.steps[number]
            if not isinstance(step, Call) or step.gate or not self.env.catalogue.tools[step.tool].write:
                continue
            standing = self.standing.setdefault(_key(step.tool, step.arguments), [])
            if len(standing) < self.kept[_key(step.tool, step.arguments)]:
                standing.append(number)
                continue
            undo = self.env.catalogue.tools[step.tool].undo
            if undo is None:
                msg = f"{step.tool} cannot be taken back"
                raise PlanError(msg)
            result = self.graph.result(number, step.result)
            self.call(undo.tool, {undo.argument: result[undo.field]}, "assistant")

    def _do(self, command: Command) -> object:
        match command:
            case p.Call() | p.User():
                side = "user" if isinstance(command, p.User) else "assistant"
                return self.call(command.tool, command.arguments, side)
            case p.Pages():
                return self._pages(command)
            case p.Each():
                return self._each(command)
            case p.Today():
                return self.graph.today()
            case p.Ask():
                return self._ask_refused(command)
            case p.Tell():
                return self._tell(command)
            case _:
                return self.graph.compute(command)

    def call(self, tool_name: str, arguments: Args, side: str, gate: str = "") -> Traced:
        """Make a call, opening gates on the way; a read that would give the same again is not repeated."""
        tool = self.env.catalogue.tools[tool_name]
        nodes = {name: self.graph.resolve(given) for name, given in arguments.items()}
        values = {name: self.graph.values[node.node] for name, node in nodes.items()}
        key = _key(tool_name, values)
        if standing := self.standing.get(key):
            return self._taken_up(standing.pop(), nodes)
        if key in self.fresh:
            known = self.fresh[key][1]
            if not gate:
                self.probes -= {origin.step for origin in [self.graph.nodes[known.node]] if isinstance(origin, Result)}
            return known
        result = self._attempt(tool, values, nodes, side)
        step = _CALL.changed(
            {
                "side": side,
                "tool": tool_name,
                "arguments": values,
                "origins": {name: node.node for name, node in nodes.items()},
                "part": self.part,
                "gate": gate,
                "result": result,
            }
        )
        self.append(step, self.env.footprint)
        traced = self.graph.result(len(self.steps) - 1, result)
        if gate and not tool.write:
            self.probes.add(len(self.steps) - 1)
        if tool.write:
            self.forget(self.env.footprint)
        else:
            self.fresh[key] = (self.env.footprint, traced)
        return traced

    def _taken_up(self, number: int, wanted: Mapping[str, Traced]) -> Traced:
        """Return the result of a call for the first wish, having seen that it did just what is wanted now."""
        step = cast("Call", self.steps[number])
        for name, given in wanted.items():
            done = p.Traced(self.graph.values[step.origins[name]], step.origins[name])
            if done.node != given.node:
                self.graph.decided(p.Decide(_SAME, {"done": done, "wanted": given}))
        return self.graph.result(number, step.result)

    def _attempt(self, tool: Tool, values: dict[str, Json], nodes: Mapping[str, Traced], side: str) -> dict[str, Json]:
        if tool.confirm:
            self.env.confirm(tool.name, values)
            self.append(Confirm(tool=tool.name, arguments=values), None)
        heard = self.changed_at is not None
        for _ in range(len(tool.gates) + 1):
            result = self.env.call(tool.name, values, side)  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
            error = cast("dict[str, Json] | None", result.get("error"))
            if error is None:
                return result
            gate = cast("str | None", error.get("gate"))
            if gate is None:
                msg = f"{tool.name} answers {error['code']}"
                raise PlanError(msg)
            self.open(gate, nodes)
            if self.changed_at is not None and not heard and self.prefix == self.telling.change_prefix:
                raise _OtherWishError
        msg = f"{tool.name} stays blocked"
        raise PlanError(msg)

    def take_back(self) -> None:
        """Have the user take back the consents that were given for this request only."""
        for name in self.gates:
            remedy = self.env.catalogue.gates[name].gate.remedy
            if remedy is not None and remedy.takes_back and name in self.once:
                arguments = {key: p.Fixed(f"{key}_no_more", value) for key, value in remedy.takes_back.items()}
                self.call(remedy.tool, arguments, "user", gate=name)

    # --- gates ---

    def open(self, name: str, blocked: Mapping[str, Traced]) -> None:
        """Insert probe, question and remedy of a closed gate."""
        gate = self.env.catalogue.gates[name].gate
        if not self.granted.get(name, False):
            msg = f"the user refuses the consent for {name}"
            raise PlanError(msg)
        if gate.remedy is None:
            msg = f"gate {name} has no remedy"
            raise PlanError(msg)
        places = {place[0] for place in gate.remedy.values.values()}
        if gate.remedy.prepare is not None or gate.remedy.chosen or not places <= {"probe", "beside"}:
            msg = f"gate {name} is opened in a way that plans do not know"
            raise PlanError(msg)
        before = len(self.steps)
        seen = self._show(gate, blocked)
        arguments: dict[str, Given] = {
            key: p.Fixed(key, expr.value) if isinstance(expr, Const) else self.graph.derived(p.Derive(expr, seen))
            for key, expr in gate.remedy.arguments.items()
        }
        named = {key: given for key, given in arguments.items() if not isinstance(given, p.Fixed)}
        self.append(self.question(name, named, granted=True), None)
        asked = len(self.steps) - 1
        self.call(gate.remedy.tool, arguments, "user", gate=name)
        self.gates.append(name)
        # What a probe showed has served its purpose; anything else that was read before may be wrong now.
        seen_before = [seen for step, seen in enumerate(self.footprints[:before]) if step not in self.probes]
        if not gate.accumulates and any(touches(self.footprints[-1], footprint) for footprint in seen_before):
            raise _Restart(name)
        if name == self.telling.change_gate and self.changed_at is None:
            self.changed_at = asked

    def _show(self, gate: Gate, blocked: Mapping[str, Traced]) -> dict[str, Given]:
        """Make the probe and check that it shows the gate closed; return the values that the remedy may use."""
        if gate.probe is None or gate.remedy is None:
            msg = f"gate {gate.name} has no probe"
            raise PlanError(msg)
        fixed: dict[str, Given] = {key: p.Fixed(key, value) for key, value in gate.probe.arguments.items()}
        probe = self.call(gate.probe.tool, fixed, "assistant", gate=gate.name)
        seen: dict[str, Given] = {
            key: p.Item(probe, place[1:]) if place[0] == "probe" else self._beside(blocked[place[1]], place[2:])
            for key, place in gate.remedy.values.items()
        }
        if not self.graph.decided(p.Decide(gate.remedy.shows, seen)):
            msg = f"the probe of {gate.name} does not show that it is closed"
            raise PlanError(msg)
        return seen

    def _beside(self, argument: Traced, path: tuple[str, ...]) -> Given:
        """Return what stands at `path` in the object that an argument was taken from."""
        node = self.graph.resolve(argument).node
        origin = self.graph.nodes[node]
        if isinstance(origin, Result):
            whole = self.graph.result(origin.step, cast("Call", self.steps[origin.step]).result)
            return p.Item(whole, (*origin.path[:-1], *path))
        if isinstance(origin, Element):
            whole = p.Traced(self.graph.values[origin.of], origin.of)
            return p.Item(whole, (*origin.path[:-1], *path))
        msg = f"an argument that comes from a {origin.kind} node has nothing beside it"
        raise PlanError(msg)

    def _ask_refused(self, command: p.Ask) -> None:
        gate = self.env.catalogue.gates[command.gate].gate
        if self.granted.get(command.gate, False):
            msg = f"the user grants {command.gate}, which the form expects to be refused"
            raise PlanError(msg)
        if gate.remedy is not None and all(place[0] == "probe" for place in gate.remedy.values.values()):
            self._show(gate, {})
        self.append(self.question(command.gate, command.names, granted=False), None)
        self.gates.append(command.gate)

    # --- commands ---

    def _pages(self, command: p.Pages) -> Traced:
        page: Given = p.Fixed("first_page", 1)
        parts: list[Traced] = []
        for _ in range(MAX_PAGES):
            result = self.call(command.tool, {"page": page}, "assistant")
            parts.append(self.graph.resolve(result[command.items]))
            here: Args = {"page": result["page"], "total": result["total_pages"]}
            if not self.graph.decided(p.Decide(_MORE_PAGES, here)):
                return self.graph.joined(parts)
            page = self.graph.derived(p.Derive(_NEXT_PAGE, {"page": result["page"]}))
        msg = f"{command.tool} has more than {MAX_PAGES} pages"
        raise PlanError(msg)

    def _each(self, command: p.Each) -> Traced:
        over, rows = self.graph.rows(command.rows)
        listed = p.Traced(None, over)
        results = [
            self.call(command.tool, {arg: listed[i][column] for arg, column in command.arguments.items()}, "assistant")
            for i in range(len(rows))
        ]
        return self.graph.called(over, results)

    def _tell(self, command: p.Tell) -> None:
        nodes = {self.prefix + name: self.graph.resolve(given).node for name, given in command.answers.items()}
        self.told.update(nodes)
        answers = {name: self.graph.values[node] for name, node in nodes.items()}
        self.append(Tell(answers=answers, origins=nodes), None)


def _key(tool: str, arguments: Mapping[str, Json]) -> str:
    """Return what two calls share that do the same."""
    return tool + canonical_text(dict(arguments))


class PartSteps(NamedTuple):
    """One part of a task: its place, the prefix of its slots and answers, and its program."""

    number: int
    prefix: str
    steps: Callable[[SlotReader], Program]
    first: Callable[[SlotReader], Program] | None = None
    """The program for the first wish, where the user changes their mind about this part."""


def make_plan(
    env: Environment, script: UserScript, telling: Telling, parts: Sequence[PartSteps]
) -> tuple[Plan, list[str]]:
    """Carry out the parts one after the other on `env`, which must be at the task's start, and leave it at the end.

    Return the gold plan without reads that nothing needs, and the gates it met in order. Raise PlanError when there is
    no such plan.
    """
    run = attempt(env, script, telling, parts)
    return prune(run.steps, run.graph, env.catalogue), sorted(set(run.gates))


def attempt(env: Environment, script: UserScript, telling: Telling, parts: Sequence[PartSteps]) -> Attempt:
    """Carry out the parts as `make_plan` does, and return all that was done on the way."""
    start = env.snapshot()
    first: list[str] = []
    kept = Counter[str]()
    for _ in range(MAX_ROUNDS):
        env.restore(start)
        run = _Run(env, script, telling, kept)
        try:
            for gate in first:
                run.open(gate, {})
            for part in parts:
                run.carry_out(part)
            run.take_back()
        except NothingThereError as error:
            raise PlanError(str(error)) from error
        except _Restart as restart:
            first.append(restart.gate)
            continue
        except _KeptError as same:
            kept += same.calls
            continue
        if telling.change_gate and run.changed_at is None:
            msg = f"the plan never asks about {telling.change_gate}, with which the user would change their mind"
            raise PlanError(msg)
        if run.unasked():
            msg = f"the plan never asks for {', '.join(run.unasked())}"
            raise PlanError(msg)
        return run
    msg = f"new gates keep appearing after {MAX_ROUNDS} rounds"
    raise PlanError(msg)
