"""The statements of one goal: its nodes as common table expressions, and questions over them.

A goal is compiled once per structure; slots and clock are bound at each run, so that SQLite keeps the prepared
statements.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from schemas import goal as g
from validators.engine.sql import ORDER, GoalError, Sql, node_name, quoted, select

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from validators.engine.encode import SqlValue
    from validators.engine.sql import Columns


class Query(NamedTuple):
    """One statement; constants and slots are those of its goal."""

    sql: str
    columns: tuple[str, ...]


class GoalSql:
    """A goal's nodes in SQL."""

    def __init__(self, tables: Columns, nodes: Sequence[g.NamedNode] = ()) -> None:
        """Compile the nodes in order; each may refer to earlier ones.

        Raises:
            GoalError: a node refers to what is not there, or two have the same name.
        """
        self._sql = Sql(tables)
        self._expressions: list[str] = []
        for node in nodes:
            self._add(node)

    @property
    def constants(self) -> Mapping[str, SqlValue]:
        """Parameter -> value, for every query."""
        return self._sql.constants

    @property
    def slots(self) -> Mapping[str, str]:
        """Slot -> parameter, for every query."""
        return self._sql.slots

    def _add(self, node: g.NamedNode) -> None:
        if node.name in self._sql.nodes:
            raise GoalError(f"two nodes are named {node.name!r}")
        if (node.rows is None) == (node.scalar is None):
            raise GoalError(f"node {node.name!r} needs exactly one of rows and scalar")
        if node.rows is not None:
            source = self._sql.rel(node.rows)
            body, columns = select(source), tuple(source.refs)
            if source.order:
                self._sql.ordered.add(node.name)
        else:
            body, columns = f'SELECT {self._scalar(node.scalar)} AS "v"', None
        self._sql.nodes[node.name] = columns
        self._expressions.append(f"{node_name(node.name)} AS ({body})")

    def _scalar(self, expr: g.Expr | None) -> str:
        return "NULL" if expr is None else self._sql.expr(expr, {})

    def _query(self, body: str, columns: Sequence[str]) -> Query:
        nodes = f"WITH {', '.join(self._expressions)} " if self._expressions else ""
        return Query(nodes + body, tuple(columns))

    def one_row(self, parts: Sequence[g.Expr | g.Pred | None]) -> Query:
        """Return the query of one row with the value of each part; None is null, a predicate 1 or 0."""
        return self._query("SELECT " + ", ".join(self._part(part, {}) for part in parts or [None]), ())

    def per_row(self, node: str, parts: Sequence[g.Expr | None], when: g.Pred | None) -> Query:
        """Return the query of one row per row of the relation `node` for which `when` holds."""
        source = self._sql.rel(g.NodeRows(name=node))
        listed = ", ".join(self._part(part, source.refs) for part in parts) or "NULL"
        where = "" if when is None else f" WHERE {self._sql.pred(when, source.refs)}"
        return self._query(f"SELECT {listed} FROM {source.tables}{where}", ())

    def node_rows(self, node: str) -> Query:
        """Return the query of all rows of the relation `node`, in its order."""
        source = self._sql.rel(g.NodeRows(name=node))
        order = f" ORDER BY {source.order}" if source.order else ""
        listed = ", ".join(f"{ref} AS {quoted(name)}" for name, ref in source.refs.items())
        return self._query(f"SELECT {listed} FROM {source.tables}{order}", tuple(source.refs))

    def _part(self, part: g.Expr | g.Pred | None, row: Mapping[str, str]) -> str:
        if isinstance(part, (g.All, g.Any, g.Not, g.Test, g.Has)):
            return self._sql.pred(part, row)
        return "NULL" if part is None else self._sql.expr(part, row)


__all__ = ["ORDER", "GoalError", "GoalSql", "Query"]
