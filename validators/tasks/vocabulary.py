"""What the records of a task say, by kind: ids, words of a closed vocabulary, free texts, names of single records.

Everything comes from declarations: an id is an id or a field that refers to one, a declared word is a value that the type
of a field lists or the name of a transaction kind, and any other text is free.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Literal, get_args, get_origin, get_type_hints
from weakref import WeakKeyDictionary

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from schemas.base import Json
    from services.runtime.catalogue import Catalogue
    from services.runtime.declare import Table
    from services.runtime.records import Record
    from validators.tasks.context import Rows, TaskContext, UserContext


@dataclass(frozen=True, slots=True)
class Words:
    """The texts of some records."""

    ids: frozenset[str]
    texts: frozenset[str]
    """Free texts, elements of lists among them."""

    def __or__(self, other: Words) -> Words:
        """Return the texts of both."""
        return Words(self.ids | other.ids, self.texts | other.texts)


@lru_cache(maxsize=256)
def text_fields(record: type[Record]) -> tuple[tuple[str, ...], frozenset[str]]:
    """Return the fields of a record type that hold free text, and the words that its other fields' types list."""
    free: list[str] = []
    listed: set[str] = set()
    for name, hint in get_type_hints(record).items():
        parts = list(_parts(hint))
        listed |= {value for part in parts if get_origin(part) is Literal for value in get_args(part)}
        if name != "id" and str in parts:
            free.append(name)
    return tuple(free), frozenset(listed)


def _parts(hint: object) -> Iterator[object]:
    """Yield a type and the types inside it; a literal stands for itself."""
    yield hint
    if get_origin(hint) is not Literal:
        for part in get_args(hint):
            yield from _parts(part)


@lru_cache(maxsize=8)
def _declared(catalogue_id: int, tables: tuple[Table, ...], kinds: tuple[str, ...]) -> frozenset[str]:
    return frozenset(kinds).union(*(text_fields(table.record)[1] for table in tables))
