"""Rows and shard files: same columns always, same bytes always, whole or not there."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows import shards
from flows.columns import column, to_table
from flows.errors import StoreError
from flows.rows import MODELS, STAGES, arrow_schema, arrow_type, from_row, reject_row, to_row
from flows.shards import Footer, read_footer, read_rows, write_atomic, write_shard
from generators.profiles import make_profile
from schemas.base import Json, canonical, digest_lines
from schemas.profile import Profile

PROFILE = make_profile(1, 0).model_dump(mode="json")
VERDICTS: Json = [{"check": "profile.x", "passed": True}]


def footer(stage: str = "users") -> Footer:
    return Footer(stage=stage, extent={"first": 0, "last": 1}, key="k", generator="g", records="")


@pytest.mark.parametrize(
    ("annotation", "kind"),
    [
        (str, pa.string()),
        (int, pa.int64()),
        (bool, pa.bool_()),
        (list[str], pa.list_(pa.string())),
        (Profile.model_fields["locale"].annotation, pa.string()),
        (Profile.model_fields["health_risks"].annotation, pa.list_(pa.string())),
        (Profile.model_fields["body"].annotation, None),
        (list[int], None),
        (dict[str, str], None),
        (str | None, None),
    ],
)
def test_columns_follow_from_the_types(annotation: object, kind: pa.DataType | None) -> None:
    assert arrow_type(annotation) == kind


@pytest.mark.parametrize("stage", STAGES)
def test_no_column_may_be_null(stage: str) -> None:
    assert not any(field.nullable for field in arrow_schema(stage))
    assert len(arrow_schema(stage)) > 3


@pytest.mark.parametrize("stage", [stage for stage in STAGES if stage != "rejects"])
def test_every_field_has_one_column(stage: str) -> None:
    names = [name.removesuffix("_json") for name in arrow_schema(stage).names]
    assert names[: len(MODELS[stage].model_fields)] == list(MODELS[stage].model_fields)


def test_a_record_comes_back_as_it_was() -> None:
    record, extra = from_row("users", to_row("users", PROFILE, verdicts=VERDICTS))
    assert canonical(record) == canonical(PROFILE)
    assert extra == {"verdicts": VERDICTS}


def test_a_reject_keeps_record_and_reason() -> None:
    row = reject_row("users", "u0", "u0", "profile.x", "why", PROFILE, VERDICTS)
    assert (row["check"], row["reason"]) == ("profile.x", "why")
    assert json.loads(str(row["record_json"])) == PROFILE


def test_bytes_are_the_same_when_written_again_and_types_when_empty(tmp_path: Path) -> None:
    rows = [to_row("users", PROFILE, verdicts=VERDICTS)]
    one, two = (write_shard(tmp_path, f"users/{name}.parquet", rows, footer()) for name in "ab")
    empty = write_shard(tmp_path, "users/c.parquet", [], footer())
    assert one.sha256 == two.sha256
    assert pq.read_schema(tmp_path / one.path).remove_metadata() == arrow_schema("users")
    assert pq.read_schema(tmp_path / empty.path).remove_metadata() == arrow_schema("users")


TEXTS = st.text(st.characters(codec="utf-8"), max_size=5)


@given(
    st.lists(st.tuples(TEXTS, st.integers(-(2**63), 2**63 - 1), st.lists(TEXTS, max_size=3), st.booleans()), max_size=6)
)
def test_columns_hold_what_they_were_given(drawn: list[tuple[str, int, list[str], bool]]) -> None:
    kinds = {"a": pa.string(), "b": pa.int64(), "c": pa.list_(pa.string()), "d": pa.bool_()}
    rows = [dict(zip(kinds, values, strict=True)) for values in drawn]
    table = to_table(rows, pa.schema(list(kinds.items())))
    table.validate(full=True)
    assert table.to_pylist() == rows


@pytest.mark.parametrize("value", [None, 3, ["a"]])
def test_a_value_of_another_type_is_refused(value: object) -> None:
    with pytest.raises(TypeError):
        column([value], pa.string())


def test_the_footer_tells_what_the_shard_is(tmp_path: Path) -> None:
    rows = [to_row("users", PROFILE, verdicts=VERDICTS)]
    entry = write_shard(tmp_path, "users/a.parquet", rows, footer())
    read, count = read_footer(tmp_path / entry.path)
    assert (count, read.records) == (1, digest_lines(rows)) == (entry.rows, entry.records)
    assert read_rows(tmp_path / entry.path) == rows
    assert list(read_rows(tmp_path / entry.path, ["user_id"])[0]) == ["user_id"]


@pytest.mark.parametrize("damage", [lambda data: data[:-20], lambda data: b"", lambda data: b"x" * 100])
def test_a_damaged_shard_is_named(tmp_path: Path, damage: Callable[[bytes], bytes]) -> None:
    entry = write_shard(tmp_path, "users/a.parquet", [], footer())
    file = tmp_path / entry.path
    file.write_bytes(damage(file.read_bytes()))
    with pytest.raises(StoreError, match=r"users/a\.parquet"):
        read_footer(file)
    with pytest.raises(StoreError, match=r"users/a\.parquet"):
        read_rows(file)


def test_a_parquet_file_of_somebody_else_is_no_shard(tmp_path: Path) -> None:
    pq.write_table(pa.table({"a": [1]}), tmp_path / "a.parquet")
    with pytest.raises(StoreError, match="no readable shard"):
        read_footer(tmp_path / "a.parquet")


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "a.json"
    write_atomic(file, b"old")

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(shards.os, "fsync", full)
    with pytest.raises(StoreError, match="No space left on device"):
        write_atomic(file, b"new")
    assert file.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [file]
