"""Folders of the user's own from which a part of every environment is made, instead of being drawn."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Protocol, TypeAlias

from schemas.base import Json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from pathlib import Path


Rows: TypeAlias = "Mapping[str, Sequence[Mapping[str, Json]]]"
"""Records per table, as JSON data."""


class Brought(Protocol):
    """What a folder holds, after it was read."""

    @property
    def sha256(self) -> str:
        """Return the digest of the files read."""
        ...

    def of(self, index: int) -> object:
        """Return what the user of an index is given."""
        ...

    def lines(self) -> Iterator[str]:
        """Yield what was found, in lines of text."""
        ...

    def summary(self) -> str:
        """Return what was found, in one line."""
        ...


@dataclass(frozen=True, slots=True)
class FolderInput:
    """How a seeder takes a folder of the user's own."""

    files: Callable[[Path], Sequence[Path]]
    """Returns the files of a folder that are read. Raises InputError where one is missing."""
    read: Callable[[Path], Brought]
    """Reads a folder. Raises InputError for the first fault."""
    taken: Callable[[Rows, Mapping[str, str]], object | None]
    """Returns what a finished environment was given, None where it was drawn: so that it can be built again without the
    folder. It gets the tables and blobs of the environment."""


def digest_of_files(paths: Iterable[Path]) -> str:
    """Return the SHA-256 over names and bytes of files."""
    total = sha256()
    for path in paths:
        total.update(f"{path.name}\0{sha256(path.read_bytes()).hexdigest()}\n".encode())
    return total.hexdigest()
