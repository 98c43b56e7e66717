"""Puts texts of a run in a model's words: a new run folder, in which every check on every record passes again.

The model is asked about many texts at once; what becomes of them is decided one after the other, in the order of users
and tasks, so that it follows from the run and the replies alone.
"""

from __future__ import annotations

import asyncio
from itertools import groupby
from typing import TYPE_CHECKING, Protocol, cast

import yaml

from flows import manifest
from flows.errors import BudgetError, ConfigError, StoreError, UnreachableError
from flows.extents import Extent, read_name
from flows.file_checks import file_faults
from flows.funnel import NARRATIVES, REWRITE, Funnel, StageCounts, tally
from flows.rewriting_narratives import Narratives
from flows.rewriting_requests import Requests
from flows.rewriting_state import RewritingState, load_state, save_state
from flows.rows import from_row
from flows.shards import read_footer, read_rows, write_shard
from flows.store import WORLD_FILE, companions, counts_of, footer_of, is_complete, manifest_of, open_run
from flows.version import generator_version
from flows.writer import write_texts
from llm.client import ModelClient
from llm.errors import BudgetReached, Fatal
from llm.ledger import Ledger
from schemas.config import Rewriting, RunConfig
from schemas.world import World

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from flows.rows import Row
    from flows.shards import Entry
    from flows.store import RunFolder
    from flows.writer import Fault, Wanted
    from schemas.config import Texts
    from schemas.models import ModelChoice, Models

REPLIES = "replies"
"""Folder, below the new run's, of replies of the model."""
SAVE_EVERY = 50
"""Replies after which it is written down what the model has used."""


class Rewritten(Protocol):
    """The texts of one kind in one block."""

    stage: str
    """Stage of the records they stand in."""
    counts: str
    """Stage of the funnel that counts them."""

    @property
    def wanted(self) -> Sequence[Wanted]:
        """Return the texts that the model is asked for, in the order in which they are decided."""
        ...

    def row(self, row: Row) -> Row:
        """Return the row of a record as it stands now."""
        ...

    def fault(self, row: Row) -> Fault | None:
        """Return why a record kept its text, None when it has the model's."""
        ...


KINDS: Mapping[Texts, tuple[Callable[[Path, World, int], Rewritten], ...]] = {
    "narratives": (Narratives,),
    "requests": (Requests,),
    "all": (Narratives, Requests),
}
"""What is rewritten of a block, read from the folder of a run over its world, by the index of the block."""


def rewrite(source: Path, out: Path, models: Models, texts: Texts = "all") -> RunConfig:
    """Write what is missing of the run in `out` that says what `source` does in the words of the writer's model.

    `texts` says of what. Return its configuration. Raise ConfigError or StoreError when `source` cannot be rewritten
    there, BudgetError when the model has used up what it may over all such calls, UnreachableError when it cannot be
    reached; the same call goes on then.
    """
    choice = models.writer
    if choice is None:
        raise ConfigError("no writer is named; give --writer MODEL, or a `writer` in --config FILE")
    config = _config_of(source, choice, texts)
    with open_run(out, config) as run:
        known = load_state(run.root)
        ledger = Ledger(known.usage if known else None)
        spent = _Spent(source, run, ledger)
        spent.save()
        try:
            asyncio.run(_write_all(source, run, models, choice, spent))
        except BudgetReached as error:
            raise BudgetError(str(error)) from error
        except Fatal as error:
            raise UnreachableError(str(error)) from error
        finally:
            spent.save()
            run.save()
    return config


class _Spent:
    """What the model has used, which outlives the process."""

    def __init__(self, source: Path, run: RunFolder, ledger: Ledger) -> None:
        self.ledger = ledger
        self._source, self._run, self._replies = source, run, 0

    def answered(self) -> None:
        """Note a reply."""
        self._replies += 1
        if self._replies % SAVE_EVERY == 0:
            self.save()

    def save(self) -> None:
        """Write it down."""
        save_state(self._run.root, RewritingState(source=str(self._source), usage=self.ledger.tallies()))


