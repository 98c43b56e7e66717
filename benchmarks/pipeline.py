"""The main job: fully validated tasks per second, what they cost, and verification afterwards."""

from __future__ import annotations

import subprocess
import sys
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, cast

from benchmarks import sample
from benchmarks.block import block_run, whole_run
from benchmarks.budget import Result, number
from benchmarks.phases import phases, shares
from benchmarks.timing import cpu_per_call, spending
from publishing.card import percentile
from publishing.inspect import inspect_run
from validators.tasks import TASK_CHECKS, TaskContext, UserContext, check_task

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from benchmarks.block import BlockRun
    from benchmarks.phases import Check
    from schemas.task import Task

FAST = frozenset({"task.replay"})
"""What `verify --fast` runs on a task."""
ROUNDS = 3
"""Times that a preset is made; the fastest counts, for whatever else a shared machine does only makes one slower."""


def measure() -> list[Result]:
    """Return all figures of the pipeline."""
    block = block_run()
    figures = cast("dict[str, Any]", inspect_run(block.folder))
    return [_rate("quickstart"), _rate("shopping-1k"), _calls(figures), _fast(), *_verify(block.folder)]


def _rate(preset: str) -> Result:
    run = min((whole_run(preset, turn) for turn in range(ROUNDS)), key=_cost)
    cpu, spent = _cost(run), phases(block_run(preset))
    # Every user costs the same, however many tasks follow: with few of them, that is a floor of its own.
    user = (spent["making users"] + spent["checking users"]) / block_run(preset).config.users
    alone = run.passed / (cpu - user * run.config.users)
    figures = cast("dict[str, Any]", inspect_run(run.folder))
    steps = {int(length): count for length, count in figures["diversity"]["plan_steps"].items()}
    lengths = {f"plan_steps_p{p}": percentile(steps, p) for p in (10, 50, 90, 100)}
    told = "/".join(str(length) for length in lengths.values())
    details: dict[str, float | int | str] = {
        "kept": run.kept,
        "candidates": run.candidates,
        "passed": run.passed,
        "kept_per_s": round(run.kept / cpu, 1),
        "passed_per_s_without_users": round(alone, 1),
        "user_s": round(user, 4),
        "cpu_s": round(cpu, 3),
        "process_start_cpu_s": round(run.start.cpu_s, 3),
        "wall_s": round(run.spent.wall_s, 3),
        **lengths,
        **{f"{name.replace(' ', '_')}_s": round(cost, 4) for name, cost in sorted(spent.items())},
    }
    rates = f"{run.passed} tasks passed every check, {run.kept} of them kept ({run.kept / cpu:.1f}/s)"
    apart = f"{alone:.1f}/s without {run.config.users} users at {number(user * 1e3)} ms each"
    where = f"in the first block {shares(spent)}"
    limit = f"the fastest of {ROUNDS}: {rates}; {apart}; plans of {told} steps (p10/50/90/100); {where}"
    name = f"validated tasks per second per core, {preset}"
    return Result(name, "higher", 40, run.passed / cpu, "/s", limit, details)


def _cost(run: BlockRun) -> float:
    """Return the CPU seconds of a run once its verifier knows the world."""
    return run.spent.cpu_s - run.start.cpu_s


def _calls(figures: dict[str, Any]) -> Result:
    calls = figures["tool_calls"]
    limit = f"{calls['executed']:,} calls for {calls['gold_steps']:,} gold steps of kept tasks"
    return Result("tool calls per kept task / plan length", "lower", 60, calls["per_gold_step"], "", limit)


def _fast() -> Result:
    """Replay and compare golds in an environment that is loaded."""
    checks = [(name, check) for name, check in TASK_CHECKS if name in FAST]
    costs: list[float] = []
    for person in sample.people():
        user = UserContext(person.environment, sample.world())
        costs.extend(cpu_per_call(partial(_replay, user, task, checks)) * 1e3 for task in person.tasks[:4])
    limit = f"replay from the task's start, hash compared; slowest {number(max(costs))} ms"
    return Result("verify --fast, one gold", "lower", 2, median(costs), "ms", limit)


def _replay(user: UserContext, task: Task, checks: Sequence[Check]) -> None:
    (verdict,) = check_task(TaskContext(user, task), checks).verdicts
    if not verdict.passed:
        msg = f"{task.task_id} does not replay: {verdict.reason}"
        raise RuntimeError(msg)


def _verify(folder: Path) -> list[Result]:
    block = block_run()
    with spending() as start:
        subprocess.run([sys.executable, "-P", "-c", "import flows.verification"], check=True)
    with spending() as spent:
        command = [sys.executable, "-P", "-m", "flows.verification", str(folder)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
    verify = (spent.children_s - start.children_s) / block.kept
    validation = (block.spent.children_s - block.start.children_s) / block.candidates
    limit = f"{number(verify * 1e3)} ms to verify a task, {number(validation * 1e3)} ms to validate a candidate"
    details: dict[str, float | int | str] = {
        "verify_cpu_s": round(spent.children_s, 3),
        "start_cpu_s": round(start.children_s, 3),
        "validation_cpu_s": round(block.spent.children_s - block.start.children_s, 3),
    }
    return [Result("verify / validation, per task", "lower", 1.5, verify / validation, "", limit, details)]
