"""The flow that makes a run: the world, then blocks of users side by side, as Prefect task runs.

Prefect orchestrates, retries what failed for reasons of infrastructure and shows what happened. What is finished is
known from the shards alone: nothing is cached, and nothing is lost with Prefect's database.
"""

from __future__ import annotations

import logging
from concurrent.futures import BrokenExecutor
from contextlib import ExitStack
from pathlib import Path
from queue import Empty, Queue
from typing import TYPE_CHECKING, Any, cast

from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.futures import PrefectFuture
from prefect.task_runners import ProcessPoolTaskRunner, ThreadPoolTaskRunner

from flows.blocks import judging, make_block, make_world_shard
from flows.chunks import chunked, from_text, to_text
from flows.collecting import Collector, world_shard
from flows.config import parse
from flows.errors import InfrastructureError, InterruptedRun
from flows.garbage import relax_collector
from flows.guarding import end_with_parent
from flows.prefect_report import ShownProgress, show_result
from flows.prefect_server import prefect_server
from flows.progress import Report, progress
from flows.stopping import (
    ignore_interrupts,
    keep_request,
    request_stop,
    stop_requested,
    stoppable,
)
from flows.store import WORLD_FILE, RunFolder, is_complete, open_run
from schemas.base import Json
from schemas.config import RunConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from prefect.client.schemas.objects import State, TaskRun
    from prefect.task_runners import TaskRunner
    from prefect.tasks import Task

    from flows.verifying import Verifier

POLL_S = 0.5
_log = logging.getLogger(__name__)


def is_infrastructure(_task: Task[..., Any], _run: TaskRun, state: State[Any]) -> bool:
    """Return whether a task run failed for a reason that may be gone the next time."""
    error = cast("Any", state).result(raise_on_failure=False)
    if not isinstance(error, InfrastructureError):
        return False
    _log.warning("trying again, if not too often yet: %s", str(error).partition("\n")[0])
    return True


@task(
    name="make-blocks",
    task_run_name="blocks from {label}",
    cache_policy=NO_CACHE,
    persist_result=False,
    retries=2,
    retry_delay_seconds=1,
    retry_condition_fn=is_infrastructure,
)
def make_blocks(root: str, config: dict[str, Json], label: str, chunk: str) -> int:
    """Make the blocks that are not there yet, and return how many extents were made."""
    folder, settings, made = Path(root), RunConfig.model_validate(config), 0
    with ExitStack() as stack:
        judge: Verifier | None = None
        for block in from_text(chunk):
            missing = [extent for extent in block if not is_complete(folder, extent)]
            if missing and not stop_requested(folder):
                judge = judge or stack.enter_context(judging(folder, settings, missing[0].block))
                made += sum(1 for _ in make_block(folder, settings, missing, lambda: stop_requested(folder), judge))
    return made


@task(
    name="make-world",
    cache_policy=NO_CACHE,
    persist_result=False,
    retries=2,
    retry_delay_seconds=1,
    retry_condition_fn=is_infrastructure,
)
def make_world_of_run(root: str, config: dict[str, Json]) -> None:
    """Make and verify the world that all users of the run share."""
    make_world_shard(Path(root), RunConfig.model_validate(config))


@flow(name="pausegen-synthesize", flow_run_name="{root}", persist_result=False)
def synthesize(root: str, config: dict[str, Json], fresh: bool = False) -> bool:
    """Make what is missing of the run in the folder `root`, and return whether it is complete.

    Raise InterruptedRun when it was stopped from outside; the same call resumes it.
    """
    settings = parse(config, "the configuration of the flow")
    with open_run(Path(root), settings, fresh=fresh) as run:
        keep_request(run.root)
        if WORLD_FILE not in run.entries:
            make_world_of_run(root, config)
            run.add(world_shard(run.root))
        collector = Collector(run, [extent for block in run.missing() for extent in block])
        try:
            _make_all(run, collector, config)
        finally:
            collector.collect(final=True)
            show_result(run)
        if collector.waiting and stop_requested(run.root):
            amount = run.amount()
            raise InterruptedRun(f"stopped with {amount.kept} {amount.unit} made; the same command resumes the run")
        return not collector.waiting


def run_flow(root: Path, config: RunConfig, *, fresh: bool = False) -> bool:
    """Run the flow in this process, its tasks here or, with more than one worker, in a pool of processes."""
    runner = _task_runner(config.workers)
    relax_collector()
    with stoppable(root), prefect_server():
        return synthesize.with_options(task_runner=runner)(str(root), config.model_dump(mode="json"), fresh)


def _task_runner(workers: int) -> TaskRunner[Any]:
    if workers == 1:
        return cast("TaskRunner[Any]", ThreadPoolTaskRunner(max_workers=1))
    return ProcessPoolTaskRunner(max_workers=workers, initializer=start_worker)


def start_worker() -> None:
    """Prepare a worker process."""
    end_with_parent()
    ignore_interrupts()
    relax_collector()


def _make_all(run: RunFolder, collector: Collector, config: dict[str, Json]) -> None:
    """Submit all chunks and watch their shards appear. The first failure stops the others and is raised in the end."""
    settings = run.config
    submit = cast("Callable[..., PrefectFuture[int]]", cast("Any", make_blocks).submit)
    finished: Queue[PrefectFuture[int]] = Queue()
    futures = [
        submit(str(run.root), config, label=str(chunk[0][0].block), chunk=to_text(chunk))
        for chunk in chunked(run.missing(), settings.workers)
    ]
    for future in futures:
        future.add_done_callback(finished.put)
    faults: list[BaseException] = []
    shown = ShownProgress()
    with progress(run.amount(), live=settings.logging.progress) as report:
        for _ in futures:
            faults.extend(fault_of_future(_next(finished, collector, [report, shown.update])))
            if faults:
                request_stop(run.root)
    if faults:
        raise faults[0]


def _next(finished: Queue[PrefectFuture[int]], collector: Collector, reports: Sequence[Report]) -> PrefectFuture[int]:
    """Return the next future that is done; take in and report what appears meanwhile."""
    while True:
        collector.collect()
        for report in reports:
            report(collector.run.amount())
        try:
            return finished.get(timeout=POLL_S)
        except Empty:
            continue


def fault_of_future(future: PrefectFuture[int]) -> list[BaseException]:
    """Return why a task run failed, if it did."""
    try:
        outcome: object = future.result(raise_on_failure=False)
    except BrokenExecutor as error:
        text = "a worker process died, perhaps for lack of memory; nothing is lost, run the same command again"
        return [InfrastructureError(f"{text} ({error})")]
    return [outcome] if isinstance(outcome, BaseException) else []
