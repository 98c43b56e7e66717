"""The scalar functions of the goal algebra. Semantics: `schemas.goal`."""

from __future__ import annotations

import datetime as dt
import operator
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING, cast

from services.runtime.algebra.scope import AlgebraError, Row, Value

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from services.runtime.algebra.scope import ExprFn, PredFn, Scope


def to_int(value: object, factor: int) -> int:
    """Return the integer value·factor of a decimal of a tool result; 29.3 with 100 is exactly 2930."""
    try:
        exact = Decimal(str(value)) * factor
    except InvalidOperation:
        msg = f"{value!r} is no number"
        raise AlgebraError(msg) from None
    if not exact.is_finite() or exact != exact.to_integral_value():
        msg = f"{value} has more decimals than a factor of {factor} allows"
        raise AlgebraError(msg)
    return int(exact)


def to_decimal(value: int, factor: int) -> int | float:
    """Return value/factor in the one number form: an integer where it is one."""
    return value // factor if value % factor == 0 else value / factor


def div_half_up(a: int, b: int) -> int:
    """Return floor((2a + b) / 2b), for b > 0."""
    if b <= 0:
        msg = f"div_half_up needs a positive divisor, not {b}"
        raise AlgebraError(msg)
    return (2 * a + b) // (2 * b)


def _add(*values: int) -> int:
    return sum(values)


_ARITH: dict[str, Callable[..., Value]] = {
    "add": _add,
    "sub": operator.sub,
    "mul": operator.mul,
    "mod": operator.mod,
    "min": min,
    "max": max,
    "div_half_up": div_half_up,
    "to_int": to_int,
    "to_decimal": to_decimal,
}


def arith(fn: str, args: Sequence[ExprFn]) -> ExprFn:
    """Return the function `fn` of `schemas.goal.Arith` over its arguments; null where one of them is null."""
    compute = _ARITH[fn]

    def computed(*values: Value) -> Value:
        try:
            return compute(*values)
        except (TypeError, ArithmeticError) as error:
            msg = f"{fn} of {list(values)!r}: {error}"
            raise AlgebraError(msg) from error

    def of_all(row: Row, scope: Scope) -> Value:
        values = [arg(row, scope) for arg in args]
        return None if None in values else computed(*values)

    if len(args) != _PAIR:
        return of_all
    one, other = args

    def of_two(row: Row, scope: Scope) -> Value:
        a, b = one(row, scope), other(row, scope)
        if a is None or b is None:
            return None
        try:
            return compute(a, b)
        except (TypeError, ArithmeticError):
            return computed(a, b)  # which says what is wrong

    return of_two


_PAIR = 2
"""Arguments of most functions: for them no list is made."""
_ORDERED: dict[str, Callable[..., bool]] = {
    "lt": operator.lt,
    "le": operator.le,
    "gt": operator.gt,
    "ge": operator.ge,
}


def comparison(fn: str, left: ExprFn, right: ExprFn) -> PredFn:
    """Return the test `fn` of two expressions: `eq` and `ne` treat null as a value, an order with null is false."""
    if fn == "eq":
        return lambda row, scope: left(row, scope) == right(row, scope)
    if fn == "ne":
        return lambda row, scope: left(row, scope) != right(row, scope)
    compare = _ORDERED[fn]

    def test(row: Row, scope: Scope) -> bool:
        a, b = left(row, scope), right(row, scope)
        if a is None or b is None:
            return False
        try:
            return compare(a, b)
        except TypeError as error:
            msg = f"{a!r} and {b!r} have no order"
            raise AlgebraError(msg) from error

    return test


def date_of(fn: str, args: Sequence[Value]) -> Value:
    """Return the function `fn` of `schemas.goal.DateOf` over its values; null where one of them is null."""
    if None in args:
        return None
    day = str(args[0])[:10]
    if fn == "day":
        return day
    if fn == "month_start":
        return day[:8] + "01"
    try:
        return (dt.date.fromisoformat(day) + dt.timedelta(days=cast("int", args[1]))).isoformat()
    except (TypeError, ValueError, OverflowError) as error:
        msg = f"{fn} of {list(args)!r}: {error}"
        raise AlgebraError(msg) from error


def aggregate(fn: str, values: Sequence[Value]) -> Value:
    """Return the aggregate of the non-null `values`; see `schemas.goal.Aggregate` for empty inputs."""
    present = [cast("int", value) for value in values if value is not None]
    try:
        match fn:
            case "count":
                return len(present)
            case "sum":
                return sum(present)
            case "mean":
                return div_half_up(sum(present), len(present)) if present else None
            case "min":
                return min(present, default=None)
            case _:
                return max(present, default=None)
    except TypeError as error:
        msg = f"{fn} of values of different types: {error}"
        raise AlgebraError(msg) from error


def items_of(value: Value, column: str) -> Sequence[Value]:
    """Return the elements of a list column; null holds none."""
    if value is None:
        return ()
    if isinstance(value, (list, tuple)):
        return cast("Sequence[Value]", value)
    msg = f"column {column!r} holds {value!r}, which is no list"
    raise AlgebraError(msg)


def _step(value: Value, part: str) -> Value:
    """Return one step of a path; raise LookupError when there is none."""
    if isinstance(value, (list, tuple)) and part.isdecimal():
        return cast("Sequence[Value]", value)[int(part)]
    return cast("Mapping[str, Value]", value)[part]


def column(name: str) -> Callable[[Row], Value]:
    """Return the reader of a column: a column of that very name, else a path into the longest column it starts with.

    A path goes into objects by key and into lists by position; a path through null is null.
    """
    parts = name.split(".")
    splits = [(".".join(parts[:i]), parts[i:]) for i in range(len(parts) - 1, 0, -1)]

    def read(row: Row) -> Value:
        if name in row:
            return row[name]
        head, path = next(((head, path) for head, path in splits if head in row), ("", ()))
        if not head:
            msg = f"no column {name!r}"
            raise AlgebraError(msg)
        value = row[head]
        for part in path:
            if value is None:
                return None
            try:
                value = _step(value, part)
            except (LookupError, TypeError):
                msg = f"no column {name!r}: nothing at {part!r}"
                raise AlgebraError(msg) from None
        return value

    return read
