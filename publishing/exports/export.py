"""Exporting trajectories: which of them, in which format, into a file or into one file per split.

What is written is read back and carried out again before it takes its place; where that fails, nothing is left.
"""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import dataclass, field
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple, get_args

from publishing.errors import ReleaseError
from publishing.exports.examples import Example, example_of, unfit, unfit_to_follow
from publishing.exports.files import SUFFIX, open_file, read_file
from publishing.exports.pairs import pairs_of
from publishing.exports.reading import check_row
from publishing.exports.rows import Format, openai_row, preference_row, trl_row
from publishing.splits import SPLITS
from schemas.base import digest

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from publishing.exports.files import RowFile
    from publishing.exports.reading import Starts
    from schemas.base import Json
    from schemas.trajectory import Trajectory

FORMATS: tuple[Format, ...] = get_args(Format)
ALIKE = "alike but for its id"
"""Why a conversation of a task is left out that reads as one before it."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be exported."""

    form: Format
    variant: str | None = None
    """Only trajectories of this variant of the oracle, empty for the plain one; None takes all. Pairs: the passed."""
    limit: int | None = None
    """Most rows in all."""
    max_per_task: int | None = None
    """Most rows of one task."""


@dataclass(slots=True)
class ExportReport:
    """What was written, and what was left out."""

    files: dict[str, int] = field(default_factory=dict[str, int])
    """File name -> rows."""
    read: int = 0
    """Trajectories that were looked at."""
    tasks: int = 0
    without: int = 0
    """Tasks of which no row was made."""
    left_out: Counter[str] = field(default_factory=Counter[str])
    """Reason -> trajectories."""
    checked: int = 0
    """Rows that were carried out again with the same results and the same end."""

    @property
    def rows(self) -> int:
        """Return how many rows were written."""
        return sum(self.files.values())

    def lines(self, form: Format) -> Iterator[str]:
        """Yield the report for people."""
        what = "pairs" if form == "trl-preference" else "conversations"
        yield f"{self.rows:,} {what} of {self.tasks - self.without:,} tasks, from {self.read:,} trajectories"
        if self.without:
            yield f"  tasks without {'a pair' if form == 'trl-preference' else 'one'}: {self.without:,}"
        for reason, count in sorted(self.left_out.items(), key=lambda item: (-item[1], item[0])):
            yield f"  left out, {reason}: {count:,}"
        yield from (f"  {name}: {rows:,} rows" for name, rows in self.files.items())
        if self.checked:
            yield f"  carried out again: {self.checked:,} of {self.rows:,} rows, same results, same end"


class _Row(NamedTuple):
    split: str
    row: dict[str, Json]


def export(trajectories: Iterable[Trajectory], wanted: Wanted, out: Path, starts: Starts | None = None) -> ExportReport:
    """Write trajectories, which come task by task, to `out` and return what was done.

    `out` is a file when it has the suffix of the format, and else a folder that gets one file per split. Every row is
    carried out again where `starts` is given. Raise ReleaseError when `out` is there, nothing is to be written, or a
    row does not give what it says; nothing is written then.
    """
    whole = out.suffix == SUFFIX[wanted.form]
    if out.exists() or out.is_symlink():
        msg = f"{out} is there already; choose another place with --out, or remove it"
        raise ReleaseError(msg)
    part = out.parent / f".{out.name}.part"
    if part.exists():
        shutil.rmtree(part)
    part.mkdir(parents=True)
    try:
        report = _written(_rows(trajectories, wanted), wanted, part, out.stem if whole else "")
        if starts is not None:
            report.checked = sum(_checked(part / name, wanted.form, starts) for name in report.files)
        if whole:
            (part / out.name).rename(out)
        else:
            part.rename(out)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return report


