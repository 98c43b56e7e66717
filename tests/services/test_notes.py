"""Notes: what is listed of them, how they are written and deleted, and the permission they stand behind."""

from __future__ import annotations

from tests.services import sample
from tests.services.sample import done, refused

OPEN = sample.permissions(user_notes=True)
NOTES: list[sample.Row] = [
    {"id": "note_c", "time": "2025-05-31T23:59:59", "text": "last of May"},
    {"id": "note_a", "time": "2025-06-01T00:00:00", "text": "start of June"},
    {"id": "note_b", "time": "2025-05-01T00:00:00", "text": "start of May"},
]


def test_a_range_holds_both_of_its_days_oldest_first() -> None:
    env = sample.environment(permissions=OPEN, notes=NOTES)
    listed = done(env, "list_notes", start_date="2025-05-01", end_date="2025-05-31")
    assert listed == {
        "notes": [
            {"note_id": "note_b", "time": "2025-05-01T00:00:00", "text": "start of May"},
            {"note_id": "note_c", "time": "2025-05-31T23:59:59", "text": "last of May"},
        ]
    }


def test_a_new_note_is_dated_now_and_found_again() -> None:
    env = sample.environment(permissions=OPEN)
    made = done(env, "add_note", note="Oats run low")
    assert (made["time"], made["text"]) == ("2025-06-10T12:00:01", "Oats run low")
    assert done(env, "list_notes", start_date="2025-06-10", end_date="2025-06-10")["notes"] == [made]


def test_a_note_is_deleted_only_with_a_yes_to_it() -> None:
    env = sample.environment(permissions=OPEN, notes=NOTES)
    assert refused(env, "delete_note", note_id="note_a") == "CONFIRMATION_REQUIRED"
    env.confirm("delete_note", {"note_id": "note_a"})
    assert refused(env, "delete_note", note_id="note_b") == "CONFIRMATION_REQUIRED"
    assert done(env, "delete_note", note_id="note_a") == {"deleted": "note_a"}
    assert [note["id"] for note in NOTES if str(note["id"]) in str(env.state())] == ["note_c", "note_b"]


def test_without_permission_not_even_the_existence_of_a_note_is_told() -> None:
    env = sample.environment(permissions=sample.permissions(), notes=NOTES)
    for key in ("note_a", "note_none"):
        env.confirm("delete_note", {"note_id": key})
        assert refused(env, "delete_note", note_id=key) == "PERMISSION_DENIED"
    assert "NOTES" in env.closed_gates()
    done(env, "set_user_notes_permission", "user", allow=True)
    assert "NOTES" not in env.closed_gates()
