"""A rollout in figures, from its stored scores: what passed, how, what went wrong, and what it cost."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, cast

import orjson

from flows.manifest import render
from flows.rollout_evaluate import config_of
from flows.rollout_figures import Figure, Figures, pass_all, pass_at
from flows.rollout_shards import Counts, read_shard
from flows.rollout_store import SUMMARY, rollout_at, shard_paths
from flows.shards import write_atomic
from schemas.base import Model
from schemas.models import Role, Tally
from schemas.score import Score

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_COLUMNS = ("user_id", "task_id", "scenario", "family", "level", "end", "score_json")


class Summary(Model):
    """The figures of a rollout."""

    rollout: str
    """Name of its folder."""
    run: str
    assistant: str
    user: str
    k: int
    complete: bool
    tasks: int
    counts: Counts
    """Their columns are means over the tasks that have them."""
    figures: dict[str, Figure]
    """TC (passed), TA (targets met), P, R and F1 of tool calls over scored trajectories; `user_fault` over all of them;
    `pass@n` and `pass^n` over tasks with so many scored attempts; `scenario`, those in which everything passed."""
    families: dict[str, Figure]
    """TC by family."""
    levels: dict[str, Figure]
    error_classes: dict[str, int]
    """Of failed trajectories."""
    errors: dict[str, int]
    """Decisive errors, by name."""
    elicited: dict[str, int]
    """Facts that were kept back, by how they came out."""
    usage: dict[Role, Tally]
    """What models did, lost conversations included."""


def summarize(root: Path) -> Summary:
    """Return the figures of the rollout in `root`. Raise ConfigError when there is none."""
    known, config = rollout_at(root), config_of(root)
    figures, families, levels = Figures(), Figures(), Figures()
    classes, errors, elicited = Counter[str](), Counter[str](), Counter[str]()
    attempts: dict[tuple[str, str], list[bool]] = {}
    scenarios: dict[tuple[str, str], bool] = {}
    for path in shard_paths(root, known):
        for row in read_shard(root / path, _COLUMNS):
            user, score = str(row["user_id"]), _score(row["score_json"])
            fault = {"user_fault": float(row["end"] == "user_fault")}
            figures.add(user, fault if score is None else {**dict(_values(score)), **fault})
            if score is None:
                continue
            families.add(user, {str(row["family"]): float(score.passed)})
            levels.add(user, {str(row["level"]): float(score.passed)})
            attempts.setdefault((user, str(row["task_id"])), []).append(score.passed)
            whole = (user, str(row["scenario"]))
            scenarios[whole] = scenarios.get(whole, True) and score.passed
            if not score.passed:
                classes[score.error_class or "unknown"] += 1
                errors.update({found.error for found in score.found if found.decisive})
            elicited.update(score.elicited.values())
    for (user, _), passed in attempts.items():
        figures.add(user, dict(_over_attempts(passed)))
    for (user, _), passed in scenarios.items():
        figures.add(user, {"scenario": float(passed)})
    return Summary(
        rollout=root.resolve().name,
        run=config.source.path,
        assistant=config.assistant,
        user=config.user,
        k=config.k,
        complete=known.complete,
        tasks=known.wanted // known.k,
        counts=known.counts,
        figures=figures.figures(),
        families=families.figures(),
        levels=levels.figures(),
        error_classes=_ranked(classes),
        errors=_ranked(errors),
        elicited=_ranked(elicited),
        usage=known.usage,
    )


def write_summary(root: Path, summary: Summary) -> None:
    """Write the figures into the rollout folder."""
    write_atomic(root / SUMMARY, render(summary))


def _score(text: object) -> Score | None:
    data = orjson.loads(cast("str", text))
    return None if data is None else Score.of_parsed(data)


def _values(score: Score) -> Iterator[tuple[str, float]]:
    yield "TC", float(score.passed)
    yield "TA", score.reached / score.targets if score.targets else float(score.passed)
    yield "P", score.overlap.precision
    yield "R", score.overlap.recall
    yield "F1", score.overlap.f1
    yield "needless", len(score.needless)
    yield "collateral", score.collateral
    yield "turns", score.assistant_turns
    yield "calls", score.calls
    yield "errors", score.errors


def _over_attempts(passed: list[bool]) -> Iterator[tuple[str, float]]:
    for n in range(1, len(passed) + 1):
        yield f"pass@{n}", pass_at(passed, n)
        yield f"pass^{n}", pass_all(passed, n)


def _ranked(counter: Counter[str]) -> dict[str, int]:
    return dict(sorted(counter.items(), key=lambda item: (-item[1], item[0])))
