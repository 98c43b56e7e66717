"""The hand-written solver of the intent: what it computes from state and slots alone is what the task expects."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from importlib.metadata import entry_points
from typing import TYPE_CHECKING

from schemas.algebra import Const
from schemas.base import canonical
from schemas.contract import Equal, Range, Ref
from services.functions import merge_expectations
from validators.solvers.solution import SolverInput
from validators.tasks.second_engine import derived_part
from validators.tasks.verdicts import verdict

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from schemas.base import Json
    from schemas.certificate import Verdict
    from schemas.contract import Answer, Change, Contract, Expectation
    from validators.solvers.solution import Fact, Solution, Solver
    from validators.tasks.context import Part, TaskContext


@cache
def installed_solvers() -> Mapping[str, Solver]:
    """Return the solvers by the name of their intent."""
    return {entry.name: entry.load() for entry in entry_points(group="pausegen.solvers")}


def check_solver(context: TaskContext) -> Verdict:
    """Return whether the solver of the task's intent arrives at the task's expectation."""
    return verdict("task.solver", [fault for part in context.parts for fault in _part_faults(context, part)])


def _part_faults(context: TaskContext, part: Part) -> list[str]:
    solver = installed_solvers().get(part.use.intent)
    if solver is None:
        return [f"intent {part.use.intent!r} has no solver"]
    # One part is the task; of several, each is compared with what the second engine derives for it alone.
    whole = context.task.expectation if len(context.parts) == 1 else _alone(context, part)
    return list(disagreements(whole, _lasting(context, solver(solver_input(context, part)))))


def _lasting(context: TaskContext, solution: Solution) -> Solution:
    """Return a solution without what consents given once have changed: the user takes them back, as solvers say not."""
    once = [context.catalogue.gates[c.gate].gate for c in context.task.script.consents if c.once]
    undone = {(w.table, w.id.value) for gate in once for w in gate.effect if isinstance(w.id, Const)}
    facts = [fact for fact in solution.facts if (fact.table, fact.fields.get("id")) not in undone]
    return replace(solution, facts=facts) if undone else solution


def _alone(context: TaskContext, part: Part) -> Expectation:
    return merge_expectations([("", derived_part(context, part))])


def solver_input(context: TaskContext, part: Part) -> SolverInput:
    """Return what the solver may know of a part of a task."""
    task = context.task
    return SolverInput(
        tables={**context.user.world_tables, **context.tables},
        slots={slot.name: slot.value for slot in part.use.slots},
        now=context.now,
        variant=part.use.variant,
        refused=frozenset(consent.gate for consent in task.script.consents if not consent.granted),
    )


def disagreements(expected: Expectation, solution: Solution) -> Iterator[str]:
    """Yield what an expectation and a solution do not agree on.

    The first contract holds exactly the facts of the solution; the others, in which consents may stay, hold them too.
    """
    if not expected.any_of:
        yield "the expectation accepts no end"
    for index, contract in enumerate(expected.any_of):
        facts = list(solution.facts)
        if index == 0 and len(facts) != len(contract.changes):
            yield f"{len(contract.changes)} changes are expected, the solver finds {len(facts)}"
        elif not _paired(facts, contract.changes):
            unmet = next((fact for fact in facts if not any(_fits(fact, c) for c in contract.changes)), facts[-1])
            yield f"no expected change is {unmet.op} in {unmet.table} of {dict(unmet.fields)}"
        if _sums_of(contract) != _key([[s.table, dict(s.where), s.column, s.value] for s in solution.sums]):
            yield "the totals differ"
    told = {answer.name: _typed(answer) for answer in expected.answers if answer.kind != "reason"}
    found = {name: _sorted(value) for name, value in solution.answers.items()}
    if canonical(told) != canonical(found):
        yield f"the answers are {told}, the solver finds {found}"
    reasons = [answer.value for answer in expected.answers if answer.kind == "reason"]
    if reasons != ([solution.reason] if solution.reason else []):
        yield f"the reasons are {reasons}, the solver finds {solution.reason or 'none'}"
    # What a fulfilled request asks for on its way is a matter of gates, which solvers do not know.
    if reasons and [ask.gate for ask in expected.asks] != list(solution.asks):
        yield f"the asks are {[ask.gate for ask in expected.asks]}, the solver finds {list(solution.asks)}"


def _paired(facts: Sequence[Fact], changes: Sequence[Change]) -> bool:
    """Return whether every fact has a change of its own."""
    if not facts:
        return True
    rest = facts[1:]
    return any(
        _fits(facts[0], change) and _paired(rest, [*changes[:i], *changes[i + 1 :]]) for i, change in enumerate(changes)
    )


def _fits(fact: Fact, change: Change) -> bool:
    if (fact.op, fact.table) != (change.op, change.table):
        return False
    values = {name: value for name, value in fact.fields.items() if name != "id"}
    # When something happens, and the id of what is made, is a matter of the run, which solvers do not know.
    fixed = {name for name, rule in change.fields.items() if not isinstance(rule, Range | Ref)}
    if change.op != "create" and (fact.fields.get("id") != change.id or values.keys() != fixed):
        return False
    for name, value in values.items():
        rule = change.fields.get(name)
        if not isinstance(rule, Equal) or canonical(rule.value) != canonical(value):
            return False
    return True


def _sums_of(contract: Contract) -> bytes:
    return _key([[t.table, t.where, t.column, t.value] for t in contract.totals if t.fn == "eq"])


def _key(sums: list[list[object]]) -> bytes:
    return canonical(sorted(canonical(item).decode() for item in sums))


def _typed(answer: Answer) -> Json:
    return _sorted(answer.value) if answer.kind == "names" else answer.value


def _sorted(value: Json) -> Json:
    return sorted(value, key=canonical) if isinstance(value, list) else value
