"""How blocks are grouped into Prefect task runs, and how such a group travels as a task parameter.

One task run costs about a tenth of a second and a row in a database, so it should carry tens of seconds of work; there
should still be a few per worker, so that all workers end together, and no more than Prefect's server takes in. Each
starts a verifier process, so one worker takes as much at once as is worth it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import orjson

from flows.extents import Extent

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

TASKS_PER_RUN = 1_000
"""Kept tasks that make a task run worth its cost: about half a minute."""
USER = 3
"""How many tasks cost as much as one user with an environment."""
RUNS_PER_WORKER = 4
"""Task runs for each worker at least, when there are blocks enough."""
MOST_RUNS = 400
"""Task runs in one flow run at most."""


def chunked(blocks: Sequence[list[Extent]], workers: int) -> Iterator[list[list[Extent]]]:
    """Yield the blocks in groups, in order."""
    if not blocks:
        return
    tasks = sum(len(extent.users) * (USER + len(extent.tasks)) for block in blocks for extent in block)
    worth = max(1, TASKS_PER_RUN * len(blocks) // tasks)
    balanced = max(1, len(blocks) // (RUNS_PER_WORKER * workers)) if workers > 1 else len(blocks)
    size = max(min(worth, balanced), -(-len(blocks) // MOST_RUNS))
    for first in range(0, len(blocks), size):
        yield list(blocks[first : first + size])


def to_text(chunk: Sequence[Sequence[Extent]]) -> str:
    """Return a group of blocks as short text: Prefect looks through every parameter value by value."""
    return orjson.dumps([[[e.first, e.last, e.start, e.stop] for e in block] for block in chunk]).decode()


def from_text(text: str) -> list[list[Extent]]:
    """Return the group of blocks that `to_text` wrote."""
    return [[Extent(*numbers) for numbers in block] for block in orjson.loads(text)]
