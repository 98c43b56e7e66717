"""Figures on wording and structure."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from publishing.diversity import bleu, distinct, effective_number, self_bleu
from publishing.shapes import plan_shape
from schemas.base import Json

WORDS = st.lists(st.sampled_from("a b c d e".split()), max_size=12).map(tuple)


def test_distinct_counts_different_trigrams() -> None:
    assert distinct([tuple("abc"), tuple("abc")]) == 0.5
    assert distinct([tuple("abcd"), tuple("bcde")]) == 3 / 4
    assert distinct([("a", "b")]) == 0.0


def test_bleu_of_a_copy_is_one_and_of_nothing_in_common_small() -> None:
    text = tuple("the cat sat on the mat".split())
    assert bleu(text, [text]) == pytest.approx(1.0)
    assert bleu(text, [tuple("x y z w v u".split())]) < 0.15
    assert bleu((), [text]) == bleu(text, []) == 0.0


def test_bleu_follows_the_formula() -> None:
    # 4 of 5 words, 2 of 4 pairs, 1 of 3 triples, no run of four (half a match of 2); as long as the reference.
    score = bleu(tuple("a b c x d".split()), [tuple("a b c d e".split())])
    assert score == pytest.approx((4 / 5 * 2 / 4 * 1 / 3 * 0.5 / 2) ** 0.25)


def test_a_short_text_pays_the_brevity_penalty() -> None:
    assert bleu(tuple("abcd"), [tuple("abcdefgh")]) == pytest.approx(math.exp(1 - 8 / 4))


@given(WORDS, st.lists(WORDS, max_size=4))
def test_bleu_lies_between_nothing_and_one(text: tuple[str, ...], references: list[tuple[str, ...]]) -> None:
    assert 0.0 <= bleu(text, references) <= 1.0 + 1e-9


def test_self_bleu_tells_copies_from_different_texts() -> None:
    different = [tuple(f"w{at}x{n}" for n in range(8)) for at in range(30)]
    assert self_bleu([different[0]] * 30) == pytest.approx(1.0)
    assert self_bleu(different) < 0.2
    assert self_bleu(different) == self_bleu(list(different))
    assert self_bleu(different[:1]) == 0.0


def test_effective_number_of_kinds() -> None:
    assert effective_number([5, 5, 5, 5]) == pytest.approx(4.0)
    assert effective_number([9]) == pytest.approx(1.0)
    assert 1.0 < effective_number([99, 1]) < 1.2
    assert effective_number([]) == 0.0


def _plan(pages: int, threshold: int, key: str = "price") -> dict[str, Json]:
    calls: list[Json] = [
        {"step": "call", "side": "assistant", "tool": "list", "arguments": {"page": n}, "origins": {"page": 0}}
        for n in range(pages)
    ]
    add: Json = {
        "step": "call",
        "side": "assistant",
        "tool": "add",
        "arguments": {"id": "p"},
        "origins": {"id": pages + 3},
    }
    results: list[Json] = [{"kind": "result", "step": n, "path": ["items"]} for n in range(pages)]
    test: Json = {
        "op": "test",
        "fn": "lt",
        "left": {"op": "col", "name": key},
        "right": {"op": "const", "value": threshold},
    }
    nodes: list[Json] = [
        {"kind": "policy", "name": "first", "value": 1},
        *results,
        {"kind": "joined", "inputs": list(range(1, pages + 1))},
        {"kind": "filtered", "over": pages + 1, "where": test, "order": [], "args": {}},
        {"kind": "element", "of": pages + 2, "path": [0, "id"]},
    ]
    return {"steps": [*calls, add], "nodes": nodes, "decisions": []}


def test_the_shape_of_a_plan_forgets_repetition_and_values_and_keeps_derivations() -> None:
    assert plan_shape(_plan(2, 10)) == plan_shape(_plan(5, 99))
    assert plan_shape(_plan(2, 10)) != plan_shape(_plan(2, 10, key="weight"))
