"""Results kept by identity."""

from __future__ import annotations

from services.runtime.identity import by_identity


def test_a_result_is_computed_once_per_object_and_never_given_for_another() -> None:
    computed: list[list[int]] = []

    def total(part: list[int]) -> int:
        computed.append(part)
        return sum(part)

    kept = by_identity(total, kept=3)
    one = [1, 2]
    assert [kept(one), kept(one), len(computed)] == [3, 3, 1]
    for number in range(1000):
        part = [number, 1]
        assert kept(part) == kept(part) == number + 1
    assert len(computed) >= 1001
    assert kept(one) == 3
