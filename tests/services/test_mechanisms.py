"""The mechanisms of the runtime, each shown on the toy service."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

import pytest

from services.runtime.catalogue import build_catalogue
from services.runtime.environment import Environment, Snapshot
from tests.services import toy
from tests.services.sample import code_of

LAMP = toy.Lamp(id="lamp_1", room="attic", watts=25)


def same(env: Environment, snapshot: Snapshot, state_hash: str) -> bool:
    """Whether state and session are those of the snapshot."""
    return env.snapshot() == snapshot and env.state_hash() == state_hash and env.diff(snapshot) == {}


def test_unknown_tools_are_errors() -> None:
    env = toy.environment()
    for name in ("nothing", "", None, 3, ["look"], {"name": "look"}):
        assert code_of(env.call(name)) == "UNKNOWN_TOOL"  # type: ignore[arg-type]


def test_each_side_has_its_tools() -> None:
    env = toy.environment()
    assert code_of(env.call("flip", {"on": False})) == "WRONG_SIDE"
    assert code_of(env.call("look", {}, "user")) == "WRONG_SIDE"
    assert env.call("flip", {"on": False}, "user") == {"on": False}
    assert [entry["function"]["name"] for entry in env.tools("user")] == ["flip"]  # type: ignore[index, call-overload]


def test_the_order_of_the_conditions() -> None:
    # Side, feature, arguments, confirmation, gate: each is told only when the ones before it hold.
    env = toy.environment(False)
    assert code_of(env.call("flip", {"bad": 1})) == "WRONG_SIDE"
    assert code_of(env.call("peek", {"bad": 1})) == "TOOL_NOT_AVAILABLE"
    assert code_of(env.call("tear_down", {"bad": 1})) == "INVALID_ARGUMENTS"
    assert code_of(env.call("hang", {"room": "hall", "watts": 0})) == "INVALID_ARGUMENTS"
    assert code_of(env.call("hang", {"room": "hall", "watts": 200})) == "NO_POWER"


def test_a_gate_tells_its_details_also_for_arguments_not_given() -> None:
    env = toy.environment(False, LAMP)
    error = env.call("hang", {"room": "hall"})["error"]
    assert error == {"code": "NO_POWER", "message": "There is no power.", "gate": "POWER", "watts": 40, "lamps": 1}
    assert "error" not in env.call("flip", {"on": True}, "user")
    assert "error" not in env.call("hang", {"room": "hall"})


def test_what_a_gate_read_is_in_the_footprint() -> None:
    env = toy.environment(False)
    env.call("hang", {"room": "hall"})
    assert env.footprint.reads == {("switch", "switch"), ("lamps", "*")}
    assert env.footprint.writes == frozenset()
    env.call("look")
    assert env.footprint.reads == {("switch", "switch"), ("lamps", "*")}


def test_a_refusal_after_writes_rolls_everything_back() -> None:
    env = toy.environment(True, LAMP)
    before, state_hash, overlay = env.snapshot(), env.state_hash(), env.state_.overlay
    result = env.call("hang", {"room": "hall", "watts": 101})
    assert result == {"error": {"code": "TOO_BRIGHT", "message": "101 watts are too much.", "most": 100}}
    assert same(env, before, state_hash)
    assert env.state_.overlay is overlay  # by reference, not by undoing


def test_a_defect_after_writes_rolls_everything_back_and_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    env = toy.environment()
    env.call("hang", {"room": "hall"})
    before, state_hash, overlay = env.snapshot(), env.state_hash(), env.state_.overlay
    with caplog.at_level(logging.ERROR):
        result = env.call("short_circuit")
    assert code_of(result) == "INTERNAL_ERROR"
    assert "fuse" in caplog.text and "short_circuit" in caplog.text
    assert same(env, before, state_hash)
    assert env.state_.overlay is overlay
    assert code_of(env.call("peek")) == "TOOL_NOT_AVAILABLE"


def test_a_read_that_writes_is_a_defect(caplog: pytest.LogCaptureFixture) -> None:
    env = toy.environment()
    before, state_hash = env.snapshot(), env.state_hash()
    with caplog.at_level(logging.ERROR):
        assert code_of(env.call("meddle")) == "INTERNAL_ERROR"
    assert "declared as a read" in caplog.text
    assert same(env, before, state_hash)


def test_an_interruption_leaves_the_state_as_it_was() -> None:
    env = toy.environment()
    before, state_hash = env.snapshot(), env.state_hash()
    with pytest.raises(KeyboardInterrupt):
        env.call("interrupted")
    assert same(env, before, state_hash)


def test_a_kept_result_is_not_used_where_something_it_read_has_changed() -> None:
    env = toy.environment(True, LAMP)
    start = env.snapshot()
    first, footprint = env.call("look"), env.footprint
    assert env.call("look") == first and env.footprint == footprint
    env.call("flip", {"on": False}, "user")
    assert env.call("look") == {**first, "on": False}
    lamp = env.call("hang", {"room": "hall"})
    assert lamp["error"]
    env.restore(start)
    assert env.call("look") == first
    lamp = env.call("hang", {"room": "hall"})["lamp"]
    assert env.call("look")["lamps"] == ["lamp_1", lamp]
    # A base with other records does not inherit what was kept of this one.
    changed = env.state_.base.with_changes([("lamps", "lamp_1", None)])
    assert Environment(changed, env.catalogue, now=env.now, seed="x").call("look") == {"lamps": [], "on": True}


def test_a_result_kept_of_other_tables_is_inherited() -> None:
    env = toy.environment(True, LAMP)
    env.call("look")
    assert env.state_.base.with_changes([("wires", "wire_lamp_1", None)]).kept == env.state_.base.kept
    assert len(env.state_.base.kept) == 1


def test_what_was_read_of_other_tables_is_kept_for_all_bases_that_are_made_of_one() -> None:
    env = toy.environment(True, LAMP)
    origin = env.state_.base
    wired = Environment(origin.with_changes([("wires", "wire_lamp_1", None)]), env.catalogue, now=env.now, seed="x")
    dark = Environment(origin.with_changes([("lamps", "lamp_1", None)]), env.catalogue, now=env.now, seed="x")
    assert dark.call("look")["lamps"] == [] and not origin.kept
    assert wired.call("look")["lamps"] == ["lamp_1"]
    assert origin.kept == wired.state_.base.kept and len(origin.kept) == 1
    assert dark.call("look")["lamps"] == [] and env.call("look")["lamps"] == ["lamp_1"]


def test_reads_of_records_are_kept_apart_from_reads_of_tables() -> None:
    env = toy.environment(True, LAMP)
    assert env.call("count", {"ids": ["lamp_1", "none"]}) == {"found": 1}
    lamp = env.call("hang", {"room": "hall"})["lamp"]
    assert env.call("count", {"ids": ["lamp_1", "none"]}) == {"found": 1}
    assert env.call("count", {"ids": ["lamp_1", lamp]}) == {"found": 2}
    env.confirm("tear_down", {})
    env.call("tear_down", {})
    assert env.call("count", {"ids": ["lamp_1", "none"]}) == {"found": 0}
    assert env.footprint.reads == {("lamps", "lamp_1"), ("lamps", "none")}


def test_a_caller_cannot_change_what_is_kept() -> None:
    env = toy.environment(True, LAMP)
    for _ in range(3):
        result: Any = env.call("look")
        assert result == {"lamps": ["lamp_1"], "on": True}
        result["lamps"].clear()


def test_hidden_tables_stand_apart() -> None:
    env = toy.environment(True, LAMP)
    state: Any = env.state()
    assert set(state) == {"switch", "lamps", "hidden"}
    assert state["hidden"] == {"wires": {"wire_lamp_1": {"id": "wire_lamp_1", "lamp": "lamp_1"}}}
    assert state["lamps"] == {"lamp_1": {"id": "lamp_1", "room": "attic", "watts": 25, "lit_at": None}}


def test_discovery_unlocks_a_tool_for_the_session() -> None:
    env = toy.environment()
    start = env.snapshot()
    names = {entry["function"]["name"] for entry in env.tools()}  # type: ignore[index, call-overload]
    assert "peek" not in names and "open_box" in names
    error = env.call("peek")["error"]
    assert isinstance(error, dict) and (error["code"], error["feature"]) == ("TOOL_NOT_AVAILABLE", "box")
    env.call("open_box")
    assert env.call("peek") == {"inside": "a fuse"}
    assert "peek" in {entry["function"]["name"] for entry in env.tools()}  # type: ignore[index, call-overload]
    assert env.diff(start) == {} and env.delta() == {}
    env.restore(start)
    assert code_of(env.call("peek")) == "TOOL_NOT_AVAILABLE"
    env.call("open_box")  # again, although its result is known
    assert env.call("peek") == {"inside": "a fuse"}


def test_a_confirmation_is_good_for_one_call_with_these_arguments() -> None:
    env = toy.environment(True, LAMP)
    assert code_of(env.call("tear_down", {"rooms": 2})) == "CONFIRMATION_REQUIRED"
    env.confirm("tear_down", {"rooms": 2})
    assert code_of(env.call("tear_down", {"rooms": 3})) == "CONFIRMATION_REQUIRED"
    assert code_of(env.call("tear_down")) == "CONFIRMATION_REQUIRED"
    assert env.call("tear_down", {"rooms": 2.0}) == {"gone": 1}  # 2.0 is 2
    assert code_of(env.call("tear_down", {"rooms": 2})) == "CONFIRMATION_REQUIRED"


def test_each_confirmation_is_used_up_alone_and_with_the_snapshot() -> None:
    env = toy.environment(True, LAMP)
    env.confirm("tear_down", {})
    env.confirm("tear_down", {})
    both = env.snapshot()
    assert env.call("tear_down", {}) == {"gone": 1}
    assert env.call("tear_down", {}) == {"gone": 0}
    assert code_of(env.call("tear_down", {})) == "CONFIRMATION_REQUIRED"
    env.restore(both)
    assert env.call("tear_down", {}) == {"gone": 1}


def test_a_refused_call_keeps_its_confirmation() -> None:
    env = toy.environment(True, LAMP)
    env.confirm("tear_down", {"rooms": 1})
    assert code_of(env.call("tear_down", {"rooms": 1}, "user")) == "WRONG_SIDE"
    assert env.call("tear_down", {"rooms": 1}) == {"gone": 1}


def test_what_is_no_json_cannot_be_confirmed() -> None:
    # NaN would otherwise be written as null and confirm another call.
    with pytest.raises(ValueError, match="not finite"):
        toy.environment().confirm("tear_down", {"rooms": float("nan")})


def test_ids_derive_from_seed_table_and_ordinal_of_successful_creates() -> None:
    first, second = toy.environment(), toy.environment()
    assert "error" in second.call("hang", {"room": "hall", "watts": 500})
    made = [first.call("hang", {"room": room})["lamp"] for room in ("hall", "attic")]
    assert [second.call("hang", {"room": room})["lamp"] for room in ("den", "hall")] == made
    assert len(set(made)) == 2 and all(str(lamp).startswith("lamp_") for lamp in made)
    other = toy.environment()
    other.seed = "another"
    assert other.call("hang", {"room": "hall"})["lamp"] != made[0]


def test_ids_follow_the_snapshot() -> None:
    env = toy.environment()
    start = env.snapshot()
    lamp = env.call("hang", {"room": "hall"})["lamp"]
    env.restore(start)
    assert env.call("hang", {"room": "den"})["lamp"] == lamp


def test_the_nth_write_is_stamped_n_seconds_after_now() -> None:
    env = toy.environment()
    assert env.call("hang", {"room": "hall"})["at"] == "2025-03-01T08:00:01"
    env.call("look")
    assert "error" in env.call("hang", {"room": "hall", "watts": 500})
    env.call("flip", {"on": True}, "user")
    assert env.call("hang", {"room": "hall"})["at"] == "2025-03-01T08:00:03"
    assert env.now == "2025-03-01T08:00:00"


def test_creating_and_deleting_leaves_no_difference_but_the_ordinal() -> None:
    env = toy.environment()
    before = env.state_hash()
    first = env.call("hang", {"room": "hall"})["lamp"]
    env.confirm("tear_down", {})
    env.call("tear_down", {})
    assert set(env.delta()) == {"wires"}
    assert env.call("hang", {"room": "hall"})["lamp"] != first
    assert env.state_hash() != before


@pytest.mark.parametrize(
    "now",
    [
        "2025-03-01",
        "2025-03-01 08:00:00",
        "2025-03-01T08:00:00+00:00",
        "2025-03-01T08:00:00.500000",
        "2025-02-30T08:00:00",
    ],
)
def test_now_is_a_local_time_to_the_second(now: str) -> None:
    env = toy.environment()
    with pytest.raises(ValueError, match=r"now is|day is out of range"):
        Environment(env.state_.base, env.catalogue, now=now, seed="x")


def test_standing_gates_are_reported_while_they_are_closed() -> None:
    standing = build_catalogue([replace(toy.SERVICE, gates=(toy.power_gate(standing=True),))])
    for on, closed in ((False, ["POWER"]), (True, [])):
        base = toy.environment(on).state_.base
        assert Environment(base, standing, now="2025-03-01T08:00:00", seed="x").closed_gates() == closed
    assert toy.environment(False).closed_gates() == []  # declared as depending on arguments
