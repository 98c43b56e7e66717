"""The score of a trajectory: carried out anew, read, judged, and the errors that it shows."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from schemas.score import Score
from schemas.trajectory import UNSCORED
from validators.contract.judge import Coverage, Judgement
from validators.scoring.detect import detect
from validators.scoring.marking import marking_of
from validators.scoring.needless import elicited_of, needless_of
from validators.scoring.outcome import Outcome

if TYPE_CHECKING:
    from schemas.score import Overlap
    from schemas.trajectory import EndReason, Trajectory
    from validators.scoring.marking import Marking
    from validators.scoring.reading import Reading
    from validators.tasks.context import TaskContext


class Marked(NamedTuple):
    """A conversation with all that is judged of it."""

    context: TaskContext
    marking: Marking
    outcome: Outcome
    reading: Reading
    end: Judgement
    """Of the state alone."""
    coverage: Coverage
    unasked: tuple[str, ...]
    """Gates whose consent had to be asked for and was not."""
    needless: list[str]
    ended: EndReason

    @property
    def answers(self) -> bool:
        """Whether every required answer was told right, and what can be met was not declined beside it."""
        return not self.declined and all(told == "right" for told in self.reading.told.values())

    @property
    def declined(self) -> bool:
        """Whether the assistant says that it did not do what can be met."""
        return self.reading.disowned and not self.marking.reasons

    @property
    def passed(self) -> bool:
        """Whether contract, answers and consent hold."""
        return self.end.passed and self.answers and not self.unasked


def score(context: TaskContext, trajectory: Trajectory) -> Score | None:
    """Return the score of a trajectory; None where its end says nothing about the assistant.

    Raises:
        ValueError: the trajectory is of another task, or the task's contract cannot be judged.
    """
    if trajectory.task_id != context.task.task_id:
        msg = f"{trajectory.trajectory_id} is of task {trajectory.task_id}, not {context.task.task_id}"
        raise ValueError(msg)
    if trajectory.end in UNSCORED:
        return None
    return score_of(mark(context, trajectory))


def mark(context: TaskContext, trajectory: Trajectory) -> Marked:
    """Carry a trajectory out anew, read its report and judge it."""
    marking = marking_of(context)
    outcome = Outcome(context, trajectory.events)
    reader = marking.reader
    if trajectory.answers == "tool":
        reading = reader.read_entries(outcome.report)
    else:
        reading = reader.read_messages([one.text for one in outcome.messages])
    coverage = context.judge.coverage(outcome.delta, outcome.end.contract_index)
    asked = [ask.gate for ask in context.task.expectation.asks]
    unasked = tuple(gate for gate in asked if not outcome.asked(marking.gates[gate]))
    needless = needless_of(marking, outcome)
    return Marked(context, marking, outcome, reading, outcome.end, coverage, unasked, needless, trajectory.end)


def score_of(marked: Marked) -> Score:
    """Return the score of what was marked."""
    outcome, reading, coverage = marked.outcome, marked.reading, marked.coverage
    made = outcome.made
    asks = len(marked.context.task.expectation.asks)
    right = sum(told == "right" for told in reading.told.values())
    found = detect(marked)
    decisive = [one for one in found if one.decisive]
    return Score.model_construct(
        passed=marked.passed,
        contract=marked.end.passed,
        answers=marked.answers,
        consent=not marked.unasked,
        reason=_why(marked),
        contract_index=marked.end.contract_index,
        told=reading.told,
        values=reading.values,
        collateral=0 if marked.end.passed else coverage.beside,
        needless=marked.needless,
        targets=coverage.required + len(reading.told) + asks,
        reached=(coverage.required if marked.end.passed else coverage.met) + right + asks - len(marked.unasked),
        overlap=_overlap(marked),
        elicited=elicited_of(marked.marking, outcome),
        assistant_turns=len(outcome.messages),
        user_turns=outcome.user_turns,
        calls=len(made),
        errors=sum(bool(call.code) for call in made),
        blocked=_blocked(marked),
        found=found,
        error_class=decisive[0].error_class if decisive else None,
    )


def _overlap(marked: Marked) -> Overlap:
    return marked.marking.calls.overlap((call.event.tool, call.event.arguments) for call in marked.outcome.made)


def _blocked(marked: Marked) -> dict[str, int]:
    found: dict[str, int] = {}
    for call in marked.outcome.made:
        gate = call.gate or call.quiet
        if gate:
            found[gate] = found.get(gate, 0) + 1
    return found


def _why(marked: Marked) -> str:
    """Return why it fails, in one sentence."""
    if not marked.end.passed:
        return marked.end.reason
    for name, told in marked.reading.told.items():
        if told != "right":
            said = {"wrong": "wrong", "missing": "missing", "hedged": "not one value that is stood by"}[told]
            return f"the answer {name!r} is {said}"
    if marked.declined:
        return "the request was declined although it can be met"
    return f"the consent for {marked.unasked[0]!r} was not asked for" if marked.unasked else ""
