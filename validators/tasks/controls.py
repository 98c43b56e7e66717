"""Negative controls: agents that do not do the task, and other tasks' golds, must fail it."""

from __future__ import annotations

from itertools import islice, product
from typing import TYPE_CHECKING, get_args

from schemas.goal import Reason
from schemas.plan import Call
from validators.tasks.replay import replay, run_foreign
from validators.tasks.verdicts import verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from schemas.base import Json
    from schemas.certificate import Verdict
    from schemas.task import Task
    from validators.tasks.context import TaskContext

REASONS: tuple[str, ...] = get_args(Reason)
MAX_BLIND = 240
"""Guesses of the blind agent per task; real tasks have a few dozen."""
OTHERS = 3
SMALL = (0, 1, 2, 3)
"""Numbers that someone would guess; what a question asks for must be larger."""

_GUESSED_FROM: Mapping[str, tuple[str, ...]] = {
    "money_cents": ("money_cents",),
    "count": ("count",),
    "decimal": ("count",),
    "percent": ("percent",),
    "date": ("date", "period"),
    "name": ("name", "term"),
    "names": ("name", "term"),
    "term": ("term", "name"),
}
"""Kind of an answer -> kinds of slots whose values someone could pass off as it."""


def check_trivial_agents(context: TaskContext) -> Verdict:
    """Return whether agents that do nothing, refuse, guess or only read all fail."""
    counts: dict[str, int] = {}
    faults: list[str] = []
    for name, agent in AGENTS.items():
        passed = of = 0
        for told in agent(context):
            of += 1
            passed += told
        counts |= {f"{name}/of": of, f"{name}/passed": passed}
        if passed:
            faults.append(f"an agent that does nothing but {name} passes")
        if not of and not (name in RIGHT_AT_TIMES and _is_refusal(context)):
            faults.append(f"the agent {name} was not tried")
    return verdict("task.trivial_agents", faults, counts)


def _untouched(context: TaskContext, answers: Mapping[str, Json]) -> bool:
    """Return whether telling `answers` and doing nothing else passes."""
    return context.judge.judge({}, answers, (), context.holds_at_start).passed


def _do_nothing(context: TaskContext) -> Iterator[bool]:
    yield _untouched(context, {})


def _refuse_all(context: TaskContext) -> Iterator[bool]:
    yield from (_untouched(context, dict.fromkeys(_reasons(context), reason)) for reason in REASONS)


def _blind_decline(context: TaskContext) -> Iterator[bool]:
    """Decline for each reason, with evidence made of what the user said: each guess, or none, for each answer."""
    answers = [answer for answer in context.task.expectation.answers if answer.kind != "reason"]
    guesses = [[None, *_guesses(context, answer.kind)] for answer in answers]
    names = _reasons(context)
    for reason, told in islice(product(REASONS, product(*guesses)), MAX_BLIND):
        given = {answer.name: guess for answer, guess in zip(answers, told, strict=True) if guess is not None}
        yield _untouched(context, {**dict.fromkeys(names, reason), **given})


def _reasons(context: TaskContext) -> list[str]:
    """Return the names under which declining is told: of each part that must be declined, else of the whole."""
    return [answer.name for answer in context.task.expectation.answers if answer.kind == "reason"] or ["reason"]


def _guesses(context: TaskContext, kind: str) -> list[Json]:
    found: list[Json] = []
    for slot in context.told:
        if slot.kind in _GUESSED_FROM.get(kind, ()):
            values = slot.value if slot.kind == "period" and isinstance(slot.value, list) else [slot.value]
            found += [[value] if kind == "names" else value for value in values]
    return found


def _read_only(context: TaskContext) -> Iterator[bool]:
    """Make all reads of the gold, in its order, and tell nothing."""
    tools = context.catalogue.tools
    reads = [
        a
        for a in context.acts
        if isinstance(a.step, Call) and a.step.side == "assistant" and not tools[a.step.tool].write
    ]
    yield context.passes(replay(context, reads))


def _guess_small(context: TaskContext) -> Iterator[bool]:
    """Tell one small number wherever a number or an amount is asked for, and nothing else."""
    units = {"count": 1, "money_cents": 100}
    asked = {a.name: units[a.kind] for a in context.task.expectation.answers if a.kind in units}
    yield from (_untouched(context, {name: unit * guess for name, unit in asked.items()}) for guess in SMALL)


def _ask_and_refuse(context: TaskContext) -> Iterator[bool]:
    """Ask for every consent there is, and say that the user refused: where that is right, nothing is tried."""
    if not _is_refusal(context):
        answers = dict.fromkeys(_reasons(context), "consent_refused")
        yield context.judge.judge({}, answers, tuple(context.catalogue.gates), context.holds_at_start).passed


def _is_refusal(context: TaskContext) -> bool:
    """Return whether all that the task asks for ends at a refused consent."""
    declines = [goal.decline for goal in context.task.goals]
    return all(decline is not None and decline.reason == "consent_refused" for decline in declines)


AGENTS = {
    "do_nothing": _do_nothing,
    "refuse_all": _refuse_all,
    "blind_decline": _blind_decline,
    "read_only": _read_only,
    "guess_small": _guess_small,
    "ask_and_refuse": _ask_and_refuse,
}
RIGHT_AT_TIMES = ("ask_and_refuse",)
"""Agents that do what some tasks want, on which they are not tried."""


def check_other_gold(context: TaskContext) -> Verdict:
    """Return whether the golds of other tasks of the user fail this one.

    Left out are tasks that expect the same, and golds that solve this task as well: those that tell what this gold
    tells and end in an end-state that a contract of this task describes.
    """
    of = passed = 0
    faults: list[str] = []
    for peer in _others(context):
        outcome = run_foreign(context, peer.plan)
        succeeded = context.passes(outcome)
        if succeeded and outcome.answers == context.gold.answers and context.is_accepted(outcome.delta):
            continue
        of += 1
        if succeeded:
            passed += 1
            faults.append(f"the gold of {peer.task_id} passes")
        if of == OTHERS:
            break
    note = "" if of else "no other task of the user could be tried: none, or only such as want the same"
    return verdict("task.other_gold", faults, {"of": of, "passed": passed}, note)


def _others(context: TaskContext) -> list[Task]:
    """Return the peers that expect something else, those most like this task first."""
    task = context.task
    own = context.user.expectation_key(task)
    intents = [use.intent for use in task.intents]
    different = [peer for peer in context.peers if context.user.expectation_key(peer) != own]
    return sorted(
        different,
        key=lambda peer: (
            peer.template != task.template,
            [use.intent for use in peer.intents] != intents,
            abs(peer.ordinal - task.ordinal),
            peer.ordinal,
        ),
    )
