"""The stable door: rows and models, worlds given or registered, and what is told when something does not fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from generators.worlds import make_world
from schemas.base import Json, canonical_text
from schemas.environment import EnvironmentRecord
from schemas.world import World, build_world
from services import open_environment, use_worlds
from services.runtime.door import at_start, load_world
from tests.services import sample

RECORD = sample.record()
WORLD_ROW = {"world_id": sample.WORLD.world_id, "schema_version": 1, "tables_json": canonical_text(sample.WORLD.tables)}


def row_of(record: EnvironmentRecord) -> dict[str, Any]:
    """Return the published row of an environment."""
    row = record.model_dump(mode="json")
    return {**{k: v for k, v in row.items() if k != "tables"}, "tables_json": canonical_text(row["tables"])}


@pytest.mark.parametrize(
    "record", [RECORD, row_of(RECORD), RECORD.model_dump(mode="json")], ids=["model", "row", "dump"]
)
@pytest.mark.parametrize("world", [sample.WORLD, WORLD_ROW], ids=["model", "row"])
def test_an_environment_opens_from_models_and_from_rows(
    record: EnvironmentRecord | dict[str, Any], world: World | dict[str, object]
) -> None:
    env = open_environment(record, world)
    assert env.state_hash() == RECORD.state_hash
    assert env.call("get_wallet")["balance"] == 100
    assert env.now == RECORD.now


def test_a_row_may_have_more_columns() -> None:
    assert open_environment({**row_of(RECORD), "split": "train"}, sample.WORLD).state_hash() == RECORD.state_hash


def test_a_world_of_the_generator_loads() -> None:
    made = make_world(3, 60)
    records = load_world(made)["products"]
    assert list(records) == [row["id"] for row in made.tables["products"]]


def test_opening_twice_gives_states_of_their_own() -> None:
    first, second = open_environment(RECORD, sample.WORLD), open_environment(RECORD, sample.WORLD)
    sample.done(first, "top_up_wallet", "user", amount=5)
    assert second.call("get_wallet")["balance"] == 100
    assert second.state_hash() == RECORD.state_hash


def test_state_given_back_is_the_record() -> None:
    state: Any = open_environment(RECORD, sample.WORLD).state()
    assert set(state["hidden"]) == {"source_days"}
    state |= state.pop("hidden")
    rows = {name: {str(row["id"]): row for row in rows} for name, rows in RECORD.tables.items()}
    assert {name: state.get(name, {}) for name in rows} == rows
    assert all(not records for name, records in state.items() if name not in rows)


def _world_file(folder: Path, *worlds: World) -> None:
    folder.mkdir(parents=True)
    rows = [{"world_id": w.world_id, "schema_version": 1, "tables_json": canonical_text(w.tables)} for w in worlds]
    pq.write_table(pa.Table.from_pylist(rows), folder / "part-00000.parquet", row_group_size=1)


def test_worlds_are_registered_from_any_folder_above_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    worlds = [make_world(seed, 30) for seed in (90, 91)]
    _world_file(tmp_path / "run" / "worlds", *worlds)
    pq.write_table(pa.table({"x": [1]}), tmp_path / "run" / "other.parquet")
    names = [world.world_id for world in worlds]
    assert use_worlds(tmp_path / "run") == names
    assert use_worlds(str(tmp_path / "run" / "worlds")) == names
    assert use_worlds(tmp_path / "run" / "worlds" / "part-00000.parquet") == names
    monkeypatch.chdir(tmp_path / "run" / "worlds")
    assert use_worlds(".") == names
    record = RECORD.model_copy(update={"world_id": names[0], "tables": {}, "blobs": {}, "state_hash": "0" * 32})
    assert open_environment(record).state_.base.world["products"].keys() == load_world(worlds[0])["products"].keys()


@pytest.mark.parametrize("name", ["nowhere", "."])
def test_a_folder_without_worlds_is_an_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(FileNotFoundError, match="no worlds"):
        use_worlds(tmp_path / name)


def test_a_parquet_file_that_holds_no_worlds_is_an_error(tmp_path: Path) -> None:
    pq.write_table(pa.table({"x": [1]}), tmp_path / "x.parquet")
    with pytest.raises(ValueError, match=r"no World.*'world_id'"):
        use_worlds(tmp_path / "x.parquet")


def test_a_world_that_is_not_its_hash_is_an_error() -> None:
    tables = {"products": [dict(row) for row in sample.WORLD.tables["products"]]}
    tables["products"][0]["single_cents"] = 1
    forged = World(world_id="w_000000000000", tables=tables)
    record = RECORD.model_copy(update={"world_id": forged.world_id})
    with pytest.raises(ValueError, match="'w_000000000000': its tables give the id 'w_"):
        open_environment(record, forged)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"world_id": "w_ffffffffffff"}, "'w_ffffffffffff' is not known: pass it as `world`"),
        ({"state_hash": "0" * 32}, "'u-00000-env': state_hash is 0{32}, its records give [0-9a-f]{32}"),
        ({"now": "2025-06-10"}, "now is '2025-06-10'"),
    ],
)
def test_a_record_that_does_not_fit_is_an_error(change: dict[str, Json], message: str) -> None:
    open_environment(RECORD, sample.WORLD)
    with pytest.raises(ValueError, match=message):
        open_environment(RECORD.model_copy(update=change))


def test_another_world_is_an_error() -> None:
    other = build_world([])
    with pytest.raises(ValueError, match=f"needs world '{sample.WORLD.world_id}', not '{other.world_id}'"):
        open_environment(RECORD, other)


@pytest.mark.parametrize(
    ("table", "rows", "message"),
    [
        ("walet", [], "unknown table 'walet'; known: .*wallet"),
        ("wallet", [{"id": "wallet", "balance_cents": "5", "opening_cents": 5}], r"'wallet'.*`int`.*balance_cents"),
        ("wallet", [{"id": "wallet", "balance_cents": 5.5, "opening_cents": 5}], r"'wallet'.*balance_cents"),
        ("wallet", [{"id": "wallet", "balance_cents": 5}], r"'wallet'.*opening_cents"),
        ("permissions", [{"id": "purchase", "allowed": 1}], r"'permissions'.*`bool`.*allowed"),
        ("membership", [{"id": "membership", "expires_on": "30 June 2025"}], r"'membership'.*expires_on"),
        ("membership", [{"id": "membership", "expires_on": "2025-06-31T10:00"}], r"'membership'.*expires_on"),
        ("membership", [{"id": "membership", "expires_on": "2025-13-01"}], r"'membership'.*expires_on"),
        ("membership", [{"id": "membership", "expires_on": "2025-06-30\n"}], r"'membership'.*expires_on"),
        (
            "cart",
            [{"id": "c", "product_id": "p", "size": "pack_6", "quantity": 1, "added_at": sample.NOW}],
            "'cart'.*size",
        ),
        ("vouchers", [sample.voucher("v"), sample.voucher("v")], "'vouchers' holds id 'v' twice"),
    ],
)
def test_records_that_break_their_declaration_are_named(table: str, rows: list[Any], message: str) -> None:
    tables = {**RECORD.tables, table: [dict(row) for row in rows]}
    for record in (RECORD.model_copy(update={"tables": tables}), {**row_of(RECORD), "tables_json": json.dumps(tables)}):
        with pytest.raises(ValueError, match=message):
            open_environment(record, sample.WORLD)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"tables_json": "{"}, "column 'tables_json' holds no JSON"),
        ({"tables_json": None}, "tables"),
        ({"now": None}, "now"),
        ({"user_id": 5}, "user_id"),
    ],
)
def test_a_broken_row_is_named(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        open_environment({**row_of(RECORD), **change}, sample.WORLD)


def test_a_row_without_a_column_is_named() -> None:
    row = row_of(RECORD)
    del row["seed"]
    with pytest.raises(ValueError, match=r"no EnvironmentRecord.*'seed'"):
        open_environment(row, sample.WORLD)


def test_a_task_starts_with_its_setup() -> None:
    poor = sample.record(wallet=sample.wallet(5), devices=[row for row in sample.TABLES["devices"][1:]])
    patches = [
        {"table": "wallet", "id": "wallet", "record": {"id": "wallet", "balance_cents": 5, "opening_cents": 5}},
        {"table": "devices", "id": "device_1", "record": None},
    ]
    task = {"setup_json": json.dumps(patches), "start_hash": poor.state_hash}
    assert at_start(RECORD, task) == poor
    env = open_environment(row_of(RECORD), sample.WORLD, task)
    assert env.state_hash() == poor.state_hash and env.delta() == {}
    assert env.call("get_wallet")["balance"] == 0.05
    with pytest.raises(ValueError, match="state_hash is"):
        open_environment(RECORD, sample.WORLD, {**task, "start_hash": RECORD.state_hash})
    with pytest.raises(ValueError, match="no column 'setup_json'"):
        open_environment(RECORD, sample.WORLD, {"start_hash": ""})
