"""Running the mutants of a task against its judge, and what came of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from validators.contract.accepted import NotConstructible, accepted_delta
from validators.contract.mutants import Group, Mutant, mutants
from validators.contract.normal import same_end
from validators.contract.scene import Gold, make_scene

if TYPE_CHECKING:
    from schemas.contract import Expectation
    from schemas.goal import Pred
    from services.runtime.declare import Table
    from services.runtime.streams import Stream
    from validators.contract.changes import Delta
    from validators.contract.judge import Holds, Judge


class Tally(NamedTuple):
    """Mutants of one operator. What is neither rejected nor equivalent was passed and must not have been."""

    total: int = 0
    rejected: int = 0
    equivalent: int = 0


@dataclass(frozen=True, slots=True)
class Mutation:
    """The mutants of one task."""

    tallies: Mapping[Group, Mapping[str, Tally]]
    """Group -> operator -> what happened."""
    survivors: tuple[Mutant, ...]
    """Mutants that passed although no accepted end-state is theirs; a sound contract has none."""
    equivalent: tuple[Mutant, ...]
    """Mutants that passed because they are an accepted end-state."""

    def counts(self) -> dict[str, int]:
        """Return the tallies with keys such as `goal/wrong_value/rejected`."""
        return {
            f"{group}/{operator}/{what}": number
            for group, operators in self.tallies.items()
            for operator, tally in operators.items()
            for what, number in zip(Tally._fields, tally, strict=True)
        }


def run_mutants(
    judge: Judge,
    gold: Gold,
    expectation: Expectation,
    tables: Mapping[str, Table],
    relations: Mapping[str, Pred],
    holds_after: Callable[[Delta], Holds],
    now: str,
    stream: Stream,
) -> Mutation:
    """Judge every mutant of the gold outcome.

    `relations` are the predicates of the relations that the contracts name, and `holds_after` gives their truth after
    a delta. A mutant that passes is equivalent when it tells and asks what the gold does and ends in the gold end-state
    or in one constructed from another contract.
    """
    scene = make_scene(gold, expectation, tables, relations, stream.below(1 << 16))
    tallies: dict[Group, dict[str, Tally]] = {"goal": {}, "allowance": {}, "frame": {}}
    survivors: list[Mutant] = []
    equivalent: list[Mutant] = []
    accepted: list[Delta] | None = None
    for mutant in mutants(scene):
        passed = judge.judge(mutant.delta, mutant.answers, mutant.asks, holds_after(mutant.delta)).passed
        excused = False
        if passed:
            accepted = accepted or _accepted(gold, expectation, tables)
            told = mutant.answers == gold.answers and mutant.asks == gold.asks
            excused = told and any(same_end(mutant.delta, end, tables, now) for end in accepted)
            (equivalent if excused else survivors).append(mutant)
        old = tallies[mutant.group].get(mutant.operator, Tally())
        tallies[mutant.group][mutant.operator] = Tally(
            old.total + 1, old.rejected + (not passed), old.equivalent + excused
        )
    return Mutation(tallies, tuple(survivors), tuple(equivalent))


def _accepted(gold: Gold, expectation: Expectation, tables: Mapping[str, Table]) -> list[Delta]:
    """Return the gold end and what the contracts construct; contracts that describe no single end give none."""
    ends = [gold.delta]
    for contract in expectation.any_of:
        try:
            ends.append(accepted_delta(contract, gold.start, tables))
        except NotConstructible:
            continue
    return ends
