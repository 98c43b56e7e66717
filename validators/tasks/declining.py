"""Declines rest on all that makes them right: the plan looked at every slot that the goal's reason speaks of."""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from schemas import provenance as o
from schemas.algebra import Node, NodeRows, Now, Slot
from schemas.plan import Tell
from validators.tasks.told import given_up

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import BaseModel

    from schemas.goal import Goal
    from validators.tasks.course import Course


def decline_faults(course: Course) -> Iterator[str]:
    """Yield declines for which the plan did not look at all that makes them right."""
    for part in course.context.parts:
        decline = part.goal.decline
        if decline is None or _is_shown_by_probe(course, decline.gate):
            continue
        slots = slots_behind(part.goal, decline.because)
        # Further down the clock may stand for what a tool shows, such as whether a membership is valid.
        clocked = any(isinstance(found, Now) for found in parts_of(decline.because))
        wanted = {part.use.prefix + name for name in slots} & course.context.slots.keys()
        missing = [wanted - seen for seen, clock in _looked_at(course) if clock or not clocked]
        if not any(not names for names in missing):
            rest = sorted(min(missing, key=len)) if missing else ["the clock"] if clocked else sorted(wanted)
            what = f"rests on {', '.join(rest)}" if rest else "says so"
            yield f"the request is declined ({decline.reason}), and no decision {what}"


def _looked_at(course: Course) -> Iterator[tuple[set[str], bool]]:
    """Yield for each free decision the slots that it rests on, and whether the clock enters it."""
    outdated = given_up(course.context)
    for node in course.free():
        nodes = _with_arguments(course, course.rests[node])
        origins = [course.plan.nodes[index] for index in nodes]
        slots = {origin.slot for origin in origins if isinstance(origin, o.Instruction)} - outdated
        slots |= {origin.slot for origin in origins if isinstance(origin, o.UserReply)}
        slots |= _found_by_parts(course, nodes)
        yield slots | _read_in_texts(course, nodes), any(isinstance(origin, o.Clock) for origin in origins)


def _found_by_parts(course: Course, nodes: set[int]) -> set[str]:
    """Return the slots that are what an earlier part of the task tells, where that is among the nodes."""
    told = {name for s in course.plan.steps if isinstance(s, Tell) for name, node in s.origins.items() if node in nodes}
    return {slot.name for slot in course.context.told if slot.told == "by_part" and slot.source in told}


def _with_arguments(course: Course, nodes: set[int]) -> set[int]:
    """Return nodes, and those that the arguments of the calls come from whose results are among them."""
    found, before = nodes, set[int]()
    while found != before:
        before = found
        steps = {origin.step for node in found if isinstance(origin := course.plan.nodes[node], o.Result)}
        found = course.below([*found, *(node for step in steps for node in course.graph.call(step).origins.values())])
    return found


def _read_in_texts(course: Course, nodes: set[int]) -> set[str]:
    """Return the slots whose values were taken, under their own names, out of rows that were read from texts."""
    taken: set[str] = set()
    for node in nodes:
        origin = course.plan.nodes[node]
        if isinstance(origin, o.Element) and any(
            isinstance(course.plan.nodes[below], o.ReadOut) for below in course.below([origin.of])
        ):
            taken.add(str(origin.path[-1]))
    return {slot.name for slot in course.context.told if slot.name.rpartition(".")[2] in taken}


def _is_shown_by_probe(course: Course, gate: str) -> bool:
    """Return whether all that shows a gate closed is a probe, which is then looked at before the question."""
    compiled = course.context.catalogue.gates.get(gate)
    remedy = compiled.gate.remedy if compiled is not None else None
    return remedy is not None and all(place[0] == "probe" for place in remedy.values.values())


def slots_behind(goal: Goal, start: BaseModel) -> set[str]:
    """Return the slots that an expression of a goal rests on, directly or through the goal's nodes."""
    nodes = {node.name: node for node in goal.nodes}
    slots: set[str] = set()
    waiting, seen = [start], set[str]()
    while waiting:
        for part in parts_of(waiting.pop()):
            if isinstance(part, Slot):
                slots.add(part.name)
            elif isinstance(part, Node | NodeRows) and part.name not in seen and part.name in nodes:
                seen.add(part.name)
                waiting.append(nodes[part.name])
    return slots


def parts_of(value: BaseModel) -> list[object]:
    """Return a model and the models in it, at any depth."""
    found: list[object] = []

    def visit(part: object) -> object:
        found.append(part)
        return part.__dict__

    # The encoder walks faster than any loop here; what it writes is not needed.
    orjson.dumps(value, default=visit)
    return found
