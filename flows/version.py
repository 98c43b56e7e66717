"""The generator version: everything installed that a record depends on, as one hash with named parts."""

from __future__ import annotations

import hashlib
import zlib
from functools import cache
from importlib.metadata import entry_points, version
from importlib.resources import files
from typing import TYPE_CHECKING

from schemas.base import digest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from importlib.resources.abc import Traversable

PACKAGES = ("schemas", "language", "services", "generators", "validators")
"""Packages of the project whose sources and data decide records."""
LIBRARIES = ("msgspec", "networkx", "orjson", "pydantic", "pydantic_core")
"""Libraries whose behaviour shows in records."""
GROUPS = ("pausegen.checks", "pausegen.environments", "pausegen.intents", "pausegen.services", "pausegen.solvers")
"""Entry-point groups through which other distributions add to what is made."""
_IGNORED = {"__pycache__"}


@cache
def generator_parts() -> dict[str, str]:
    """Return what the version is made of: a hash per package, a version per library and per plug-in distribution."""
    hashes = {name: _package_hash(name) for name in PACKAGES}
    libraries = {name: version(name) for name in LIBRARIES} | {"zlib": zlib.ZLIB_RUNTIME_VERSION}
    return {**hashes, **libraries, **_plug_ins()}


@cache
def generator_version() -> str:
    """Return the generator version, 64 hexadecimal digits."""
    return digest(generator_parts())


def _package_hash(package: str) -> str:
    total = hashlib.sha256()
    for name, file in sorted(_files(files(package), "")):
        content = hashlib.sha256(file.read_bytes()).hexdigest()
        total.update(f"{name}\0{content}\n".encode())
    return total.hexdigest()


def _files(folder: Traversable, prefix: str) -> Iterator[tuple[str, Traversable]]:
    for entry in folder.iterdir():
        if entry.is_dir():
            if entry.name not in _IGNORED:
                yield from _files(entry, f"{prefix}{entry.name}/")
        elif not entry.name.endswith(".pyc"):
            yield prefix + entry.name, entry


def _plug_ins() -> dict[str, str]:
    points = (point for group in GROUPS for point in entry_points(group=group))
    found = {point.dist.name: point.dist.version for point in points if point.dist}
    return {f"plug-in {name}": number for name, number in sorted(found.items())}
