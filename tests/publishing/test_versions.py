"""Semantic versions."""

from __future__ import annotations

from itertools import pairwise

import pytest

from publishing.versions import is_version, precedence

ORDERED = """
0.0.1 0.9.0 1.0.0-alpha 1.0.0-alpha.1 1.0.0-alpha.beta 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc.1
1.0.0 1.0.1 1.2.0 1.10.0 2.0.0
""".split()


def test_versions_sort_as_the_specification_orders_them() -> None:
    assert sorted(reversed(ORDERED), key=precedence) == ORDERED
    assert all(precedence(one) < precedence(other) for one, other in pairwise(ORDERED))


def test_build_data_does_not_count() -> None:
    assert precedence("1.0.0+a") == precedence("1.0.0+b")


@pytest.mark.parametrize("text", ["1.0", "v1.0.0", "1.0.0.0", "01.0.0", "1.0.0-", "1.0.0-01", "", "1.0.0\n", "one"])
def test_other_texts_are_no_versions(text: str) -> None:
    assert not is_version(text)
    with pytest.raises(ValueError, match="semantic version"):
        precedence(text)
