"""PAUSE's formulas against values worked out by hand, with the holes that its reference has."""

from __future__ import annotations

import pytest

from validators.scoring.pause_compat import (
    Call,
    Counts,
    Overlap,
    Step,
    counts,
    error_counts,
    overlap,
    state_check,
    target_achievement,
    task_completion,
)


def calls(*written: str) -> list[Call]:
    """Calls written as `tool {arguments}`."""
    return [Call(*one.split(" ", 1)) for one in written]


A, B, C, D = "a {}", 'b {"x": 1}', 'c {"x": 1, "y": 2}', "d {}"
OVERLAPS: dict[str, tuple[list[str], list[str], Overlap]] = {
    # O = 2, |C| = 2, |R| = 2; max sum = 2.
    "equal": ([A, B], [A, B], Overlap(2, 1.0, 1.0, 1.0, 1.0)),
    # Order does not count.
    "other order": ([A, B], [B, A], Overlap(2, 1.0, 1.0, 1.0, 1.0)),
    # O = 2, P = 2/3, R = 2/4, F1 = 2 * (2/3 * 1/2) / (2/3 + 1/2) = (2/3) / (7/6) = 4/7; union = 4 + 3 - 2 = 5.
    "some": ([A, B, C, D], [A, B, "e {}"], Overlap(2, 2 / 3, 1 / 2, 4 / 7, 2 / 5)),
    # Multisets: gold a a b, made a a a: O = min(2, 3) = 2; P = 2/3, R = 2/3; max: a 3 + b 1 = 4.
    "repeated": ([A, A, B], [A, A, A], Overlap(2, 2 / 3, 2 / 3, 2 / 3, 1 / 2)),
    # O = 1, P = 1/1, R = 1/3, F1 = 2 * 1/3 / (4/3) = 1/2, max sum = 3.
    "one of three": ([A, B, C], [B], Overlap(1, 1.0, 1 / 3, 1 / 2, 1 / 3)),
    # O = 0: every ratio is 0, and F1 has an empty denominator.
    "nothing shared": ([A], [D], Overlap(0, 0.0, 0.0, 0.0, 0.0)),
    # Both empty: all 1 by rule.
    "both empty": ([], [], Overlap(0, 1.0, 1.0, 1.0, 1.0)),
    # |C| = 0: P is 0 by rule, R = 0/1.
    "nothing made": ([A], [], Overlap(0, 0.0, 0.0, 0.0, 0.0)),
    # |R| = 0: R is 0 by rule, P = 0/1.
    "no gold": ([], [A], Overlap(0, 0.0, 0.0, 0.0, 0.0)),
    # Keys are sorted before they are compared, white space goes.
    "keys sorted": ([C], ['c { "y":2,"x":1 }'], Overlap(1, 1.0, 1.0, 1.0, 1.0)),
    # Hole: 5 and 5.0 are two arguments, though one number.
    "5 is not 5.0": (['t {"n": 5}'], ['t {"n": 5.0}'], Overlap(0, 0.0, 0.0, 0.0, 0.0)),
    # Hole: free text must be the same letter by letter.
    "free text": (['n {"note": "Walk more"}'], ['n {"note": "walk more"}'], Overlap(0, 0.0, 0.0, 0.0, 0.0)),
    # Hole: an argument left out that has this default is another call.
    "default left out": (['o {"voucher_id": null}'], ["o {}"], Overlap(0, 0.0, 0.0, 0.0, 0.0)),
    # Lists keep their order: O = 0.
    "list order": (['p {"days": ["Mon", "Tue"]}'], ['p {"days": ["Tue", "Mon"]}'], Overlap(0, 0.0, 0.0, 0.0, 0.0)),
    # No JSON: equals no call of the gold. P = 1/2, R = 1/1, F1 = 1 / (3/2) = 2/3, max sum = 2.
    "malformed": ([A], [A, "a {"], Overlap(1, 1 / 2, 1.0, 2 / 3, 1 / 2)),
}