def _config_of(source: Path, choice: ModelChoice, texts: Texts) -> RunConfig:
    """Return the configuration of the new run. Raise ConfigError or StoreError when the old one is not fit for it."""
    known = manifest_of(source)
    faults = file_faults(source, known)
    if faults:
        raise StoreError(f"{source} cannot be rewritten: {faults[0].line()}")
    if known.generator_version != generator_version():
        raise ConfigError(f"{source} was made by another version of the generator; make it again to rewrite it")
    loaded: object = yaml.safe_load((source / manifest.CONFIG).read_text("utf-8"))
    config = RunConfig.model_validate(loaded)
    rewriting = Rewriting(texts=texts, writer=choice.model, parameters=choice.asked, source=known.digest)
    return config.model_copy(update={"rewriting": rewriting})


async def _write_all(source: Path, run: RunFolder, models: Models, choice: ModelChoice, spent: _Spent) -> None:
    """Write the world and then block after block."""
    if WORLD_FILE not in run.entries:
        footer, _ = read_footer(source / WORLD_FILE)
        counts = counts_of(footer)
        rows = read_rows(source / WORLD_FILE)
        entry = write_shard(run.root, WORLD_FILE, rows, footer_of(run.config, "worlds", None, counts))
        run.add([(entry, counts)])
    (row,) = read_rows(source / WORLD_FILE)
    world = World.model_validate(from_row("worlds", row)[0])
    kinds = KINDS[cast("Rewriting", run.config.rewriting).texts]
    async with ModelClient(choice, models.limits, run.root / REPLIES, spent.ledger, role="writer") as client:
        for extents in _blocks(source):
            if all(is_complete(run.root, extent) for extent in extents):
                continue
            rewritten = [kind(source, world, extents[0].block) for kind in kinds]
            wanted = [one for texts in rewritten for one in texts.wanted]
            await write_texts(client, wanted, spent.answered)
            for extent in extents:
                run.add(_copied(source, run, extent, rewritten), extent)
            run.save()


def _blocks(source: Path) -> Iterator[list[Extent]]:
    """Yield the extents of a run, block by block, in the order in which they were made."""
    found = [read_name(file.name) for file in (source / "tasks").glob("*.parquet")]
    extents = sorted((e for e in found if e), key=lambda e: (e.block, e.start, e.stop > 0, e.first))
    for _, group in groupby(extents, key=lambda e: e.block):
        yield list(group)


def _companions(source: Path, extent: Extent) -> list[str]:
    """Return the files of an extent that were written with it: those of its users may be older."""
    alone = extent.start == 0 and extent.tasks and is_complete(source, extent.alone)
    return companions(extent)[-2:] if alone else companions(extent)


def _copied(
    source: Path, run: RunFolder, extent: Extent, rewritten: Sequence[Rewritten]
) -> list[tuple[Entry, Funnel | None]]:
    """Write the shards of one extent of the new run, and return their entries and counts."""
    written: list[tuple[Entry, Funnel | None]] = []
    # every shard of tasks states all of them, so that the stages of the funnel stand in one order
    used = {texts.counts: tally(texts.counts, 0, []) for texts in rewritten}
    for path in _companions(source, extent):
        stage = path.partition("/")[0]
        footer, _ = read_footer(source / path)
        counts, rows = counts_of(footer), read_rows(source / path)
        for texts in rewritten:
            if texts.stage == stage:
                used[texts.counts] = _used(texts, rows)
                rows = [texts.row(row) for row in rows]
        if stage == "tasks":
            before = [one for one in (counts or Funnel()).stages if one.stage not in (NARRATIVES, REWRITE)]
            counts = Funnel(stages=[*before, *used.values()])
        where = footer_of(run.config, stage, read_name(path.rpartition("/")[2]), counts)
        written.append((write_shard(run.root, path, rows, where), counts))
    return written


def _used(texts: Rewritten, rows: Sequence[Row]) -> StageCounts:
    """Return how many records have the text of the model, and why others have not."""
    why = [fault.check for row in rows if (fault := texts.fault(row)) is not None]
    return tally(texts.counts, len(rows) - len(why), why)
