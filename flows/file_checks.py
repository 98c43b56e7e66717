"""Are the files of a run what the manifest says? Every byte of them is under one checksum or another."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from flows import manifest
from flows.comparing import Fault
from flows.config import parse, read_yaml, to_yaml
from flows.errors import ConfigError, StoreError
from flows.extents import PER_TASK_STAGES, connected, read_name
from flows.funnel import total
from flows.rewriting_state import resuming
from flows.rows import STAGES, arrow_schema
from flows.shards import Entry, read_footer, read_rows, read_schema, shard_key
from flows.store import WORLD_FILE, counts_of, extent_fields
from schemas.base import digest, digest_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from flows.extents import Extent
    from flows.manifest import Manifest


def file_faults(root: Path, known: Manifest) -> list[Fault]:
    """Return what is wrong with the files of a run, its manifest first."""
    listed = {entry.path: entry for entry in known.files}
    present = {f"{stage}/{file.name}" for stage in STAGES for file in (root / stage).glob("*.parquet")}
    foreign = [Fault(path, "files.listed", "is not listed in the manifest") for path in sorted(present - listed.keys())]
    shards = [fault for _, entry in sorted(listed.items()) for fault in _shard_faults(root, known, entry)]
    faults = [*_manifest_faults(root, known), *foreign, *shards]
    # what the documents must say follows from the shards, so they are judged only where these are right
    return faults or list(_document_faults(root, known))


def _manifest_faults(root: Path, known: Manifest) -> Iterator[Fault]:
    if manifest.own_digest(known) != known.digest or manifest.render(known) != (root / manifest.MANIFEST).read_bytes():
        yield Fault(manifest.MANIFEST, "files.digest", "its own digest does not fit its content")
    elif digest(known.generator) != known.generator_version or digest(known.content) != known.content_digest:
        yield Fault(manifest.MANIFEST, "files.digest", "a digest does not fit the parts it is made of")
    if not known.complete:
        reason = f"the run is not complete; {resuming(root, known)}"
        yield Fault(manifest.MANIFEST, "files.complete", reason)


def _shard_faults(root: Path, known: Manifest, entry: Entry) -> Iterator[Fault]:
    file = root / entry.path
    if not file.is_file():
        yield Fault(entry.path, "files.present", "is missing")
    elif hashlib.sha256(data := file.read_bytes()).hexdigest() != entry.sha256 or len(data) != entry.bytes:
        yield Fault(entry.path, "files.sha256", "its SHA-256 is not the one in the manifest")
    else:
        try:
            yield from (Fault(entry.path, check, reason) for check, reason in _content_faults(file, known, entry))
        except StoreError as error:
            yield Fault(entry.path, "files.readable", str(error))


def _content_faults(file: Path, known: Manifest, entry: Entry) -> Iterator[tuple[str, str]]:
    footer, rows = read_footer(file)
    extent = None if entry.path == WORLD_FILE else read_name(file.name)
    where = extent_fields(entry.stage, extent)
    key = shard_key(known.content, entry.stage, where, known.generator_version)
    if not (footer.key == entry.key == key and footer.extent == where and footer.stage == entry.stage):
        yield "files.key", "its key does not fit configuration, stage, extent and generator version"
    if not read_schema(file).equals(arrow_schema(entry.stage)):
        yield "files.columns", "its columns are not those of its stage"
    if not rows == entry.rows == len(stored := read_rows(file)):
        yield "files.rows", f"it holds {rows} rows, the manifest says {entry.rows}"
    elif not footer.records == entry.records == digest_lines(stored):
        yield "files.records", "the checksum of its records is not the one in the manifest"


def _document_faults(root: Path, known: Manifest) -> Iterator[Fault]:
    yield from _size_faults(known)
    footers = [read_footer(root / entry.path)[0] for entry in known.files if entry.stage in ("tasks", "worlds")]
    funnel = total(counts for footer in footers if (counts := counts_of(footer)))
    yield from _exact(root, known, manifest.FUNNEL, manifest.render(funnel), "the counts are not those of the shards")
    try:
        config = parse(read_yaml((root / manifest.CONFIG).read_text("utf-8"), manifest.CONFIG), manifest.CONFIG)
    except (OSError, ValueError, ConfigError) as error:
        yield Fault(manifest.CONFIG, "files.config", str(error))
        return
    size = (config.users, config.tasks_per_user)
    if config.content() != known.content or size != (known.users, known.tasks_per_user):
        yield Fault(manifest.CONFIG, "files.config", "it is not the configuration that the manifest states")
    yield from _exact(root, known, manifest.CONFIG, to_yaml(config).encode(), "it is not in the form that is written")


def _exact(root: Path, known: Manifest, name: str, wanted: bytes, what: str) -> Iterator[Fault]:
    file = root / name
    data = file.read_bytes() if file.is_file() else b""
    if hashlib.sha256(data).hexdigest() != known.documents.get(name):
        yield Fault(name, "files.sha256", "its SHA-256 is not the one in the manifest")
    elif data != wanted:
        yield Fault(name, "files.content", what)


def _size_faults(known: Manifest) -> Iterator[Fault]:
    """Yield a fault unless the extents cover all users and tasks, each once, with all their files."""
    by_stage: dict[str, list[Extent]] = {stage: [] for stage in STAGES}
    for entry in known.files:
        extent = read_name(Path(entry.path).name)
        if extent:
            by_stage[entry.stage].append(extent)
    wanted = dict.fromkeys(range(known.users), known.tasks_per_user)
    for stage in PER_TASK_STAGES:
        kept, done = connected(by_stage[stage])
        if {user: last.stop for user, last in done.items()} != wanted or len(kept) != len(by_stage[stage]):
            yield Fault(f"{stage}/", "files.extents", "the shards do not cover every user and task exactly once")
    for stage in ("users", "environments"):
        users = sorted(user for extent in by_stage[stage] for user in extent.users)
        if users != list(range(known.users)):
            yield Fault(f"{stage}/", "files.extents", "the shards do not cover every user exactly once")
