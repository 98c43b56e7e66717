"""The course of a plan: each turn it takes was decided on what it had read, not by luck.

A plan that stops at the right page, asks for the consent that happens to be missing or declines what happens to be
impossible does what the goal wants, and shows nothing. What a turn must rest on follows from the plan, the goal and the
declarations: a listing is joined to its end, a gate is seen closed before the user is asked, a decline rests on all
that makes it right, and what is left out was seen to be nothing.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from schemas import provenance as o
from schemas.goal import Not
from schemas.plan import Ask, Call, Confirm, Question
from validators.tasks.declining import decline_faults
from validators.tasks.execution import alike
from validators.tasks.replay import touches

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from pydantic import BaseModel

    from schemas.base import Scalar
    from schemas.plan import Plan
    from services.runtime.declare import Gate
    from validators.tasks.context import TaskContext
    from validators.tasks.evaluation import Graph

_Object = tuple[str, int, tuple["str | int", ...]]
"""The object that a value was taken from: of a result or of a node, and the path to it."""


def course_faults(context: TaskContext, graph: Graph) -> Iterator[str]:
    """Yield the turns of a plan that nothing it had seen called for."""
    course = Course(context, graph)
    found = list(_turn_faults(course))
    yield from found or _idle_faults(course)


def _turn_faults(course: Course) -> Iterator[str]:
    yield from _page_faults(course)
    yield from _gate_faults(course)
    yield from decline_faults(course)
    yield from _stand_in_faults(course)
    yield from _alternative_faults(course)
    yield from _loop_faults(course)


class Course:
    """The decisions of a plan, and what each rests on."""

    def __init__(self, context: TaskContext, graph: Graph) -> None:
        self.context = context
        self.graph = graph
        self.plan: Plan = graph.plan
        self.decided = {node: d for node in self.plan.decisions if isinstance(d := self.plan.nodes[node], o.Decided)}
        self.rests = {node: self.below([node]) for node in self.decided}
        """Decision -> the nodes that it is computed from, itself included."""
        self.spoken_for: set[int] = set()
        """Decisions that turn a page or show a gate, which say nothing else."""

    def below(self, roots: Iterable[int]) -> set[int]:
        """Return nodes and all that they are computed from."""
        waiting, found = list(roots), set[int]()
        while waiting:
            node = waiting.pop()
            if node not in found:
                found.add(node)
                waiting.extend(self.graph.sources[node])
        return found

    def free(self) -> Iterator[int]:
        """Yield the decisions that neither turn a page nor show a gate."""
        return (node for node in self.decided if node not in self.spoken_for)


def _idle_faults(course: Course) -> Iterator[str]:
    """Yield branches that the plan does not say it took, and nodes that nothing needs."""
    plan = course.plan
    yield from (f"decision {node} is listed {n} times" for node, n in Counter(plan.decisions).items() if n > 1)
    stating = (step for step in plan.steps if not isinstance(step, Confirm | Question))
    origins = [node for step in stating for node in step.origins.values()]
    reached = course.below([*origins, *plan.decisions])
    unlisted = {node for node, _ in course.graph.nodes_of(o.Decided) if node not in course.decided}
    for node in sorted(unlisted | (set(range(len(plan.nodes))) - reached)):
        if node in unlisted:
            yield f"node {node} decides, and is no decision of the plan"
        else:
            yield f"node {node} ({plan.nodes[node].kind}) is needed by no step and no decision"


# --- listings ------------------------------------------------------------------------------------------------------


def _page_faults(course: Course) -> Iterator[str]:
    asked = _asked_of_one_result(course)
    for decisions in asked.values():
        course.spoken_for |= {node for node in decisions if _turns_a_page(course, node)}
    for index, origin in course.graph.nodes_of(o.Joined):
        fault = _joined_fault(course, origin, asked)
        if fault:
            yield f"node {index}: the pages of a listing are joined, and {fault}"


def _asked_of_one_result(course: Course) -> dict[int, list[int]]:
    """Return the decisions over a single call's result, by the step of the call."""
    asked: dict[int, list[int]] = {}
    for node, decided in course.decided.items():
        sources = [course.plan.nodes[arg] for arg in decided.args.values()]
        steps = {source.step for source in sources if isinstance(source, o.Result)}
        if len(steps) == 1 and all(isinstance(source, o.Result) for source in sources):
            asked.setdefault(steps.pop(), []).append(node)
    return asked


def _turns_a_page(course: Course, node: int) -> bool:
    args = [course.plan.nodes[arg] for arg in course.decided[node].args.values()]
    steps = {arg.step for arg in args if isinstance(arg, o.Result)}
    pages = (course.plan.nodes[page] for _, origin in course.graph.nodes_of(o.Joined) for page in origin.inputs)
    return any(isinstance(page, o.Result) and page.step in steps for page in pages)