@pytest.mark.parametrize("case", OVERLAPS)
def test_overlap(case: str) -> None:
    gold, made, expected = OVERLAPS[case]
    assert overlap(calls(*gold), calls(*made)) == pytest.approx(expected)


COMPLETIONS: dict[str, tuple[list[list[bool]], float, float]] = {
    # TC = 1/1, TA = 3/3.
    "all": ([[True, True, True]], 1.0, 1.0),
    # TC = 1/3; TA = (1 + 1/2 + 0) / 3 = 1/2. The mean is over tasks: pooled targets would give 3/5.
    "mean over tasks": ([[True, True], [True, False], [False]], 1 / 3, 1 / 2),
    # TC = 0/2; TA = (3/4 + 1/4) / 2 = 1/2.
    "none whole": ([[True, True, True, False], [True, False, False, False]], 0.0, 1 / 2),
    # TC = 2/4; TA = (1 + 1 + 2/3 + 0) / 4 = 2/3.
    "four": ([[True], [True, True], [True, False, True], [False, False]], 1 / 2, 2 / 3),
}


@pytest.mark.parametrize("case", COMPLETIONS)
def test_completion_and_achievement(case: str) -> None:
    targets, completion, achievement = COMPLETIONS[case]
    assert task_completion(targets) == pytest.approx(completion)
    assert target_achievement(targets) == pytest.approx(achievement)


@pytest.mark.parametrize("targets", [[], [[]], [[True], []]])
def test_nothing_is_completed_where_nothing_is_asked(targets: list[list[bool]]) -> None:
    with pytest.raises(ValueError, match="task"):
        task_completion(targets)
    with pytest.raises(ValueError, match="task"):
        target_achievement(targets)


def test_the_state_check_is_true_whatever_happened() -> None:
    gold = {"assistant_traj": [{"role": "assistant"}], "terminated": True, "shopping_state": {"wallet": {"balance": 1}}}
    assert state_check(gold, gold)
    assert state_check(gold, {"terminated": False, "shopping_state": {"wallet": {"balance": 99}}})
    assert state_check(gold, {})


HELLO, ASKS, TELLS = Step("assistant", "Hello!"), Step("assistant", "May I?"), Step("assistant", "Done.")
COUNTS: dict[str, tuple[list[Step], bool, Counts]] = {
    # Three texts without calls less the greeting: 2 rounds; calls 2 + 1 of the assistant, 1 of the user.
    "a conversation": (
        [
            HELLO,
            Step("user", "Buy it."),
            Step("assistant", tools=("look", "look")),
            ASKS,
            Step("user", tools=("allow",)),
            Step("user", "I have."),
            Step("assistant", tools=("buy",)),
            TELLS,
            Step("user", "Thanks."),
        ],
        True,
        Counts(2, 3, 1, {"allow": 1, "buy": 1, "look": 2}),
    ),
    # A text beside calls is no round: 1 text alone, no greeting.
    "text beside calls": (
        [Step("user", "Hi"), Step("assistant", "Let me see.", ("look",)), TELLS],
        False,
        Counts(1, 1, 0, {"look": 1}),
    ),
    # An empty text is none.
    "nothing said": ([Step("user", "Hi"), Step("assistant", "")], False, Counts(0, 0, 0, {})),
    # Only the greeting: 1 - 1 = 0.
    "greeting alone": ([HELLO], True, Counts(0, 0, 0, {})),
}


@pytest.mark.parametrize("case", COUNTS)
def test_counts(case: str) -> None:
    steps, greeted, expected = COUNTS[case]
    assert counts(steps, greeted=greeted) == expected


def test_errors_are_counted_by_model_in_five_types() -> None:
    found = error_counts([("m1", "data"), ("m2", "consent"), ("m1", "data"), ("m1", "tool_bypass"), ("m2", "other")])
    assert found == {
        "m1": {"DCE": 2, "TBE": 1, "RNE": 0, "SCE": 0, "OTHER": 0},
        "m2": {"DCE": 0, "TBE": 0, "RNE": 0, "SCE": 1, "OTHER": 1},
    }
    assert error_counts([("m", "navigation")])["m"]["RNE"] == 1
    assert error_counts([]) == {}
