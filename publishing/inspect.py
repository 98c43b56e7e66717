"""What a run holds and what validation found, as figures computed from its files and nothing else."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, cast

from publishing.diversity import effective_number
from publishing.parquet import read_rows, row_count, schema_of
from publishing.run import open_run, shards
from publishing.tally import COLUMNS, TRIALS, Tally
from publishing.text import render_text
from services.runtime.catalogue import installed_catalogue

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from publishing.run import Run
    from schemas.base import Json

AGENTS = ("do_nothing", "refuse_all", "blind_decline", "read_only", "guess_small", "ask_and_refuse")
"""Trivial agents that must pass no task."""
GROUPS = ("goal", "allowance", "frame", "plan")
"""Groups of mutants."""
SAMPLE = 5_000
"""Tasks that figures on wording and structure are computed from, at most, evenly spread over the run."""
LISTED = 1_000
"""Most equivalent mutants that are listed one by one; the counts always cover all."""


def inspect_run(run: Path) -> dict[str, Json]:
    """Return the figures of the run in folder `run`. Raise ReleaseError when it is no run folder."""
    opened = open_run(run)
    tally = tally_run(opened)
    return {
        "users": sum(map(row_count, shards(opened, "users"))),
        "tasks": _tasks(tally),
        "mix": _mix(tally),
        "wording": tally.wording.figures(),
        "funnel": _funnel(opened.funnel),
        "agents": {agent: _ratio(tally, "task.trivial_agents", agent, "passed", "of") for agent in AGENTS},
        "other_gold": _pick(tally, "task.other_gold", "passed", "of"),
        "tried": {name: {"tasks": tally.checks[name], "with_trials": tally.tried[name]} for name in sorted(TRIALS)},
        "verifier": _verifier(tally),
        "second_engine": _pick(tally, "task.second_engine", "compared", "agreed"),
        "provenance": _pick(tally, "task.provenance", "arguments", "traced"),
        "leaks": _count(tally, "task.leaks", "leaks"),
        "slots": _pick(tally, "task.slots_matter", "slots", "changed", "constraints", "binding"),
        "rewrites": _pick(tally, "task.discriminates", "rewrites", "different"),
        "checks": {name: {"of": of, "passed": tally.passed[name]} for name, of in tally.checks.items()},
        "tool_calls": {
            "executed": tally.tool_calls,
            "gold_steps": tally.steps,
            "per_gold_step": _share(tally.tool_calls, tally.steps),
        },
        "diversity": _diversity(tally),
    }


def tally_run(run: Run) -> Tally:
    """Return the sums over all tasks of a run."""
    files = shards(run, "tasks")
    total = sum(map(row_count, files))
    stride = max(1, -(-total // SAMPLE))
    environments = (row for path in shards(run, "environments") for row in read_rows(path, ["user_id", "now"]))
    days = {str(row["user_id"]): str(row["now"])[:10] for row in environments}
    tally = Tally()
    for path in files:
        present = schema_of(path).names
        columns = [column if column in present else column.removesuffix("_json") for column in COLUMNS]
        for row in read_rows(path, columns):
            tally.add(row, sampled=tally.tasks % stride == 0, today=days[str(row["user_id"])])
    return tally


def _tasks(tally: Tally) -> dict[str, Json]:
    by = {name: _ranked(counter) for name, counter in tally.by.items()}
    return {
        "kept": tally.tasks,
        "decline": tally.declines,
        "multi_intent": tally.multi_intent,
        "by_family": by.get("family", {}),
        "by_level": by.get("level", {}),
        "by_intent": by.get("intent", {}),
        "by_form": by.get("form", {}),
        "by_template": by.get("template", {}),
        "by_feature": by.get("features", {}),
        "by_answer_kind": by.get("answer_kind", {}),
        "decline_reasons": by.get("decline_reason", {}),
        "gates": by.get("gates", {}),
    }


def _mix(tally: Tally) -> dict[str, Json]:
    """Return how many tasks there are of the kinds of which a run should hold enough."""
    kin, features, gates = (tally.by.get(name, Counter[str]()) for name in ("kin", "features", "gates"))
    return {
        "with_twin": len(tally.with_twin),
        "variations": kin["variation"],
        "told_on_request": features["told_on_request"],
        "change_of_mind": features["change_of_mind"],
        "decline": tally.declines,
        "gates": {gate: gates[gate] for gate in sorted(installed_catalogue().gates)},
    }


def _funnel(stages: Sequence[Mapping[str, Json]]) -> list[Json]:
    return [dict(stage) for stage in stages]


def _verifier(tally: Tally) -> dict[str, Json]:
    mutants: dict[str, Json] = {f"{group}_mutants": _mutants(tally, group) for group in GROUPS}
    listed = tally.equivalent[:LISTED]
    return {
        **mutants,
        "equivalent_mutants": [
            {"task_id": e.task_id, "group": e.group, "operator": e.operator, "count": e.count} for e in listed
        ],
        "equivalent_not_listed": len(tally.equivalent) - len(listed),
        "equivalent_plans": _plans(tally),
        "drop_one": {part: _ratio(tally, "task.drop_one", part, "total", "needed") for part in ("writes", "reads")},
        "permission_controls": _pick(tally, "task.permissions", "total", "blocked"),
    }


def _mutants(tally: Tally, group: str) -> dict[str, Json]:
    counts = tally.counts_of("task.mutants")
    operators = sorted({key.split("/")[1] for key in counts if key.startswith(f"{group}/")})
    fields = ("total", "rejected", "equivalent")
    by = {name: {f: counts[f"{group}/{name}/{f}"] for f in fields} for name in operators}
    sums: dict[str, Json] = {f: sum(entry[f] for entry in by.values()) for f in fields}
    return {**sums, "by_operator": cast("dict[str, Json]", by)}


def _plans(tally: Tally) -> dict[str, Json]:
    counts = tally.counts_of("task.equivalents")
    operators = sorted({key.split("/")[0] for key in counts})
    by = {name: {f: counts[f"{name}/{f}"] for f in ("total", "accepted")} for name in operators}
    sums: dict[str, Json] = {f: sum(entry[f] for entry in by.values()) for f in ("total", "accepted")}
    return {**sums, "by_operator": cast("dict[str, Json]", by)}


def _diversity(tally: Tally) -> dict[str, Json]:
    offered = installed_catalogue().tools
    return {
        "sampled": tally.sampled,
        "templates": len(tally.by.get("template", {})),
        "provenance_shapes": len(tally.shapes),
        "provenance_shapes_effective": _rounded(effective_number(tally.shapes.values())),
        "tools_called": len(tally.tools),
        "tools_of": len(offered),
        "calls_by_tool": _ranked(tally.tools),
        "tool_bigrams": len(tally.bigrams),
        "plan_steps": {str(length): tally.lengths[length] for length in sorted(tally.lengths)},
    }


def _count(tally: Tally, check: str, key: str) -> int:
    return tally.counts_of(check)[key]


def _pick(tally: Tally, check: str, *keys: str) -> dict[str, Json]:
    return {key: _count(tally, check, key) for key in keys}


def _ratio(tally: Tally, check: str, part: str, *keys: str) -> dict[str, Json]:
    return {key: _count(tally, check, f"{part}/{key}") for key in keys}


def _ranked(counter: Counter[str]) -> dict[str, Json]:
    """Return counts, the highest first and equal ones by name."""
    ranked = sorted(counter, key=lambda name: (-counter[name], name))
    return {name: counter[name] for name in ranked}


def _rounded(value: float) -> float:
    return round(value, 4)


def _share(part: int, whole: int) -> float:
    return _rounded(part / whole) if whole else 0.0


__all__ = ["AGENTS", "GROUPS", "LISTED", "SAMPLE", "inspect_run", "render_text", "tally_run"]