def _joined_fault(course: Course, origin: o.Joined, asked: Mapping[int, list[int]]) -> str:
    plan = course.plan
    steps = [page.step for node in origin.inputs if isinstance(page := plan.nodes[node], o.Result)]
    calls = [course.graph.call(step) for step in steps]
    if (
        len(steps) != len(origin.inputs)
        or len(set(steps)) != len(steps)
        or len({call.tool for call in calls}) != 1
        or not all(step in asked for step in steps)
    ):
        return "not each of them led on or was the last"
    if not _ends(course, steps, asked):
        return "no decision says that none follows the last"
    argument = _counted(calls)
    if argument is None:
        return "they are not the first and those that follow it, one by one"
    if not _is_refused(course, steps[-1], argument, len(calls) + 1):
        return "there is another page after the last"
    return ""


def _ends(course: Course, steps: list[int], asked: Mapping[int, list[int]]) -> bool:
    """Return whether one question was put to every page, with one answer for the last and the other for the rest."""
    last = [(test.of, args) for test, args in _questions(course, asked[steps[-1]]) if isinstance(test, Not)]
    return any(
        all(question in _questions(course, asked[step]) for step in steps[:-1])
        and question not in _questions(course, asked[steps[-1]])
        for question in last
    )


def _questions(course: Course, decisions: Iterable[int]) -> list[tuple[BaseModel, dict[str, list[str | int]]]]:
    """Return the predicates of decisions over one result, with the places in it that they look at."""
    found: list[tuple[BaseModel, dict[str, list[str | int]]]] = []
    for node in decisions:
        decided = course.decided[node]
        places = {
            name: arg.path
            for name, index in decided.args.items()
            if isinstance(arg := course.plan.nodes[index], o.Result)
        }
        found.append((decided.test, places))
    return found


def _counted(calls: list[Call]) -> str | None:
    """Return the argument that counts the calls from 1, all others being the same."""
    for name in calls[0].arguments:
        same = {**calls[0].arguments}
        if all(alike(call.arguments, {**same, name: number}) for number, call in enumerate(calls, 1)):
            return name
    return None


def _is_refused(course: Course, step: int, argument: str, number: int) -> bool:
    """Return whether the tool refuses the page `number`, where the plan stood after `step`."""
    context, call = course.context, course.graph.call(step)
    env = context.open()
    env.restore(context.gold.snapshots[step + 1])
    context.calls += 1
    return "error" in env.call(call.tool, {**call.arguments, argument: number}, call.side)


# --- gates ---------------------------------------------------------------------------------------------------------


def _gate_faults(course: Course) -> Iterator[str]:
    for number, step in enumerate(course.plan.steps):
        compiled = course.context.catalogue.gates.get(step.gate) if isinstance(step, Ask) else None
        if isinstance(step, Ask) and compiled is not None and compiled.gate.probe is not None:
            fault = _asked_fault(course, number, step, compiled.gate)
            if fault:
                yield f"step {number} asks about {step.gate}, and {fault}"


def _asked_fault(course: Course, number: int, step: Ask, gate: Gate) -> str:
    probe, remedy = gate.probe, gate.remedy
    if probe is None or remedy is None:
        return ""
    looked = [
        at
        for at, call in enumerate(course.plan.steps[:number])
        if isinstance(call, Call) and call.tool == probe.tool and alike(call.arguments, dict(probe.arguments))
    ]
    if not looked:
        return f"{probe.tool}, which shows it, was not called before"
    seen = looked[-1]
    footprints = course.context.gold.footprints
    if any(touches(footprints[seen], footprints[at].writes) for at in range(seen + 1, number) if footprints[at].writes):
        return f"what {probe.tool} showed has changed since"
    shown = [node for node in course.decided if _shows(course, node, gate, seen, number if step.granted else None)]
    course.spoken_for.update(node for node in shown if course.decided[node].test == remedy.shows)
    return "" if shown else f"no decision says that {probe.tool} shows it closed"


def _shows(course: Course, node: int, gate: Gate, seen: int, opened: int | None) -> bool:
    """Return whether a decision says that the result of step `seen` shows a gate closed.

    Before a remedy it is the declared predicate over the declared values. Before a refusal what stands beside the
    probe may be worked out in another way, since no call was blocked.
    """
    decided, remedy = course.decided[node], gate.remedy
    if remedy is None:
        return False
    args = {name: course.plan.nodes[index] for name, index in decided.args.items()}
    probed = [o.Result(step=seen, path=list(place[1:])) for place in remedy.values.values() if place[0] == "probe"]
    beside = {name: place for name, place in remedy.values.items() if place[0] == "beside"}
    if opened is None and beside:
        return all(value in args.values() for value in probed) and len(args) >= len(remedy.values)
    return (
        decided.test == remedy.shows
        and args.keys() == remedy.values.keys()
        and all(args[n] == o.Result(step=seen, path=list(p[1:])) for n, p in remedy.values.items() if p[0] == "probe")
        and all(_stands_beside(course, args[name], place, gate.name, opened) for name, place in beside.items())
    )


