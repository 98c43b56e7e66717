"""Puts the requests of a run in a model's words: a new run folder, in which every check on every task passes again.

Models are asked about many tasks at once; what becomes of their texts is decided one after the other, in the order of
users and tasks, so that it follows from the run and the replies alone.
"""

from __future__ import annotations

import asyncio
from itertools import groupby
from typing import TYPE_CHECKING, cast

import yaml

from flows import manifest
from flows.errors import BudgetError, ConfigError, StoreError, UnreachableError
from flows.extents import Extent, read_name
from flows.file_checks import file_faults
from flows.funnel import REWRITE, Funnel, tally
from flows.rewording import NO_TEXT, Fault, Item, Judge, Person, Wanted
from flows.rows import from_row, to_row
from flows.shards import read_footer, read_rows, write_shard
from flows.store import WORLD_FILE, companions, counts_of, footer_of, is_complete, manifest_of, open_run
from flows.version import generator_version
from generators.tasks.rewriting import SCHEMA, repair_messages, rewriting_messages
from llm.client import ModelClient
from llm.errors import BadOutput, BudgetReached, Fatal
from llm.ledger import Ledger
from schemas.base import Json
from schemas.config import Rewriting, RunConfig
from schemas.environment import EnvironmentRecord
from schemas.task import Task
from schemas.world import World
from validators.selection import reading_of
from validators.tasks import UserContext

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path

    from flows.rows import Record, Row
    from flows.shards import Entry
    from flows.store import RunFolder
    from schemas.models import ModelChoice, Models

REPLIES = "replies"
"""Folder, below the new run's, of replies of the model."""
REPAIRS = 1
"""Times that a text which cannot be used is asked for again."""
OF_THE_TEXT = frozenset({"context_window", "content_policy"})
"""Failures of a call over one request, which then stays as it is."""


def rewrite(source: Path, out: Path, models: Models) -> RunConfig:
    """Write what is missing of the run in `out` that says what `source` does in the words of the writer's model.

    Return its configuration. Raise ConfigError or StoreError when `source` cannot be rewritten there, BudgetError when
    the model has used up what it may, UnreachableError when it cannot be reached; the same call goes on then.
    """
    choice = models.writer
    if choice is None:
        raise ConfigError("no writer is named; give --writer MODEL, or a `writer` in --config FILE")
    config = _config_of(source, choice)
    with open_run(out, config) as run:
        try:
            asyncio.run(_write_all(source, run, models, choice))
        except BudgetReached as error:
            raise BudgetError(str(error)) from error
        except Fatal as error:
            raise UnreachableError(str(error)) from error
        finally:
            run.save()
    return config


def _config_of(source: Path, choice: ModelChoice) -> RunConfig:
    """Return the configuration of the new run. Raise ConfigError or StoreError when the old one is not fit for it."""
    known = manifest_of(source)
    faults = file_faults(source, known)
    if faults:
        raise StoreError(f"{source} cannot be rewritten: {faults[0].line()}")
    if known.generator_version != generator_version():
        raise ConfigError(f"{source} was made by another version of the generator; make it again to rewrite it")
    loaded: object = yaml.safe_load((source / manifest.CONFIG).read_text("utf-8"))
    config = RunConfig.model_validate(loaded)
    rewriting = Rewriting(writer=choice.model, parameters=choice.asked, source=known.digest)
    return config.model_copy(update={"rewriting": rewriting})


async def _write_all(source: Path, run: RunFolder, models: Models, choice: ModelChoice) -> None:
    """Write the world and then block after block."""
    if WORLD_FILE not in run.entries:
        footer, _ = read_footer(source / WORLD_FILE)
        counts = counts_of(footer)
        rows = read_rows(source / WORLD_FILE)
        entry = write_shard(run.root, WORLD_FILE, rows, footer_of(run.config, "worlds", None, counts))
        run.add([(entry, counts)])
    (row,) = read_rows(source / WORLD_FILE)
    world = World.model_validate(from_row("worlds", row)[0])
    async with ModelClient(choice, models.limits, run.root / REPLIES, Ledger(), role="writer") as client:
        for extents in _blocks(source):
            if all(is_complete(run.root, extent) for extent in extents):
                continue
            await _write_block(source, run, world, client, extents)
            run.save()


def _blocks(source: Path) -> Iterator[list[Extent]]:
    """Yield the extents of a run, block by block, in the order in which they were made."""
    found = [read_name(file.name) for file in (source / "tasks").glob("*.parquet")]
    extents = sorted((e for e in found if e), key=lambda e: (e.block, e.start, e.stop > 0, e.first))
    for _, group in groupby(extents, key=lambda e: e.block):
        yield list(group)


