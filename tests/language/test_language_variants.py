"""The leak scan finds a value in every form, and nothing that only resembles it."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given
from hypothesis import strategies as st

from language.matching import writings
from language.spans import Kind
from language.variants import folded, leak, variants


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("money_cents", 1250, "costs $12.50."),
        ("money_cents", 1250, "costs 12,50 now"),
        ("money_cents", 1250, "costs 12.5"),
        ("money_cents", 1250, "price_cents=1250"),
        ("money_cents", 1250, "TWELVE DOLLARS AND FIFTY CENTS"),
        ("count", 1234, "1.234 steps"),
        ("count", 1234, "one thousand two hundred and thirty four"),
        ("date", "2025-05-03", "on 03.05.2025"),
        ("date", "2025-05-03", "on May 3"),
        ("period", ("2025-05-01", "2025-05-31"), "2025-05-01/2025-05-31"),
        ("name", "Cocoa Oat Bar", "cocoa-oat  bar"),
        ("name", "Cocoa Oat Bar", "COCOAOATBAR"),
        ("name", "Crème Bar", "creme bar"),
        ("term", "p_0042x", "see p-0042X!"),
    ],
)
def test_found(kind: Kind, value: object, text: str) -> None:
    assert leak(text, kind, value) is not None


@pytest.mark.parametrize(
    ("kind", "value", "text"),
    [
        ("money_cents", 1250, "112.50, 12.505, 1.12.50, 12.51, 12 bars"),
        ("money_cents", 1200, "12 bars"),
        ("money_cents", 5, "5 bars"),
        ("count", 12, "112 or 12.5 or 12,000 or a12"),
        ("name", "Oat Bar", "an oat barrel and a goat bar"),
        ("name", "", "any text"),
    ],
)
def test_not_found(kind: Kind, value: object, text: str) -> None:
    assert leak(text, kind, value) is None


@given(st.text(min_size=0, max_size=9), st.text(min_size=0, max_size=9))
def test_base64_is_found_at_any_offset(before: str, after: str) -> None:
    code = base64.b64encode(f"{before}product-0042{after}".encode()).decode()
    assert leak(f"blob={code}", "name", "product-0042") is not None


@given(st.integers(0, 10**7))
def test_variants_cover_what_a_writer_writes(number: int) -> None:
    kinds: tuple[Kind, ...] = ("money_cents", "count")
    for kind in kinds:
        assert {folded(form) for form in writings(kind, number)} <= set(variants(kind, number))
        assert all(leak(f"It is {form}.", kind, number) for form in writings(kind, number))