def _written(rows: tuple[Iterator[_Row], ExportReport], wanted: Wanted, folder: Path, name: str) -> ExportReport:
    """Write the rows to one file called `name`, or to one per split when that is empty."""
    found, report = rows
    files: dict[str, RowFile] = {}
    counts: Counter[str] = Counter()
    try:
        for split, row in found:
            stem = name or split
            if stem not in files:
                files[stem] = open_file(folder / f"{stem}{SUFFIX[wanted.form]}", wanted.form)
            files[stem].add(row)
            counts[stem] += 1
    finally:
        for file in files.values():
            file.close()
    if not files:
        left = [f"{count:,} {reason}" for reason, count in sorted(report.left_out.items())]
        if wanted.form == "trl-preference":
            left.append("no task has one that passed and one that failed")
        msg = f"nothing to export from {report.read:,} trajectories: " + "; ".join(left or ["there are none"])
        raise ReleaseError(msg)
    report.files = {f"{stem}{SUFFIX[wanted.form]}": counts[stem] for stem in (name, *SPLITS) if stem in files}
    return report


def _rows(trajectories: Iterable[Trajectory], wanted: Wanted) -> tuple[Iterator[_Row], ExportReport]:
    """Return the rows, and a report that is complete when they are used up."""
    report = ExportReport()
    return _of_tasks(trajectories, wanted, report), report


def _of_tasks(trajectories: Iterable[Trajectory], wanted: Wanted, report: ExportReport) -> Iterator[_Row]:
    before, count = "", 0
    for task_id, group in groupby(trajectories, key=lambda trajectory: trajectory.task_id):
        if task_id <= before:
            msg = f"the trajectories of {task_id} do not come together, in the order of tasks"
            raise ReleaseError(msg)
        before = task_id
        made = list(_of_task(list(group), wanted, report))[: wanted.max_per_task]
        report.tasks += 1
        report.without += not made
        for row in made:
            if count == wanted.limit:
                return
            count += 1
            yield row


def _of_task(trajectories: Sequence[Trajectory], wanted: Wanted, report: ExportReport) -> Iterator[_Row]:
    ordered = sorted(trajectories, key=lambda t: (t.assistant.name, t.variant, t.attempt, t.user.name))
    report.read += len(ordered)
    if wanted.form != "trl-preference":
        make = openai_row if wanted.form == "openai" else trl_row
        for example in _different(ordered, wanted.variant, report, follow=True):
            yield _Row(example.record["split"], make(example))
        return
    passed = [t for t in ordered if t.score is not None and t.score.passed]
    failed = [t for t in ordered if t.score is None or not t.score.passed]
    pairs = pairs_of(
        list(_different(passed, wanted.variant, report, follow=True)),
        list(_different(failed, None, report, follow=False)),
    )
    for pair in pairs:
        yield _Row(pair.chosen.record["split"], preference_row(pair))


def _different(
    trajectories: Iterable[Trajectory], variant: str | None, report: ExportReport, *, follow: bool
) -> Iterator[Example]:
    """Yield the examples of one task, each conversation once; what is left out is counted."""
    known: set[str] = set()
    for trajectory in trajectories:
        if variant is not None and trajectory.variant != variant:
            report.left_out["of another variant"] += 1
            continue
        reason = (unfit_to_follow if follow else unfit)(trajectory)
        if reason:
            report.left_out[reason] += 1
            continue
        example = example_of(trajectory)
        key = digest(example.messages)
        if key in known:
            report.left_out[ALIKE] += 1
            continue
        known.add(key)
        yield example


def _checked(path: Path, form: Format, starts: Starts) -> int:
    """Return how many rows of a file were carried out again. Raise ReleaseError for the first that is different."""
    count = 0
    for row in read_file(path, form):
        problem = _problem(row, form, starts)
        if problem:
            msg = f"{path.name}, row {count}, does not give what it says: {problem}. Nothing was written."
            raise ReleaseError(msg)
        count += 1
    return count


def _problem(row: Mapping[str, Json], form: Format, starts: Starts) -> str:
    try:
        return check_row(form, row, starts)
    except (KeyError, ValueError) as error:
        return f"cannot be read back: {type(error).__name__}: {error}"
