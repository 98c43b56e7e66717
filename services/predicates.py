"""Short forms of predicates of the goal algebra, as invariants use them."""

from __future__ import annotations

from schemas.goal import Aggregate, All, Col, Const, Group, Join, Measure, Pred, Rel, Scalar, Select, Table, Test


def is_(column: str, value: Scalar) -> Test:
    """Return the test that a column equals a constant."""
    return Test(fn="eq", left=Col(name=column), right=Const(value=value))


def is_not(column: str, value: Scalar) -> Test:
    """Return the test that a column differs from a constant."""
    return Test(fn="ne", left=Col(name=column), right=Const(value=value))


def below(column: str, value: int) -> Test:
    """Return the test that a column is less than a constant."""
    return Test(fn="lt", left=Col(name=column), right=Const(value=value))


def count(rows: Rel) -> Aggregate:
    """Return the number of rows."""
    return Aggregate(fn="count", source=rows)


def none(rows: Rel) -> Test:
    """Return the predicate that there are no such rows."""
    return Test(fn="eq", left=count(rows), right=Const(value=0))


def paired(pairs: Rel, *sides: Rel) -> Pred:
    """Return the predicate that no row of a side is without a pair, given that none is in two."""
    return All(of=[Test(fn="eq", left=count(pairs), right=count(side)) for side in sides])


def where(table: str, prefix: str, *tests: Pred) -> Select:
    """Return the records of a table for which all tests hold."""
    return Select(source=Table(table=table, prefix=prefix), where=All(of=list(tests)))


def joined(left: Rel, right: Rel, on: tuple[str, str], *tests: Pred) -> Select:
    """Return pairs of rows that agree in the columns `on` and for which all tests hold."""
    same = Test(fn="eq", left=Col(name=on[0]), right=Col(name=on[1]))
    return Select(source=Join(left=left, right=right, on=same), where=All(of=list(tests)))


def distinct(table: str, column: str) -> Pred:
    """Return the predicate that no two records of a table share a value."""
    source = Table(table=table, prefix="x")
    groups = Group(source=source, keys=[f"x.{column}"], measures=[Measure(name="records", fn="count")])
    return Test(fn="eq", left=count(groups), right=count(source))
