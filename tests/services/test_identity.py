"""Results kept by identity."""

from __future__ import annotations

from schemas import goal as g
from services.runtime.identity import by_identity, shared


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


def test_equal_arguments_give_one_model_and_nearly_equal_ones_do_not() -> None:
    made: list[object] = []

    def constant(value: object, scale: int = 1) -> g.Const:
        made.append(value)
        return g.Const.model_validate({"value": value})

    def both(left: g.Expr, right: g.Expr) -> g.Test:
        return g.Test(fn="eq", left=left, right=right)

    one, pair = shared(constant), shared(both)
    assert one(1) is one(1) and len(made) == 1
    values = [1, True, "1", None, 1.0]
    assert len({id(one(value)) for value in values}) == len(values)
    assert [repr(one(value).value) for value in values] == [repr(value) for value in values]
    assert one(1, scale=2) is not one(1) and one(1, scale=2) is one(1, scale=2)
    assert pair(one(1), one("1")) is pair(one(1), one("1"))
    assert pair(one(1), one("1")) is not pair(g.Const(value=1), one("1"))


def test_what_cannot_be_looked_up_is_made_anew() -> None:
    listed = shared(lambda values: g.Const(value=len(values)))
    assert listed([1, 2]) == listed([1, 2]) == g.Const(value=2)
    assert listed([1, 2]) is not listed([1, 2])
