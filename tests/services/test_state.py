"""State against a model of plain dicts, in random order of writes, snapshots and restores."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.runtime.records import MODULUS, Record, from_data, record_hash, to_data
from services.runtime.state import Base, State, Tables, dump_tables, load_tables
from tests.effort import amount
from tests.services import sample, toy
from tests.services.toy import Lamp, Switch

KEYS = [f"lamp_{n}" for n in range(6)]
ROOMS = ["attic", "hall", "den"]
LAMPS = st.builds(lambda key, room, watts: Lamp(id=key, room=room, watts=watts), st.sampled_from(KEYS),
                  st.sampled_from(ROOMS), st.integers(1, 3))  # fmt: skip
OPS = st.lists(
    st.one_of(
        st.tuples(st.just("put"), LAMPS),
        st.tuples(st.just("delete"), st.sampled_from(KEYS)),
        st.tuples(st.just("snapshot"), st.just(0)),
        st.tuples(st.just("restore"), st.integers(0, 9)),
    ),
    max_size=25,
)
TYPES = {table.name: table.record for table in toy.TABLES}


def base_of(lamps: list[Lamp]) -> Base:
    by_id: dict[str, Record] = {lamp.id: lamp for lamp in sorted(lamps, key=lambda lamp: lamp.id)}
    return Base(Tables({"switch": {"switch": Switch(id="switch", on=True)}, "lamps": by_id, "wires": {}}, TYPES), {})


def agree(state: State, model: dict[str, Record]) -> None:
    """Compare every way of reading with the model."""
    assert {record.id: record for record in state.all("lamps")} == model
    assert list(state.scan("lamps")) == state.all("lamps")
    assert {key: state.get("lamps", key) for key in KEYS} == {key: model.get(key) for key in KEYS}
    for room in ROOMS:
        assert state.where("lamps", "room", room) == [r for r in state.all("lamps") if r.room == room]  # type: ignore[attr-defined]
    assert [row["l.id"] for row in state.rows("lamps", "l")] == [record.id for record in state.all("lamps")]
    for key in KEYS:
        row, record = state.one("lamps", key, "l"), model.get(key)
        assert (row is None) == (record is None)
        assert row is None or {f"l.{name}": value for name, value in to_data(record).items()} == row  # type: ignore[arg-type]
    whole = sum(record_hash("lamps", record) for record in model.values())
    switch = record_hash("switch", Switch(id="switch", on=True))
    assert state.hash() == f"{(whole + switch) % MODULUS:032x}"


@settings(max_examples=amount(30, 120))
@given(st.lists(LAMPS, max_size=4, unique_by=lambda lamp: lamp.id), OPS)
def test_state_follows_a_model_of_dicts(start: list[Lamp], ops: list[tuple[str, Any]]) -> None:
    base = base_of(start)
    state, model = State(base), dict(base.tables["lamps"])
    saved: list[tuple[Any, dict[str, Record]]] = [(state.snapshot(), dict(model))]
    for op, value in ops:
        if op == "put":
            state.set("lamps", value.id, value)
            model[value.id] = value
        elif op == "delete":
            state.set("lamps", value, None)
            model.pop(value, None)
        elif op == "snapshot":
            saved.append((state.snapshot(), dict(model)))
        else:
            snapshot, kept = saved[value % len(saved)]
            state.restore(snapshot)
            model = dict(kept)
    agree(state, model)
    # The base and what was saved did not change under the writes.
    assert dict(base.tables["lamps"]) == saved[0][1]
    assert base.hash == base.compute_hash()
    for snapshot, kept in saved:
        state.restore(snapshot)
        agree(state, kept)


@settings(max_examples=amount(20, 80))
@given(st.lists(LAMPS, max_size=4, unique_by=lambda lamp: lamp.id), OPS, OPS)
def test_a_difference_applied_to_its_start_gives_the_state(
    start: list[Lamp], first: list[tuple[str, Any]], second: list[tuple[str, Any]]
) -> None:
    state = State(base_of(start))
    _write(state, first)
    overlay, _ = state.snapshot()
    before = {record.id: to_data(record) for record in state.all("lamps")}
    _write(state, second)
    delta = state.delta(overlay).get("lamps", {})
    after = dict(before)
    for key, (old, new) in delta.items():
        assert old == before.get(key) and old != new
        after.pop(key, None)
        if new is not None:
            after[key] = new
    assert after == {record.id: to_data(record) for record in state.all("lamps")}
    # The difference to the base, applied to the base, is the same state again.
    changes = [
        (table, key, None if new is None else from_data(TYPES[table], new))
        for table, rows in state.delta().items()
        for key, (_, new) in rows.items()
    ]
    rebuilt = State(state.base.with_changes(changes))
    assert rebuilt.hash() == state.hash() and rebuilt.base.hash == rebuilt.base.compute_hash()
    assert dump_tables(rebuilt) == dump_tables(state)


def _write(state: State, ops: list[tuple[str, Any]]) -> None:
    for op, value in ops:
        if op == "put":
            state.set("lamps", value.id, value)
        elif op == "delete":
            state.set("lamps", value, None)


@given(st.lists(LAMPS, max_size=5, unique_by=lambda lamp: lamp.id), st.lists(LAMPS, max_size=3))
def test_an_index_of_a_changed_base_is_that_of_its_records(start: list[Lamp], changes: list[Lamp]) -> None:
    base = base_of(start)
    base.tables["lamps"].index("room")
    base.rows("lamps", "l")
    changed = base.with_changes([("lamps", lamp.id, lamp) for lamp in changes])
    for room in ROOMS:
        found = State(changed).where("lamps", "room", room)
        assert found == [r for r in changed.tables["lamps"].values() if r.room == room]  # type: ignore[attr-defined]
    assert [row["l.id"] for row in changed.rows("lamps", "l")] == list(changed.tables["lamps"])
    assert changed.rows("switch", "s") is base.rows("switch", "s")


def test_a_record_set_back_leaves_no_trace() -> None:
    state = State(base_of([Lamp(id="lamp_0", room="hall", watts=1)]))
    state.set("lamps", "lamp_0", Lamp(id="lamp_0", room="hall", watts=2))
    assert state.touched["lamps"] == 1
    state.set("lamps", "lamp_0", Lamp(id="lamp_0", room="hall", watts=1))
    state.set("lamps", "new", Lamp(id="new", room="hall", watts=1))
    state.set("lamps", "new", None)
    assert state.overlay == {} and state.touched["lamps"] == 0
    assert state.delta() == {} and state.hash() == f"{state.base.hash:032x}"


def test_created_records_come_after_the_base_in_order_of_creation() -> None:
    state = State(base_of([Lamp(id="lamp_5", room="hall", watts=1)]))
    for key in ("z", "a"):
        state.set("lamps", key, Lamp(id=key, room="hall", watts=1))
    assert [record.id for record in state.all("lamps")] == ["lamp_5", "z", "a"]
    assert [record.id for record in state.where("lamps", "room", "hall")] == ["lamp_5", "z", "a"]


def test_the_world_is_read_through_the_state_and_cannot_be_written() -> None:
    env = sample.environment()
    state = env.state_
    assert len(state.all("products")) == 17
    brand = sample.BRANDS[0]
    assert [p.id for p in state.where("products", "brand", brand)] == [sample.product_id(n) for n in range(3, 18, 3)]
    assert state.columns("products")[:3] == ("id", "name", "brand")
    with pytest.raises(KeyError):
        state.set("products", sample.product_id(1), None)


@pytest.mark.parametrize("read", ["all", "columns"])
def test_an_unknown_table_is_an_error(read: str) -> None:
    with pytest.raises(KeyError, match="nowhere"):
        getattr(sample.environment().state_, read)("nowhere")
    with pytest.raises(KeyError, match="nowhere"):
        sample.environment().state_.get("nowhere", "x")


def test_rows_of_the_world_are_made_once_for_all_users() -> None:
    first, second = sample.environment(), sample.environment(wallet=sample.wallet(5))
    assert first.state_.rows("products", "p") is second.state_.rows("products", "p")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"lamps": [{"id": "a", "room": "hall", "watts": "x"}]}, r"table 'lamps'.*int.*\.watts"),
        ({"lamps": [{"id": "a", "room": "hall", "watts": 1.5}]}, r"table 'lamps'.*\.watts"),
        ({"lamps": [{"id": "a", "room": "hall", "watts": True}]}, r"table 'lamps'.*\.watts"),
        ({"lamps": [{"id": "a", "room": "hall"}]}, r"table 'lamps'.*watts"),
        ({"lamps": [{"id": "a", "room": "hall", "watts": 1, "x": 1}]}, r"table 'lamps'.*unknown field.*x"),
        ({"lamps": [{"id": "a", "room": "hall", "watts": 1}] * 2}, "table 'lamps' holds id 'a' twice"),
        ({"lamp": []}, "unknown table 'lamp'; known: lamps, switch, wires"),
    ],
)
def test_records_that_do_not_fit_are_named(rows: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        load_tables(rows, toy.catalogue().tables)


def test_loaded_tables_are_all_there_in_order_of_ids() -> None:
    rows: list[dict[str, Any]] = [{"id": key, "room": "hall", "watts": 1} for key in ("b", "a")]
    loaded = load_tables({"lamps": rows}, toy.catalogue().tables)
    assert {name: list(records) for name, records in loaded.items()} == {"switch": [], "lamps": ["a", "b"], "wires": []}
    assert loaded["wires"].columns() == ("id", "lamp")


@pytest.mark.parametrize("kind", [*TYPES.values()], ids=lambda kind: kind.__name__)
def test_records_survive_the_way_to_data_and_back(kind: type[Record]) -> None:
    for record in toy.environment(True, Lamp(id="a", room="hall", watts=3)).state_.base.tables["lamps"].values():
        assert from_data(type(record), to_data(record)) == record
    assert kind.__struct_config__.frozen
