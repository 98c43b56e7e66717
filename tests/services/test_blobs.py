"""Blobs: what is stored, decoded and compared, and what a damaged one leads to."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Callable, Mapping
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.rows import from_row, to_row
from publishing.rows import EnvironmentRow
from schemas.base import Json, canonical_text
from schemas.environment import EnvironmentRecord
from services import open_environment
from services.runtime.blobs import Blob, Blobs, Encoding, described, pack, to_bytes, unpack
from services.runtime.catalogue import build_catalogue
from services.runtime.declare import Service, Table
from services.runtime.door import base_of, record_of_row
from services.runtime.environment import Environment
from services.runtime.records import to_data
from services.runtime.tools import Context, tool
from tests.services import sample
from validators.environments.records import blob_faults, raw_values


class Track(Blob, frozen=True):
    """Describes a track."""

    title: str


@tool(side="assistant", example={"name": "low"})
def listen(c: Context, name: str) -> dict[str, Json]:
    """Return the values of a track.

    `values`.
    """
    return {"values": [*c.blob(name)]}


@tool(side="user", write=True, example={"title": "x"})
def rename(c: Context, title: str) -> dict[str, Json]:
    """Rename the track low.

    Nothing.
    """
    track = c.get(Track, "low")
    assert track is not None
    c.put(Track(**{**to_data(track), "title": title}))
    return {}


SERVICE = Service(name="music", summary="Tracks.", tables=(Table("tracks", Track, "track"),), tools=(listen, rename))
CATALOGUE = build_catalogue([SERVICE])
VALUES: dict[str, tuple[Encoding, list[int]]] = {"low": ("u8", [0, 1, 255]), "high": ("u16", [0, 256, 65535, 7])}


def made(change: Callable[[dict[str, Any], dict[str, str]], object] = lambda tracks, blobs: None) -> EnvironmentRecord:
    """A record with two tracks, changed."""
    raw = {name: to_bytes(values, encoding) for name, (encoding, values) in VALUES.items()}
    tracks: dict[str, Any] = {
        name: {"id": name, "title": name, **described(raw[name], VALUES[name][0])} for name in sorted(VALUES)
    }
    blobs = {name: pack(content) for name, content in raw.items()}
    change(tracks, blobs)
    return sample.record().model_copy(update={"tables": {"tracks": list(tracks.values())}, "blobs": blobs})


def opened(record: EnvironmentRecord) -> Environment:
    return Environment(base_of(record, {}, CATALOGUE), CATALOGUE, now=record.now, seed="x")


@given(st.lists(st.integers(0, 255)), st.lists(st.integers(0, 65535)))
def test_values_come_back_as_they_were(small: list[int], large: list[int]) -> None:
    for encoding, values in (("u8", small), ("u16", large)):
        raw = to_bytes(values, encoding)  # type: ignore[arg-type]
        assert unpack(pack(raw), len(raw)) == raw == raw_values(pack(raw))
        step = 1 if encoding == "u8" else 2
        read = [int.from_bytes(raw[at : at + step], "little") for at in range(0, len(raw), step)]
        assert read == values
        assert described(raw, encoding)["count"] == len(values)  # type: ignore[arg-type]


@pytest.mark.parametrize(("encoding", "value"), [("u8", 256), ("u8", -1), ("u16", 65536)])
def test_a_value_that_does_not_fit_is_an_error(encoding: Encoding, value: int) -> None:
    with pytest.raises(OverflowError):
        to_bytes([value], encoding)


def test_a_tool_reads_a_blob_and_the_call_notes_it() -> None:
    env = opened(made())
    for name, (_, values) in VALUES.items():
        assert env.call("listen", {"name": name}) == {"values": values}
        assert env.footprint.reads == {("tracks", name)}
    assert env.call("listen", {"name": "none"})["error"]


def test_a_view_cannot_be_written_to_and_is_shared_by_all_states() -> None:
    env = opened(made())
    view = env.state_.base.blobs["low"]
    with pytest.raises(TypeError):
        view[0] = 1
    start = env.snapshot()
    env.call("rename", {"title": "deep"}, "user")
    assert env.state_.base.blobs["low"] is view
    env.restore(start)
    assert env.state_.base.with_changes([]).blobs is env.state_.base.blobs


def test_the_state_hash_covers_the_values() -> None:
    def other(tracks: dict[str, Any], blobs: dict[str, str]) -> None:
        raw = to_bytes([0, 1, 254], "u8")
        tracks["low"].update(described(raw, "u8"))
        blobs["low"] = pack(raw)

    assert base_of(made(), {}, CATALOGUE).hash != base_of(made(other), {}, CATALOGUE).hash


FLIPPED = pack(to_bytes([0, 1, 254], "u8"))
DAMAGED: Mapping[str, tuple[Callable[[dict[str, Any], dict[str, str]], object], str]] = {
    "another value": (lambda tracks, blobs: blobs.update(low=FLIPPED), "does not hold"),
    "a value more": (lambda tracks, blobs: blobs.update(low=pack(b"\0\1\xff\0")), "does not end after 3 bytes"),
    "a value less": (lambda tracks, blobs: blobs.update(low=pack(b"\0\1")), "does not hold"),
    "no zlib": (lambda tracks, blobs: blobs.update(low="AAAA"), "cannot be read"),
    "no base64": (lambda tracks, blobs: blobs.update(low="?"), "cannot be read"),
    "cut off": (
        lambda tracks, blobs: blobs.update(low=base64.b64encode(zlib.compress(b"\0\1\xff")[:-5]).decode()),
        "does not end",
    ),
    "another digest": (lambda tracks, blobs: tracks["low"].update(sha256="0" * 64), "does not hold"),
    "another number": (lambda tracks, blobs: tracks["low"].update(count=4), "does not hold"),
    "another encoding": (lambda tracks, blobs: tracks["low"].update(encoding="u16"), "does not hold"),
}
UNPAIRED: Mapping[str, tuple[Callable[[dict[str, Any], dict[str, str]], object], str]] = {
    "a blob without a record": (lambda tracks, blobs: tracks.pop("low"), "'low' is described by no record"),
    "a record without a blob": (lambda tracks, blobs: blobs.pop("low"), "'low' is described but not there"),
}


def faults(record: EnvironmentRecord) -> list[str]:
    """What the environment check says, which decodes on its own."""
    case: Any = type("Case", (), {"record": record, "context": type("C", (), {"catalogue": CATALOGUE})})
    try:
        return list(blob_faults(case))
    except (ValueError, zlib.error) as error:
        return [str(error)]


def test_blobs_that_are_as_described_pass() -> None:
    assert faults(made()) == []
    opened(made()).state_.base.blobs.verify()


@pytest.mark.parametrize("name", DAMAGED)
def test_a_damaged_blob_is_found_when_it_is_decoded(name: str) -> None:
    change, message = DAMAGED[name]
    blobs = base_of(made(change), {}, CATALOGUE).blobs
    assert blobs["high"].tolist() == VALUES["high"][1]
    with pytest.raises(ValueError, match=f"'low' is damaged: .*{message}"):
        blobs.verify()
    assert faults(made(change))


@pytest.mark.parametrize("name", UNPAIRED)
def test_blobs_and_their_records_come_in_pairs(name: str) -> None:
    change, message = UNPAIRED[name]
    with pytest.raises(ValueError, match=message):
        base_of(made(change), {}, CATALOGUE)
    assert faults(made(change))


def test_a_blob_has_one_description() -> None:
    track = Track(id="low", title="x", **described(b"", "u8"))  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="described in a and in b"):
        Blobs({"low": pack(b"")}, {"a": {"low": track}, "b": {"low": track}})


def test_the_door_refuses_a_blob_that_no_service_knows() -> None:
    known = sample.record()
    record = known.model_copy(update={"blobs": {**known.blobs, "low": pack(b"\0")}})
    with pytest.raises(ValueError, match="'low' is described by no record"):
        open_environment(record, sample.WORLD)


def test_rows_of_runs_and_releases_hold_blobs_losslessly() -> None:
    record = made()
    plain = orjson.loads(record.model_dump_json())
    row = to_row("environments", plain, verdicts=[])
    assert from_row("environments", row)[0] == plain
    assert record_of_row(row) == record
    published = {name: row[name] for name in EnvironmentRow.model_fields}
    assert EnvironmentRow.model_validate(published).blobs_json == record.blobs
    assert record_of_row(published) == record


def test_a_record_without_blobs_is_what_it_was_and_one_empty_field() -> None:
    bare = sample.record(signals=[])
    plain = orjson.loads(bare.model_dump_json())
    assert plain.pop("blobs") == {}
    assert canonical_text({**plain, "blobs": {}}) == canonical_text(bare)
    assert EnvironmentRecord.model_validate(plain) == bare
