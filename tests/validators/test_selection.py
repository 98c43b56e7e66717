"""Selection: order, duplicates, quota, and that a round can be filled in parts."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import given
from hypothesis import strategies as st

from schemas.base import Json
from validators.selection import Candidate, Reject, Selection, duplicate_keys, select_round

KEYS = st.sets(st.sampled_from("abcdefghijklmnop"), min_size=1, max_size=2)
ROUNDS = st.lists(st.tuples(KEYS, st.booleans()), max_size=30)


def candidates(drawn: list[tuple[set[str], bool]]) -> list[Candidate]:
    return [
        Candidate(number, tuple(sorted(keys)), "" if good else "task.x", "" if good else "bad")
        for number, (keys, good) in enumerate(drawn)
    ]


def select(drawn: list[tuple[set[str], bool]], want: range, taken: set[str] | None = None) -> Selection:
    return select_round(candidates(drawn), taken or set(), want)


def test_the_first_good_ones_are_kept_in_order() -> None:
    drawn = [({str(n)}, n not in (1, 3)) for n in range(13)]
    selection = select(drawn, range(10))
    assert selection.kept == list(enumerate([0, 2, 4, 5, 6, 7, 8, 9, 10, 11]))
    assert [(r.number, r.check) for r in selection.rejected] == [(1, "task.x"), (3, "task.x"), (12, "selection.quota")]
    assert selection.filled == 10


def test_the_later_one_of_two_duplicates_goes() -> None:
    drawn = [({"a", "b"}, True), ({"b", "c"}, True), ({"c"}, True)]
    selection = select(drawn, range(10))
    assert selection.kept == [(0, 0), (1, 2)]
    assert [(r.number, r.check) for r in selection.rejected] == [(1, "selection.duplicate")]


def test_a_rejected_candidate_makes_no_duplicate() -> None:
    assert select([({"a"}, False), ({"a"}, True)], range(10)).kept == [(0, 1)]


def test_earlier_tasks_of_the_user_count() -> None:
    selection = select([({"a"}, True), ({"b"}, True)], range(10), {"a"})
    assert selection.kept == [(0, 1)]
    assert selection.keys == {"a", "b"}


def test_a_twin_or_variation_is_kept_only_with_the_task_it_comes_from() -> None:
    drawn = [Candidate(0, ("a",)), Candidate(1, ("b",), of=0), Candidate(2, ("c",), "task.x", "bad")]
    selection = select_round([*drawn, Candidate(3, ("d",), of=2), Candidate(4, ("e",))], set(), range(10))
    assert selection.order == [0, 1, 4]
    assert [(r.number, r.check) for r in selection.rejected] == [(2, "task.x"), (3, "selection.kin")]


def test_what_reads_like_another_task_is_not_kept_and_the_reason_names_that_task() -> None:
    def near(number: int, order: Sequence[int]) -> str:
        assert list(order) == [n for n in range(number) if n not in (1, 2)][:10]
        return {1: "u000000-t00003", 2: "u000001-t00000"}.get(number, "")

    selection = select_round(candidates([({str(n)}, True) for n in range(13)]), set(), range(1, 10), near=near)
    assert selection.order == [0, *range(3, 12)]
    assert selection.kept == list(enumerate(range(3, 12), 1))
    named = [(1, "u000000-t00003"), (2, "u000001-t00000")]
    assert selection.rejected == [
        *(Reject(number, "selection.near_duplicate", reason) for number, reason in named),
        Reject(12, "selection.quota", "the round was full"),
    ]


def test_only_what_would_be_kept_is_compared_with_other_tasks() -> None:
    def near(number: int, order: Sequence[int]) -> str:
        raise AssertionError(f"{number} is compared")

    drawn = [Candidate(0, ("a",), "task.x", "bad"), Candidate(1, ("b",)), Candidate(2, ("c",), of=0)]
    selection = select_round(drawn, {"b"}, range(10), near=near)
    assert [r.check for r in selection.rejected] == ["task.x", "selection.duplicate", "selection.kin"]


@given(ROUNDS, st.integers(1, 9))
def test_a_round_filled_in_two_parts_equals_one_filled_at_once(drawn: list[tuple[set[str], bool]], cut: int) -> None:
    whole, first, second = select(drawn, range(10)), select(drawn, range(cut)), select(drawn, range(cut, 10))
    assert first.kept + second.kept == whole.kept
    assert sorted(first.rejected + second.rejected, key=lambda r: r.number) == whole.rejected
    assert first.keys == second.keys == whole.keys


@given(ROUNDS, ROUNDS)
def test_further_candidates_change_nothing_that_was_kept(
    drawn: list[tuple[set[str], bool]], further: list[tuple[set[str], bool]]
) -> None:
    before, after = select(drawn, range(10)), select(drawn + further, range(10))
    assert after.kept[: len(before.kept)] == before.kept


@given(ROUNDS)
def test_every_candidate_is_decided_once_and_no_keys_are_shared(drawn: list[tuple[set[str], bool]]) -> None:
    selection = select(drawn, range(10))
    decided = [number for _, number in selection.kept] + [reject.number for reject in selection.rejected]
    assert sorted(decided) == list(range(len(drawn)))
    kept = [drawn[number][0] for _, number in selection.kept]
    assert sum(map(len, kept)) == len(set().union(*kept))


def task(
    instruction: str = "Buy tea.", value: Json = 3, alternatives: Json = None, start: str = "0a"
) -> dict[str, Json]:
    slot: dict[str, Json] = {"name": "quantity", "value": value, "alternatives": alternatives or []}
    use: Json = {"intent": "buy", "form": "fulfil", "slots": [slot]}
    return {"instruction": instruction, "intents": [use], "goals": {"nodes": []}, "start_hash": start, "kin": None}


def test_wording_apart_from_words_makes_no_difference() -> None:
    text, goal = duplicate_keys(task("Buy  TEA, please!"))
    assert duplicate_keys(task("buy tea please", value=4)) == (text, duplicate_keys(task(value=4))[1])
    assert duplicate_keys(task("buy coffee please"))[0] != text
    assert duplicate_keys(task("buy coffee please"))[1] == goal


def test_kin_share_with_the_task_that_they_come_from_just_what_makes_them_kin() -> None:
    text, goal = duplicate_keys(task())
    assert duplicate_keys({**task(), "kin": {"kind": "twin", "of": "t"}}) == (goal,)
    assert duplicate_keys({**task(), "kin": {"kind": "variation", "of": "t"}}) == (text,)


def test_values_and_start_make_a_difference_and_alternatives_do_not() -> None:
    goal = duplicate_keys(task())[1]
    assert duplicate_keys(task(value=4))[1] != goal
    assert duplicate_keys(task(start="0b"))[1] != goal
    assert duplicate_keys(task(alternatives=[9]))[1] == goal
