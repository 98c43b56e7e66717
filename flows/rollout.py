"""The flow that plays a rollout: blocks of users side by side, as Prefect task runs.

What is finished is known from the shards alone: nothing is cached, and nothing is lost with Prefect's database.
"""

from __future__ import annotations

import asyncio
from pathlib import Path
from queue import Empty, Queue
from typing import TYPE_CHECKING, Any, cast

import orjson
from prefect import flow, task
from prefect.cache_policies import NO_CACHE
from prefect.futures import PrefectFuture
from prefect.task_runners import ProcessPoolTaskRunner, ThreadPoolTaskRunner

from flows.amounts import Amount
from flows.config import parse_as
from flows.errors import InterruptedRun
from flows.garbage import relax_collector
from flows.prefect_report import ShownProgress
from flows.prefect_server import prefect_server
from flows.progress import progress
from flows.rollout_engine import Underway, make_parts
from flows.rollout_players import playing
from flows.rollout_shards import Part
from flows.rollout_store import open_rollout
from flows.rollout_tasks import blocks_of, open_tasks
from flows.stopping import keep_request, request_stop, stop_requested, stoppable
from flows.synthesize import POLL_S, fault_of_future, is_infrastructure, start_worker
from schemas.base import Json
from schemas.rollout import RolloutConfig

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from prefect.task_runners import TaskRunner

    from flows.rollout_store import RolloutFolder

CONVERSATIONS_PER_RUN = 2_000
"""Conversations that make a task run worth its cost: about half a minute where no model plays."""
RUNS_PER_WORKER = 4
"""Task runs for each worker at least, when there are shards enough."""
MOST_RUNS = 400
"""Task runs in one flow run at most."""
SAVE_EVERY = 50
"""Conversations of models after which their usage is written down."""
_underway: dict[str, Underway] = {}
"""What is going on in this process, by rollout folder: a ledger cannot travel as a parameter."""


@task(
    name="play-blocks",
    task_run_name="{label}",
    cache_policy=NO_CACHE,
    persist_result=False,
    retries=2,
    retry_delay_seconds=1,
    retry_condition_fn=is_infrastructure,
)
def play_blocks(root: str, config: dict[str, Json], label: str, chunk: str) -> int:
    """Write the shards that are not there yet, and return how many were written."""
    folder, settings = Path(root), RolloutConfig.model_validate(config)
    sizes = {Part(block, attempt): size for block, attempt, size in orjson.loads(chunk)}
    missing = {part: size for part, size in sizes.items() if not (folder / part.path).exists()}
    if not missing or stop_requested(folder):
        return 0
    return asyncio.run(_play(folder, settings, missing, _underway.get(root) or Underway()))


async def _play(folder: Path, config: RolloutConfig, sizes: dict[Part, int], underway: Underway) -> int:
    async with playing(folder, config, sizes, underway.ledger) as player:
        return await make_parts(folder, config, player, list(sizes), underway, lambda: stop_requested(folder))


@flow(name="pausegen-rollout", flow_run_name="{root}", persist_result=False)
def roll_out(root: str, config: dict[str, Json], fresh: bool = False) -> bool:
    """Play what is missing of the rollout in the folder `root`, and return whether it is complete.

    Raise InterruptedRun when it was stopped from outside; the same call resumes it.
    """
    settings = parse_as(RolloutConfig, config, "the configuration of the flow")
    blocks = blocks_of(open_tasks(Path(settings.source.path), settings.subset), settings.subset)
    with open_rollout(Path(root), settings, blocks, fresh=fresh) as rollout:
        keep_request(rollout.root)
        watch = _Watch(rollout)
        _underway[root] = watch.underway
        try:
            _play_all(watch, config)
        finally:
            del _underway[root]
            watch.collect(final=True)
        if watch.waiting and stop_requested(rollout.root):
            amount = watch.amount()
            raise InterruptedRun(f"stopped with {amount.kept} {amount.unit} kept; the same command resumes the rollout")
        return not watch.waiting