async def _write_block(
    source: Path, run: RunFolder, world: World, client: ModelClient, extents: Sequence[Extent]
) -> None:
    """Write the shards of one block, with the requests of its tasks rewritten."""
    people = _people(source, world, extents[0].block)
    wanted = [one for person in people for one in _wanted(person)]
    judge = Judge(people)
    asked = wanted
    for _ in range(1 + REPAIRS):
        await _ask_all(client, asked)
        for one in asked:
            judge.decide(one)
        asked = [one for one in asked if one.text and one.fault is not None]
        for one in asked:
            one.messages += repair_messages(one.text, one.fault.reason if one.fault else "")
    now = {item.task.task_id: item for person in people for item in person.items}
    verdicts = {item.task.task_id: one.fault for one in wanted for item in one.members}
    for extent in extents:
        run.add([_copied(source, run, path, now, verdicts) for path in _companions(source, extent)], extent)


def _companions(source: Path, extent: Extent) -> list[str]:
    """Return the files of an extent that were written with it: those of its users may be older."""
    alone = extent.start == 0 and extent.tasks and is_complete(source, extent.alone)
    return companions(extent)[-2:] if alone else companions(extent)


def _copied(
    source: Path, run: RunFolder, path: str, now: Mapping[str, Item], verdicts: Mapping[str, Fault | None]
) -> tuple[Entry, Funnel | None]:
    """Write one shard of the new run and return its entry and its counts."""
    stage = path.partition("/")[0]
    extent = read_name(path.rpartition("/")[2])
    footer, _ = read_footer(source / path)
    counts, rows = counts_of(footer), read_rows(source / path)
    if stage == "tasks":
        rows = [_row(now[str(row["task_id"])]) for row in rows]
        found = [verdicts[str(row["task_id"])] for row in rows]
        why = [fault.check for fault in found if fault is not None]
        stages = [] if counts is None else [one for one in counts.stages if one.stage != REWRITE]
        counts = Funnel(stages=[*stages, tally(REWRITE, len(found) - len(why), why)])
    return write_shard(run.root, path, rows, footer_of(run.config, stage, extent, counts)), counts


def _row(item: Item) -> Row:
    return to_row("tasks", item.record, certificate=item.certificate)


def _people(source: Path, world: World, block: int) -> list[Person]:
    """Return the users of a block with their tasks."""

    def rows(stage: str) -> Iterator[tuple[Record, Record]]:
        for file in sorted((source / stage).glob(f"block-{block:05d}-*.parquet")):
            yield from (from_row(stage, row) for row in read_rows(file))

    tasks: dict[str, list[tuple[Record, Record]]] = {}
    for record, extra in sorted(rows("tasks"), key=lambda pair: cast("int", pair[0]["ordinal"])):
        tasks.setdefault(str(record["user_id"]), []).append((record, extra))
    people: list[Person] = []
    for record, _ in sorted(rows("environments"), key=lambda pair: str(pair[0]["user_id"])):
        context = UserContext(EnvironmentRecord.of_parsed(record), world)
        items = [
            Item(Task.of_parsed(task), task, extra["certificate"], reading_of(task, context.now[:10]))
            for task, extra in tasks.get(str(record["user_id"]), [])
        ]
        people.append(Person(context, items))
    return people


def _wanted(person: Person) -> Iterator[Wanted]:
    """Yield the requests of a user: one for a task and its twins."""
    groups: dict[str, list[Item]] = {}
    for item in person.items:
        kin = item.task.kin
        name = kin.of if kin is not None and kin.kind == "twin" else item.task.task_id
        groups.setdefault(name, []).append(item)
    for members in groups.values():
        yield Wanted(person, members, rewriting_messages(members[0].task, person.today))


async def _ask(client: ModelClient, one: Wanted) -> None:
    """Let the model write a text."""
    try:
        reply = await client.chat(one.messages, schema=SCHEMA, tag=one.first.task.task_id)
    except BadOutput as error:
        one.text, one.fault = "", Fault(NO_TEXT, str(error))
    except Fatal as error:
        if error.kind not in OF_THE_TEXT:
            raise
        one.text, one.fault = "", Fault(NO_TEXT, str(error))
    else:
        one.text, one.fault = str(cast("dict[str, Json]", reply.data)["instruction"]).strip(), None


async def _ask_all(client: ModelClient, wanted: Sequence[Wanted]) -> None:
    """Let the model write about all of these; after a failure none is begun any more, and what is under way ends."""
    gate, failed = asyncio.Semaphore(client.limits.concurrency), False

    async def ask(one: Wanted) -> None:
        nonlocal failed
        async with gate:
            if failed:
                return
            try:
                await _ask(client, one)
            except Exception:
                failed = True
                raise

    for result in await asyncio.gather(*map(ask, wanted), return_exceptions=True):
        if result is not None:
            raise result
