"""Where the time of a block goes, phase by phase, measured in one process on the same users and tasks."""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

from benchmarks.block import BlockRun, temporary, users_of
from benchmarks.timing import spending
from flows.blocks import share_of, stored_world
from flows.checking import Ground, check_user
from flows.extents import ROUND
from flows.rows import MODELS, from_row, to_row
from flows.shards import read_footer, read_rows, write_shard
from generators.environments import build_environment
from generators.profiles import make_profile
from generators.tasks import make_round
from schemas.base import canonical
from schemas.task import Task
from validators.tasks import TASK_CHECKS, check_tasks

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from schemas.certificate import Verdict
    from schemas.environment import EnvironmentRecord
    from schemas.profile import Profile
    from schemas.world import World
    from validators.tasks import TaskContext

Costs = dict[str, float]
"""CPU seconds by phase."""
Check = tuple[str, "Callable[[TaskContext], Verdict]"]


def phases(block: BlockRun) -> Costs:
    """Return CPU seconds by phase; checks of tasks stand under their own names."""
    spent: Costs = defaultdict(float)
    world = stored_world(block.folder)
    ground = Ground(block.config.seed, world)
    earlier: list[Profile] = []
    for index in users_of(block.config):
        with spending() as cost:
            profile = make_profile(block.config.seed, index)
            environment = build_environment(block.config.seed, profile, world)
        spent["making users"] += cost.own_s
        with spending() as cost:
            check_user(ground, profile.model_dump(mode="json"), environment.model_dump(mode="json"), earlier)
        spent["checking users"] += cost.own_s
        earlier.append(profile)
        for number in range(block.config.tasks_per_user // ROUND):
            _round(block, world, profile, environment, number, spent)
    _storage(block, spent)
    spent["process start"] = block.start.cpu_s
    return spent


def timed(checks: Sequence[Check], spent: Costs) -> list[Check]:
    """Return the checks so that each adds its CPU seconds; what several share counts for the first that asks for it."""
    return [(name, _timed(name, check, spent)) for name, check in checks]


def _timed(name: str, check: Callable[[TaskContext], Verdict], spent: Costs) -> Callable[[TaskContext], Verdict]:
    def run(context: TaskContext) -> Verdict:
        with spending() as cost:
            verdict = check(context)
        spent[name] += cost.own_s
        return verdict

    return run


def _round(
    block: BlockRun,
    world: World,
    profile: Profile,
    environment: EnvironmentRecord,
    number: int,
    spent: Costs,
) -> None:
    with spending() as cost:
        tasks = make_round(block.config.seed, profile, environment, world, number, 0, share_of(block.config)).candidates
    spent["making tasks"] += cost.own_s
    with spending() as cost:
        read = [Task.model_validate_json(canonical(task)) for task in tasks]
    spent["exchange"] += cost.own_s
    checked: Costs = defaultdict(float)
    with spending() as cost:
        check_tasks(read, environment, world, timed(TASK_CHECKS, checked))
    for name, own in checked.items():
        spent[name] += own
    spent["loading for checks"] += cost.own_s - sum(checked.values())


def _storage(block: BlockRun, spent: Costs) -> None:
    for file in sorted(block.folder.rglob("*.parquet")):
        rows = read_rows(file)
        footer, _ = read_footer(file)
        records = [from_row(footer.stage, row) for row in rows] if footer.stage in MODELS else []
        with spending() as cost:
            for record, extra in records:
                to_row(footer.stage, record, **extra)
            write_shard(temporary() / "again", f"{footer.stage}/{file.name}", rows, footer)
        spent["storage"] += cost.own_s


def shares(spent: Costs, largest: int = 4) -> str:
    """Return the shares in words: making, checks with the largest ones named, storage, process start."""
    total = sum(spent.values())
    ranked = sorted(((cost / total, name) for name, cost in spent.items()), reverse=True)
    checks = [(share, name.removeprefix("task.")) for share, name in ranked if name.startswith("task.")]
    named = ", ".join(f"{name} {share:.0%}" for share, name in checks[:largest])
    others = ", ".join(f"{name} {share:.0%}" for share, name in ranked if not name.startswith("task."))
    return f"checks {sum(share for share, _ in checks):.0%} ({named}), {others}"