def _stands_beside(course: Course, value: o.Origin, place: tuple[str, ...], gate: str, opened: int | None) -> bool:
    """Return whether a value stands in the object that the argument of the call that the gate blocks was taken from."""
    tools = course.context.catalogue.tools
    later = course.plan.steps[opened or 0 :]
    blocked = next((s for s in later if isinstance(s, Call) and gate in tools[s.tool].gates), None)
    origin = course.plan.nodes[blocked.origins[place[1]]] if blocked and place[1] in blocked.origins else None
    source, target = _object_of(origin), _object_of(value, len(place) - 2)
    return source is not None and source == target and _path_of(value)[-len(place[2:]) :] == place[2:]


def _path_of(origin: o.Origin | None) -> tuple[str | int, ...]:
    return tuple(origin.path) if isinstance(origin, o.Result | o.Element) else ()


def _object_of(origin: o.Origin | None, depth: int = 1) -> _Object | None:
    """Return the object that a value was taken from, `depth` keys above it."""
    if not isinstance(origin, o.Result | o.Element) or len(origin.path) < depth:
        return None
    path = _path_of(origin)[: len(origin.path) - depth]
    return ("result", origin.step, path) if isinstance(origin, o.Result) else ("node", origin.of, path)


# --- what is left out ----------------------------------------------------------------------------------------------


def _stand_in_faults(course: Course) -> Iterator[str]:
    """Yield constants that stand for something not read, where no decision says that there was nothing to read."""
    constants = {node for node, _ in course.graph.nodes_of(o.Policy)}
    for index, sources in enumerate(course.graph.sources):
        if constants.isdisjoint(sources) or isinstance(course.plan.nodes[index], o.Decided):
            continue
        for constant in (node for node in sources if node in constants):
            rows = [node for node in sources if course.graph.latest[node] >= 0]
            decided = (course.rests[node] for node in course.free())
            if not any(constant not in rests and any(node in rests for node in rows) for rests in decided):
                yield f"node {index}: a constant (node {constant}) stands for what was not read, and nothing decided so"


def _alternative_faults(course: Course) -> Iterator[str]:
    """Yield calls in one of several alternatives, where it was not decided for each whether it is to be called.

    Of packs and single pieces, say, a plan takes the number of each from one row, and leaves out a number that is 0.
    """
    asked: dict[_Object, set[int]] = {}
    for decided in course.decided.values():
        if len(decided.args) == 1:
            (node,) = decided.args.values()
            place = _object_of(course.plan.nodes[node])
            if place is not None:
                asked.setdefault(place, set()).add(node)
    for number, step in enumerate(course.plan.steps):
        for argument, scaled, values in _alternatives(course, step) if isinstance(step, Call) else ():
            place = _object_of(course.plan.nodes[scaled])
            known = asked.get(place, set[int]()) if place is not None else set[int]()
            if place is not None and (scaled not in known or len(known) < len(values)):
                yield f"step {number}: {argument!r} is one of {len(values)}, and not each of them was decided on"


def _alternatives(course: Course, step: Call) -> Iterator[tuple[str, int, set[Scalar]]]:
    """Yield the arguments that a call takes as constants though another declared value changes how much is meant.

    With each the node of the amount, and the values.
    """
    declared = course.context.catalogue.tools[step.tool].alternatives
    for alternative in declared:
        argument, amount = step.origins.get(alternative.argument), step.origins.get(alternative.scaled)
        if argument is not None and amount is not None and isinstance(course.plan.nodes[argument], o.Policy):
            same = [other for other in declared if other.argument == alternative.argument]
            yield alternative.argument, amount, {other.value for other in same} | {other.other for other in same}


def _loop_faults(course: Course) -> Iterator[str]:
    """Yield writes made for every row of a selection, where no decision says that there is a row."""
    tools = course.context.catalogue.tools
    counted = {
        source.over
        for decided in course.decided.values()
        for arg in decided.args.values()
        if isinstance(source := course.plan.nodes[arg], o.Summed)
    }
    lists: set[int] = set()
    for step in course.plan.steps:
        if isinstance(step, Call) and tools[step.tool].write:
            sources = (course.plan.nodes[node] for node in step.origins.values())
            lists |= {s.of for s in sources if isinstance(s, o.Element) and s.path and isinstance(s.path[0], int)}
    for node in sorted(lists - counted):
        origin = course.plan.nodes[node]
        if isinstance(origin, o.Filtered) and not origin.order:
            yield f"node {node}: its rows are acted on one by one, and no decision says that there are any"
