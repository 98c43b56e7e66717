"""Checks that read the records alone: hash, ids, references, times."""

from __future__ import annotations

import base64
import datetime as dt
import zlib
from hashlib import blake2b, sha256
from itertools import pairwise
from typing import TYPE_CHECKING

import orjson

from services.runtime.blobs import Blob

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from schemas.base import Json
    from schemas.environment import EnvironmentRecord
    from services.runtime.catalogue import Catalogue
    from validators.environments.context import Case

_LENGTHS = {len("YYYY-MM-DD"): dt.date, len("YYYY-MM-DDTHH:MM:SS"): dt.datetime}


def state_hash(tables: Mapping[str, Sequence[Mapping[str, Json]]]) -> str:
    """Return the hash of a state: the sum modulo 2^128 of BLAKE2b-128 over table name, zero byte and canonical JSON."""
    total = 0
    for table, rows in tables.items():
        start = blake2b(table.encode() + b"\0", digest_size=16)
        for row in rows:
            one = start.copy()
            one.update(orjson.dumps(row, option=orjson.OPT_SORT_KEYS))
            total += int.from_bytes(one.digest(), "big")
    return f"{total & ((1 << 128) - 1):032x}"


def hash_faults(case: Case) -> Iterator[str]:
    """Yield a fault unless the state hash is that of the records."""
    expected = state_hash(case.record.tables)
    if case.record.state_hash != expected:
        yield f"state_hash is {case.record.state_hash}, the records give {expected}"


def blob_faults(case: Case) -> Iterator[str]:
    """Yield blobs whose values are not those that a record describes, and records that describe none."""
    record, missing = case.record, dict(case.record.blobs)
    for table, declared in case.context.catalogue.tables.items():
        for row in record.tables.get(table, ()) if issubclass(declared.record, Blob) else ():
            name = str(row["id"])
            text = missing.pop(name, None)
            raw = b"" if text is None else raw_values(text)
            length = int(str(row["count"])) * {"u8": 1, "u16": 2}[str(row["encoding"])]
            if text is None:
                yield f"{table} describes the blob {name!r}, which is not there or described twice"
            elif len(raw) != length or sha256(raw).hexdigest() != row["sha256"]:
                yield f"the blob {name!r} does not hold what {table} describes"
    yield from (f"the blob {name!r} is described by no record" for name in sorted(missing))


def raw_values(text: str) -> bytes:
    """Return the bytes that a blob holds. Raise ValueError or zlib.error when it is none."""
    return zlib.decompress(base64.b64decode(text, validate=True))


def id_faults(case: Case) -> Iterator[str]:
    """Yield ids that do not ascend within their table, or stand in two tables that do not share them by declaration."""
    record, declared = case.record, case.context.catalogue.tables
    if record.environment_id != f"{record.user_id}-env":
        yield f"environment_id {record.environment_id!r} is not that of user {record.user_id!r}"
    owner: dict[str, str] = {}
    for table, rows in record.tables.items():
        ids = [str(row["id"]) for row in rows]
        for first, second in pairwise(ids):
            if first >= second:
                yield f"{table}: {second!r} follows {first!r}, ids must ascend"
        if "id" in declared[table].references:
            continue
        for key in ids:
            if owner.setdefault(key, table) != table:
                yield f"id {key!r} stands in {owner[key]} and in {table}"


def reference_faults(case: Case) -> Iterator[str]:
    """Yield references to records that do not exist, in the state or in the world."""
    record, context = case.record, case.context
    if record.world_id != context.world_id:
        yield f"world_id is {record.world_id!r}, checked against {context.world_id!r}"
    ids: dict[str, set[str]] = {table: {str(row["id"]) for row in rows} for table, rows in record.tables.items()}
    for table, rows in record.tables.items():
        for field, target in context.catalogue.tables[table].references.items():
            known = ids[target] if target in ids else context.world[target].keys()
            for row in rows:
                value = row[field]
                if value is not None and value not in known:
                    yield f"{table} {row['id']}: {field} is {value!r}, which {target} does not hold"


def clock_faults(case: Case) -> Iterator[str]:
    """Yield times that are none, and observations later than now."""
    record = case.record
    now = record.now
    if not _exists(now):
        yield f"now is {now!r}, which is no time"
    for table, rows in record.tables.items():
        observed = case.context.catalogue.tables[table].observed
        for row in rows:
            yield from (
                f"{table} {row['id']}: {field} is {value!r}, which is no date or time"
                for field, value in row.items()
                if (field in observed or _looks_dated(value)) and value is not None and not _exists(value)
            )
            for field in observed:
                value = row[field]
                if isinstance(value, str) and value > now[: len(value)]:
                    yield f"{table} {row['id']}: {field} is {value}, later than now ({now})"


def _looks_dated(value: Json) -> bool:
    return isinstance(value, str) and len(value) in _LENGTHS and value[4] == "-" == value[7]


def _exists(value: Json) -> bool:
    """Return whether a value is an ISO date or time that the calendar has, in the one form that there is."""
    kind = _LENGTHS.get(len(value)) if isinstance(value, str) else None
    if kind is None:
        return False
    try:
        return kind.fromisoformat(str(value)).isoformat() == value
    except ValueError:
        return False


def rebuild_faults(case: Case) -> Iterator[str]:
    """Yield a fault unless the record, made again from the seed, is the same."""
    rebuild = case.context.rebuild
    if rebuild is None:
        if case.context.rebuild_required:
            yield "nothing was passed in to make the environment again"
        return
    again = rebuild()
    yield from _differences(case.record, again, case.context.catalogue)


def _differences(record: EnvironmentRecord, again: EnvironmentRecord, catalogue: Catalogue) -> Iterator[str]:
    for field in ("environment_id", "user_id", "now", "seed", "world_id", "state_hash"):
        if getattr(record, field) != getattr(again, field):
            yield f"{field} is {getattr(record, field)!r}, made again {getattr(again, field)!r}"
    for table in sorted(catalogue.tables):
        if _lines(record, table) != _lines(again, table):
            yield f"table {table} differs from the one made again"
    for name in sorted(record.blobs.keys() | again.blobs.keys()):
        # By their values: another release of zlib may write the same ones in another way.
        one, other = record.blobs.get(name), again.blobs.get(name)
        if one is None or other is None or (one != other and raw_values(one) != raw_values(other)):
            yield f"the blob {name!r} differs from the one made again"


def _lines(record: EnvironmentRecord, table: str) -> bytes:
    return orjson.dumps(record.tables.get(table), option=orjson.OPT_SORT_KEYS)
