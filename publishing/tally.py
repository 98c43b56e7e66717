"""Counting over the task rows of a run, one row at a time: what `inspect` and the dataset card report."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, cast

from publishing.run import parsed
from publishing.shapes import plan_shape, step_name
from publishing.wording import Wording

if TYPE_CHECKING:
    from collections.abc import Mapping

    from publishing.parquet import RawRow
    from schemas.base import Json

FULFIL = "fulfil"
"""Form of an intent that is met; every other form is the reason of a decline."""
COLUMNS = (
    "task_id",
    "family",
    "level",
    "template",
    "scenario",
    "instruction",
    "features",
    "gates",
    "user_id",
    "kin_json",
    "intents_json",
    "script_json",
    "plan_json",
    "expectation_json",
    "certificate_json",
)
"""Columns of a task shard that are read; a column without a fixed type may stand under its name without `_json`."""


TRIALS = {"task.other_gold": "of", "task.permissions": "total"}
"""Checks for which a task may offer nothing to try, and the count that says how much was tried."""


@dataclass(slots=True)
class Equivalent:
    """Mutants of one task and operator that were found to reach an acceptable end after all."""

    task_id: str
    group: str
    operator: str
    count: int


@dataclass(slots=True)
class Tally:
    """Sums over tasks."""

    tasks: int = 0
    multi_intent: int = 0
    declines: int = 0
    tool_calls: int = 0
    steps: int = 0
    by: dict[str, Counter[str]] = field(default_factory=lambda: dict[str, Counter[str]]())
    """Tasks by value, per dimension such as `family`."""
    checks: Counter[str] = field(default_factory=lambda: Counter[str]())
    passed: Counter[str] = field(default_factory=lambda: Counter[str]())
    counts: dict[str, Counter[str]] = field(default_factory=lambda: dict[str, Counter[str]]())
    """Counts of the verdicts, summed, per check."""
    tried: Counter[str] = field(default_factory=lambda: Counter[str]())
    """Tasks on which a check of `TRIALS` tried something."""
    equivalent: list[Equivalent] = field(default_factory=lambda: list[Equivalent]())
    lengths: Counter[int] = field(default_factory=lambda: Counter[int]())
    """Tasks by number of plan steps."""
    tools: Counter[str] = field(default_factory=lambda: Counter[str]())
    """Gold calls by tool."""
    bigrams: Counter[str] = field(default_factory=lambda: Counter[str]())
    """Consecutive gold calls."""
    sampled: int = 0
    with_twin: set[str] = field(default_factory=lambda: set[str]())
    """Ids of the tasks that are twins of others, and of those others."""
    wording: Wording = field(default_factory=Wording)
    shapes: Counter[str] = field(default_factory=lambda: Counter[str]())

    def count(self, dimension: str, value: str) -> None:
        """Count one task under a value of a dimension."""
        self.by.setdefault(dimension, Counter())[value] += 1

    def counts_of(self, check: str) -> Counter[str]:
        """Return the summed counts of a check; a count that no verdict has is 0."""
        return self.counts.get(check, Counter())

    def add(self, row: RawRow, *, sampled: bool, today: str = "") -> None:
        """Add one task, asked on the day `today`; costly figures, on wording and structure, cover `sampled` ones."""
        self.tasks += 1
        for dimension in ("family", "level", "template"):
            self.count(dimension, str(row[dimension]))
        for dimension in ("features", "gates"):
            for value in cast("list[str]", parsed(row, dimension)):
                self.count(dimension, value)
        intents = cast("list[Mapping[str, Json]]", parsed(row, "intents"))
        self._add_intents(intents)
        self._add_answers(cast("Mapping[str, Json]", parsed(row, "expectation")))
        self._add_certificate(str(row["task_id"]), cast("Mapping[str, Json]", parsed(row, "certificate")))
        plan = cast("Mapping[str, Json]", parsed(row, "plan"))
        self._add_plan(plan)
        self._add_kin(str(row["task_id"]), cast("Mapping[str, str] | None", parsed(row, "kin")))
        if sampled:
            read = {name: parsed(row, name) for name in ("scenario", "template", "instruction", "script")}
            self.sampled += 1
            self.wording.add({**read, "intents": cast("list[Json]", intents)}, today)
            self.shapes[plan_shape(plan)] += 1

    def _add_kin(self, task_id: str, kin: Mapping[str, str] | None) -> None:
        if kin is not None:
            self.count("kin", kin["kind"])
            self.with_twin.update((task_id, kin["of"]) if kin["kind"] == "twin" else ())

    def _add_intents(self, intents: list[Mapping[str, Json]]) -> None:
        self.multi_intent += len(intents) > 1
        forms = [str(intent["form"]) for intent in intents]
        declined = sorted({form for form in forms if form != FULFIL})
        self.declines += bool(declined)
        for reason in declined:
            self.count("decline_reason", reason)
        for name in sorted({str(intent["intent"]) for intent in intents}):
            self.count("intent", name)
        for intent, form in sorted(
            {(str(intent["intent"]), form) for intent, form in zip(intents, forms, strict=True)}
        ):
            self.count("form", f"{intent}/{form}")

    def _add_answers(self, expectation: Mapping[str, Json]) -> None:
        for kind in sorted({str(a["kind"]) for a in cast("list[Mapping[str, Json]]", expectation["answers"])}):
            self.count("answer_kind", kind)

    def _add_certificate(self, task_id: str, certificate: Mapping[str, Json]) -> None:
        self.tool_calls += cast("int", certificate["tool_calls"])
        for verdict in cast("list[Mapping[str, Json]]", certificate["verdicts"]):
            check = str(verdict["check"])
            counts = cast("dict[str, int]", verdict["counts"])
            self.checks[check] += 1
            self.passed[check] += verdict["passed"] is True
            self.tried[check] += counts.get(TRIALS.get(check, ""), 0) > 0
            self.counts.setdefault(check, Counter()).update(counts)
            for key, number in counts.items():
                if number and key.endswith("/equivalent"):
                    group, operator, _ = key.split("/")
                    self.equivalent.append(Equivalent(task_id, group, operator, number))

    def _add_plan(self, plan: Mapping[str, Json]) -> None:
        steps = cast("list[Mapping[str, Json]]", plan["steps"])
        names = [step_name(step).removeprefix("call ") for step in steps if step["step"] == "call"]
        self.steps += len(steps)
        self.lengths[len(steps)] += 1
        self.tools.update(names)
        self.bigrams.update(f"{one} > {other}" for one, other in pairwise(names))