def run_flow(root: Path, config: RolloutConfig, *, fresh: bool = False) -> bool:
    """Run the flow in this process, its tasks here or, with more than one worker, in a pool of processes."""
    relax_collector()
    with stoppable(root), prefect_server():
        runner = _task_runner(config)
        return roll_out.with_options(task_runner=runner)(str(root), config.model_dump(mode="json"), fresh)


def _task_runner(config: RolloutConfig) -> TaskRunner[Any]:
    # models share one ledger and one event loop, so they are asked from one process
    if config.workers == 1 or config.with_models:
        return cast("TaskRunner[Any]", ThreadPoolTaskRunner(max_workers=1))
    return ProcessPoolTaskRunner(max_workers=config.workers, initializer=start_worker)


class _Watch:
    """Takes shards in as they appear, and knows how far the rollout is."""

    def __init__(self, rollout: RolloutFolder) -> None:
        self.rollout = rollout
        self.waiting = rollout.missing()
        self.underway = Underway.after(rollout.usage)
        self._begun = rollout.counts().trajectories
        self._saved = 0

    def amount(self) -> Amount:
        """Return how many conversations there are, those included that wait to be written."""
        written = self.rollout.counts().trajectories
        return Amount(max(written, self._begun + self.underway.finished), self.rollout.wanted, "conversations")

    def collect(self, *, final: bool = False) -> None:
        """Take over what is complete by now, and write manifest and usage if it is time."""
        before = len(self.waiting)
        self.waiting = self.rollout.collect(self.waiting)
        self.rollout.usage = self.underway.ledger.tallies()
        used = self.underway.finished - self._saved >= SAVE_EVERY and bool(self.rollout.usage)
        if final or used or len(self.waiting) < before:
            self._saved = self.underway.finished
            self.rollout.save()


def _play_all(watch: _Watch, config: dict[str, Json]) -> None:
    """Submit all chunks and watch their shards appear. The first failure stops the others and is raised in the end."""
    rollout = watch.rollout
    submit = cast("Callable[..., PrefectFuture[int]]", cast("Any", play_blocks).submit)
    finished: Queue[PrefectFuture[int]] = Queue()
    futures = [
        submit(str(rollout.root), config, label=_label(chunk), chunk=_text(rollout, chunk))
        for chunk in _chunked(rollout, watch.waiting)
    ]
    for future in futures:
        future.add_done_callback(finished.put)
    faults: list[BaseException] = []
    shown = ShownProgress()
    with progress(watch.amount(), live=rollout.config.logging.progress) as report:
        for _ in futures:
            faults.extend(fault_of_future(_next(finished, watch, report, shown)))
            if faults:
                request_stop(rollout.root)
    if faults:
        raise faults[0]


def _next(
    finished: Queue[PrefectFuture[int]], watch: _Watch, report: Callable[[Amount], None], shown: ShownProgress
) -> PrefectFuture[int]:
    """Return the next future that is done; take in and report what appears meanwhile."""
    while True:
        watch.collect()
        amount = watch.amount()
        report(amount)
        shown.update(amount)
        try:
            return finished.get(timeout=POLL_S)
        except Empty:
            continue


def _chunked(rollout: RolloutFolder, parts: Sequence[Part]) -> Iterator[list[Part]]:
    """Yield shards in groups that are worth a task run, in order."""
    if not parts:
        return
    config = rollout.config
    conversations = sum(rollout.blocks[part.block] for part in parts)
    worth = max(1, CONVERSATIONS_PER_RUN * len(parts) // conversations)
    alone = config.workers == 1 or config.with_models
    balanced = len(parts) if alone else max(1, len(parts) // (RUNS_PER_WORKER * config.workers))
    size = max(min(worth, balanced), -(-len(parts) // MOST_RUNS))
    for first in range(0, len(parts), size):
        yield list(parts[first : first + size])


def _text(rollout: RolloutFolder, chunk: Sequence[Part]) -> str:
    """Return shards with the number of their conversations as short text, which Prefect takes as one parameter."""
    return orjson.dumps([[*part, rollout.blocks[part.block]] for part in chunk]).decode()


def _label(chunk: Sequence[Part]) -> str:
    return f"blocks {chunk[0].block}-{chunk[-1].block}"


__all__ = ["play_blocks", "roll_out", "run_flow"]
