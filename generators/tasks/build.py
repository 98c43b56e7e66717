"""Short names for writing goals and programs in the algebra."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas import goal as g
from services.runtime.identity import shared

if TYPE_CHECKING:
    from schemas.base import Scalar


@shared
def const(value: Scalar) -> g.Const:
    """Return a constant."""
    return g.Const(value=value)


@shared
def slot(name: str) -> g.Slot:
    """Return a slot of the task, or a named argument of a derivation."""
    return g.Slot(name=name)


@shared
def col(name: str) -> g.Col:
    """Return a column of the row."""
    return g.Col(name=name)


@shared
def node(name: str, field: str = "") -> g.Node:
    """Return the value of an earlier node, or a column of its first row."""
    return g.Node(name=name, field=field)


@shared
def test(fn: str, left: g.Expr, right: g.Expr) -> g.Test:
    """Return a comparison."""
    return g.Test.model_validate({"fn": fn, "left": left, "right": right})


@shared
def eq(left: g.Expr, right: g.Expr) -> g.Test:
    """Return `left` = `right`."""
    return g.Test(fn="eq", left=left, right=right)


@shared
def ge(left: g.Expr, right: g.Expr) -> g.Test:
    """Return `left` ≥ `right`."""
    return g.Test(fn="ge", left=left, right=right)


@shared
def le(left: g.Expr, right: g.Expr) -> g.Test:
    """Return `left` ≤ `right`."""
    return g.Test(fn="le", left=left, right=right)


@shared
def gt(left: g.Expr, right: g.Expr) -> g.Test:
    """Return `left` > `right`."""
    return g.Test(fn="gt", left=left, right=right)


@shared
def lt(left: g.Expr, right: g.Expr) -> g.Test:
    """Return `left` < `right`."""
    return g.Test(fn="lt", left=left, right=right)


@shared
def has(column: str, value: g.Expr) -> g.Has:
    """Return that the list in `column` holds `value`."""
    return g.Has(column=column, value=value)


@shared
def both(*parts: g.Pred) -> g.All:
    """Return that all parts hold."""
    return g.All(of=list(parts))


@shared
def sub(left: g.Expr, right: g.Expr) -> g.Arith:
    """Return `left` - `right`."""
    return g.Arith(fn="sub", args=[left, right])


@shared
def mul(left: g.Expr, right: g.Expr) -> g.Arith:
    """Return `left` · `right`."""
    return g.Arith(fn="mul", args=[left, right])


@shared
def scaled(value: g.Expr, factor: int) -> g.Arith:
    """Return a decimal of a tool result as an integer number of 1/factor."""
    return g.Arith(fn="to_int", args=[value, const(factor)])


@shared
def count(rows: str) -> g.Aggregate:
    """Return the number of rows of a node."""
    return g.Aggregate(fn="count", source=g.NodeRows(name=rows))


@shared
def column(name: str, value: g.Expr) -> g.Column:
    """Return a computed column."""
    return g.Column(name=name, value=value)


@shared
def rows(name: str, rel: g.Rel) -> g.NamedNode:
    """Return a relation node."""
    return g.NamedNode(name=name, rows=rel)


@shared
def scalar(name: str, expr: g.Expr) -> g.NamedNode:
    """Return a scalar node."""
    return g.NamedNode(name=name, scalar=expr)
