"""Makes all checksums of a run true again after its files were edited by hand."""

from __future__ import annotations

from typing import TYPE_CHECKING

from flows import manifest
from flows.config import parse, read_yaml
from flows.funnel import Funnel, total
from flows.shards import Entry, read_footer, read_rows, write_shard
from flows.store import counts_of, manifest_of

if TYPE_CHECKING:
    from pathlib import Path

    from flows.manifest import Manifest


def reseal(root: Path) -> Manifest:
    """Recompute every checksum of the run in `root` from its files as they are now, and return the manifest.

    It says nothing about the records: it is for showing that `verify` finds what checksums cannot, since it executes.
    Raise StoreError when a shard cannot be read, ConfigError when `config.yaml` is no configuration.
    """
    known = manifest_of(root)
    config = parse(read_yaml((root / manifest.CONFIG).read_text("utf-8"), manifest.CONFIG), manifest.CONFIG)
    entries, funnels = list[Entry](), list[Funnel]()
    for entry in known.files:
        footer, _ = read_footer(root / entry.path)
        entries.append(write_shard(root, entry.path, read_rows(root / entry.path), footer))
        funnels.extend(counts for counts in [counts_of(footer)] if counts)
    return manifest.save(root, known.model_copy(update={"files": entries}), config, total(funnels))
