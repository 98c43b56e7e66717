"""Takes finished extents into the manifest as their shards appear, whichever process wrote them."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from flows.blocks import Made
from flows.funnel import Funnel
from flows.shards import Entry, entry_of, read_footer
from flows.store import WORLD_FILE, RunFolder, companions, counts_of, is_complete

if TYPE_CHECKING:
    from pathlib import Path

    from flows.extents import Extent

SAVE_EVERY_S = 2.0
"""Least seconds between two writings of the manifest."""
SAVE_SHARE = 0.02
"""Most of the time that goes into writing the manifest, which grows with the run."""
LOOK_AHEAD = 4_000
"""Extents looked at, in order, for new ones: many times what workers can be at at one time."""


@dataclass(slots=True)
class Collector:
    """The extents of a run that were not there when it was opened."""

    run: RunFolder
    waiting: list[Extent]
    next_save: float = field(default_factory=lambda: time.monotonic() + SAVE_EVERY_S)

    def collect(self, *, final: bool = False) -> int:
        """Take over what is complete by now and write the manifest if it is time; return how many extents were new."""
        looked_at = self.waiting if final else self.waiting[:LOOK_AHEAD]
        ready = [extent for extent in looked_at if is_complete(self.run.root, extent)]
        for extent in ready:
            made = read_made(self.run.root, extent)
            self.run.add(made.shards, extent)
        if ready:
            taken = set(ready)
            self.waiting = [extent for extent in self.waiting if extent not in taken]
        started = time.monotonic()
        if final or (ready and started > self.next_save):
            self.run.save()
            ended = time.monotonic()
            self.next_save = ended + max(SAVE_EVERY_S, (ended - started) / SAVE_SHARE)
        return len(ready)


def read_made(root: Path, extent: Extent) -> Made:
    """Return the shards of a complete extent as their files tell it."""
    return Made(extent, [_read(root, path) for path in companions(extent)])


def world_shard(root: Path) -> list[tuple[Entry, Funnel | None]]:
    """Return the shard of the world as its file tells it."""
    return [_read(root, WORLD_FILE)]


def _read(root: Path, path: str) -> tuple[Entry, Funnel | None]:
    footer, rows = read_footer(root / path)
    return entry_of(path, footer, rows, (root / path).read_bytes()), counts_of(footer)
