"""A small run folder: real users, environments and tasks, stored by the real store, under certificates written by hand.

Publishing copies and counts certificates, whatever they say; writing them by hand makes every figure known beforehand.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from flows.config import resolve
from flows.extents import BLOCK, Extent
from flows.funnel import Funnel, tally
from flows.rows import to_row
from flows.shards import Entry, write_shard
from flows.store import WORLD_FILE, companions, footer_of, open_run
from generators.environments import build_environment
from generators.profiles import make_profile
from generators.tasks import Share, make_round
from generators.tasks.quota import NO_KIN
from generators.worlds import make_world
from schemas.certificate import Certificate, Verdict
from schemas.config import RunConfig
from schemas.task import Task
from schemas.world import World

Certify = Callable[[Task], Certificate]
SEED = 11


def certificate(task: Task) -> Certificate:
    """A certificate on which everything passed."""
    agents = ("do_nothing", "refuse_all", "blind_decline", "read_only", "guess_small", "ask_and_refuse")
    trivial = {f"{agent}/of": 1 for agent in agents}
    mutants = {
        **{f"goal/wrong_value/{name}": count for name, count in (("total", 5), ("rejected", 5), ("equivalent", 0))},
        **{f"goal/blank/{name}": count for name, count in (("total", 1), ("rejected", 1), ("equivalent", 0))},
        **{f"frame/extra_row/{name}": count for name, count in (("total", 4), ("rejected", 3), ("equivalent", 1))},
        **{f"plan/second_order/{name}": count for name, count in (("total", 2), ("rejected", 2), ("equivalent", 0))},
    }
    steps = len(task.plan.steps)
    counted: dict[str, dict[str, int]] = {
        "task.schema": {},
        "task.replay": {"calls": steps},
        "task.second_engine": {"compared": 3, "agreed": 3},
        "task.trivial_agents": trivial | {f"{key[:-2]}passed": 0 for key in trivial},
        "task.other_gold": {"of": 2, "passed": 0},
        "task.drop_one": {"writes/total": 2, "writes/needed": 2, "reads/total": 4, "reads/needed": 4},
        "task.permissions": {"total": 1, "blocked": 1},
        "task.mutants": mutants,
        "task.equivalents": {"swap/total": 2, "swap/accepted": 2, "extra_read/total": 1, "extra_read/accepted": 1},
        "task.provenance": {"arguments": 7, "traced": 7},
        "task.leaks": {"leaks": 0},
        "task.slots_matter": {"slots": 3, "changed": 3, "constraints": 2, "binding": 2},
        "task.discriminates": {"rewrites": 6, "different": 5},
    }
    verdicts = [Verdict(check=check, passed=True, counts=counts) for check, counts in counted.items()]
    return Certificate(task_id=task.task_id, verdicts=verdicts, tool_calls=10 * steps)


def make(
    root: Path,
    users: int = 8,
    tasks: int = 3,
    certify: Certify = certificate,
    parts: tuple[tuple[int, int], ...] = (),
    share: Share = NO_KIN,
) -> Path:
    """Write a finished run below `root` and return its folder.

    `parts` are ranges of task ordinals that become shards of their own, as in a run that grew; all in one by default.
    """
    config = resolve("quickstart", options={"users": users, "tasks_per_user": tasks, "seed": SEED})
    world = make_world(config.seed, config.products)
    folder = root / "run"
    with open_run(folder, config) as run:
        funnel = Funnel(stages=[tally("worlds", 1, [])])
        row = to_row("worlds", world.model_dump(mode="json"), verdicts=[])
        run.add([(write_shard(folder, WORLD_FILE, [row], footer_of(config, "worlds", None, funnel)), funnel)])
        for first in range(0, users, BLOCK):
            for start, stop in parts or ((0, tasks),):
                extent = Extent(first, min(first + BLOCK, users), start, stop)
                run.add(_shards(folder, config, world, extent, certify, share), extent)
        run.save()
    return folder


def _numbered(made: list[Task]) -> list[Task]:
    """The candidates of a user under the ids that they have when all are kept."""
    ids = {task.task_id: f"{task.user_id}-t{at:05d}" for at, task in enumerate(made)}
    kin = [task.kin and task.kin.model_copy(update={"of": ids[task.kin.of]}) for task in made]
    return [
        task.model_copy(update={"ordinal": at, "task_id": ids[task.task_id], "kin": kin[at]})
        for at, task in enumerate(made)
    ]


def _shards(
    folder: Path, config: RunConfig, world: World, extent: Extent, certify: Certify, share: Share
) -> list[tuple[Entry, Funnel | None]]:
    rows: dict[str, list[dict[str, object]]] = {"users": [], "environments": [], "rejects": [], "tasks": []}
    for index in extent.users:
        profile = make_profile(config.seed, index)
        environment = build_environment(config.seed, profile, world)
        made = make_round(config.seed, profile, environment, world, 0, 0, share).candidates
        rows["users"].append(to_row("users", profile.model_dump(mode="json"), verdicts=[]))
        rows["environments"].append(to_row("environments", environment.model_dump(mode="json"), verdicts=[]))
        for task in _numbered(made)[extent.start : extent.stop]:
            seal = certify(task).model_dump(mode="json")
            rows["tasks"].append(to_row("tasks", task.model_dump(mode="json"), certificate=seal))
    counts = Funnel(
        stages=[
            tally("profiles", len(rows["users"]), []),
            tally("environments", len(rows["environments"]), []),
            tally("tasks", len(rows["tasks"]), ["task.leaks", "task.leaks", "task.optimum"]),
            tally("selection", len(rows["tasks"]), ["selection.quota"]),
        ]
    )
    written: list[tuple[Entry, Funnel | None]] = []
    for path in companions(extent):
        stage = path.partition("/")[0]
        funnel = counts if stage == "tasks" else None
        shard = write_shard(folder, path, rows[stage], footer_of(config, stage, extent, funnel))
        written.append((shard, funnel))
    return written
