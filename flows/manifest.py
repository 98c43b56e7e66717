"""The manifest: what a run was made from and every file it owns, with checksums, sealed by a digest of its own.

`config.yaml` and `funnel.json` are sealed as documents. All three files have one possible form, so that any altered
byte shows.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

import orjson
from pydantic import ValidationError

from flows.config import to_yaml
from flows.errors import StoreError
from flows.shards import FORMAT, Entry, write_atomic
from schemas.base import Json, Model, digest, plain

if TYPE_CHECKING:
    from pathlib import Path

    from flows.funnel import Funnel
    from schemas.config import RunConfig

MANIFEST, CONFIG, FUNNEL = "manifest.json", "config.yaml", "funnel.json"


class Manifest(Model):
    """What a run folder holds."""

    format: str = FORMAT
    complete: bool
    """Whether every shard of the wanted size is there."""
    users: int
    tasks_per_user: int
    content: dict[str, Json]
    """Configuration fields that decide the records."""
    content_digest: str
    generator: dict[str, str]
    """What the generator version is made of."""
    generator_version: str
    documents: dict[str, str]
    """SHA-256 of `config.yaml` and `funnel.json`."""
    files: list[Entry]
    """All shards, by path."""
    digest: str = ""
    """SHA-256 of the canonical form of everything else."""


def render(value: Model) -> bytes:
    """Return a model as the bytes of a JSON file: indented, keys sorted, one final newline."""
    options = orjson.OPT_INDENT_2 | orjson.OPT_SORT_KEYS | orjson.OPT_APPEND_NEWLINE
    return orjson.dumps(plain(value), option=options)


def sealed(manifest: Manifest) -> Manifest:
    """Return the manifest with its digest."""
    return manifest.model_copy(update={"digest": own_digest(manifest)})


def own_digest(manifest: Manifest) -> str:
    """Return the digest of everything in the manifest but the digest."""
    return digest(manifest.model_dump(mode="json", exclude={"digest"}))


def save(root: Path, manifest: Manifest, config: RunConfig, funnel: Funnel) -> Manifest:
    """Write config, funnel and then the manifest that seals them; return the manifest as written."""
    documents = {CONFIG: to_yaml(config).encode(), FUNNEL: render(funnel)}
    for name, data in documents.items():
        if _bytes(root / name) != data:
            write_atomic(root / name, data)
    sums = {name: hashlib.sha256(data).hexdigest() for name, data in documents.items()}
    final = sealed(manifest.model_copy(update={"documents": sums}))
    write_atomic(root / MANIFEST, render(final))
    return final


def load(root: Path) -> Manifest | None:
    """Return the manifest of a run folder, None when it has none. Raise StoreError when it is damaged."""
    data = _bytes(root / MANIFEST)
    if data is None:
        return None
    try:
        return Manifest.model_validate(orjson.loads(data))
    except (ValueError, ValidationError) as error:
        text = " ".join(str(error).split())[:200]
        raise StoreError(f"{root / MANIFEST} is damaged ({text}); use another --out or remove this folder") from error


def _bytes(file: Path) -> bytes | None:
    try:
        return file.read_bytes()
    except FileNotFoundError:
        return None
