"""The statements of one goal.

Relation nodes are common table expressions. Scalar nodes, and the first rows that expressions refer to, are evaluated
once, by steps that run before any query, and bound as parameters. A goal is compiled once per structure; slots and
clock are bound at each run, so that SQLite keeps the prepared statements.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from schemas import goal as g
from schemas.base import content
from validators.engine.sql import ORDER, GoalError, Sql, node_name, quoted, read, select

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from validators.engine.encode import SqlValue
    from validators.engine.sql import Columns, Readers


_PARAMETER = re.compile(r""""[^"]*"|'[^']*'|:(\w+)""")
"""A parameter; or a quoted name or text, in which nothing is one."""


def numbered(sql: str) -> tuple[str, tuple[str, ...]]:
    """Return a statement with its parameters by number, which are bound faster than by name, and their names."""
    places: dict[str, int] = {}

    def number(found: re.Match[str]) -> str:
        return f"?{places.setdefault(found[1], len(places) + 1)}" if found[1] else found[0]

    return _PARAMETER.sub(number, sql), tuple(places)


class Query(NamedTuple):
    """One statement over a goal's constants, slots and nodes."""

    sql: str
    columns: tuple[str, ...]
    needs: tuple[str, ...]
    """Its parameters, by number from 1."""
    reads: tuple[str, ...]
    """Tables on whose records alone its rows depend, beside its parameters."""


class Step(NamedTuple):
    """A statement of at most one row, whose values become parameters; null without a row."""

    sql: str
    parameters: tuple[str, ...]
    needs: tuple[str, ...]
    """Its own parameters, by number from 1."""
    reads: tuple[str, ...]
    """Tables on whose records alone its row depends, beside its parameters."""


class _Relation(NamedTuple):
    columns: tuple[str, ...]
    held: tuple[str, ...]
    """Those of its columns that are read somewhere."""
    ordered: bool
    body: str
    needs: frozenset[str]
    """Parameters that must be bound before it is read."""
    uses: frozenset[str]
    """Relation nodes that it is made of, itself included."""
    reads: frozenset[str]
    """Tables that it is made of."""
    first: dict[str, str]
    """Column -> the parameter that holds it of the first row; empty until one is asked for."""


class _Scalar(NamedTuple):
    parameter: str
    sql: str
    uses: frozenset[str]
    reads: frozenset[str]


class GoalSql:
    """A goal's nodes in SQL, and queries over them."""

    def __init__(self, tables: Columns, nodes: Sequence[g.NamedNode] = (), shown_by: g.Goal | None = None) -> None:
        """Compile the nodes in order; each may refer to earlier ones.

        With `shown_by`, the goal that the nodes are of, relations hold only what it reads of them, which is faster.

        Raises:
            GoalError: a node refers to what is not there, or two have the same name.
        """
        self.steps: list[Step] = []
        """What to run first, in order."""
        self.scalars: dict[str, str] = {}
        """Scalar node -> its parameter."""
        self._sql = Sql(tables, self)
        if shown_by is not None:
            self._sql.shown_by = content(shown_by)
        self._relations: dict[str, _Relation] = {}
        self._needs: set[str] = set()
        self._uses: set[str] = set()
        self._waiting: list[_Scalar] = []
        """Scalar nodes that no step evaluates yet; they can share one, for none needs another."""
        optimum = None if shown_by is None else shown_by.optimum
        self._listed = optimum.rows if optimum is not None else ""
        """The relation of whose rows the first is not enough: they are asked for anyway."""
        later = None if shown_by is None else _later(shown_by)
        for number, node in enumerate(nodes):
            self._add(node, None if later is None else later[number])
        self._flush()

    @property
    def constants(self) -> Mapping[str, SqlValue]:
        """Parameter -> value, for every statement."""
        return self._sql.constants

    @property
    def slots(self) -> Mapping[str, str]:
        """Slot -> parameter, for every statement."""
        return self._sql.slots

    # --- what the compiler asks of the nodes ---

    def value(self, node: g.Node) -> str:
        """Return the parameter that holds a scalar node, or a column of a relation's first row."""
        if not node.field:
            if node.name not in self.scalars:
                raise GoalError(f"there is no scalar node {node.name!r} here")
            parameter = self.scalars[node.name]
        else:
            first = self._first(node.name, self._known(node.name))
            if node.field not in first:
                raise GoalError(f"node {node.name!r} has no column {node.field!r}")
            parameter = first[node.field]
        self._needs.add(parameter)
        return parameter

    def relation(self, name: str) -> tuple[Sequence[str], bool]:
        """Return the columns of a relation node, and whether its rows have an order."""
        relation = self._known(name)
        self._needs |= relation.needs
        self._uses |= relation.uses
        self._sql.reads |= relation.reads
        return relation.columns, relation.ordered

    def _known(self, name: str) -> _Relation:
        if name not in self._relations:
            raise GoalError(f"there is no relation node {name!r} here")
        return self._relations[name]

    def _first(self, name: str, relation: _Relation) -> dict[str, str]:
        """Return column -> parameter of the first row, after adding the step that reads it."""
        if not relation.first:
            self._bind(relation.needs)
            number = list(self._relations).index(name)
            relation.first.update({column: f"f{number}_{n}" for n, column in enumerate(relation.held)})
            sql = self._rows(name, relation)
            sql = sql if name == self._listed else f"{sql} LIMIT 1"
            self._step(sql, relation.first.values(), relation.reads)
        return relation.first

    # --- nodes ---

    def _add(self, node: g.NamedNode, readers: Readers) -> None:
        if node.name in self._relations or node.name in self.scalars:
            raise GoalError(f"two nodes are named {node.name!r}")
        if (node.rows is None) == (node.scalar is None):
            raise GoalError(f"node {node.name!r} needs exactly one of rows and scalar")
        self._begin()
        if node.scalar is not None:
            sql = self._sql.expr(node.scalar, {})
            self._bind(self._needs)
            parameter = self.scalars[node.name] = f"v{len(self.scalars)}"
            self._waiting.append(_Scalar(parameter, sql, frozenset(self._uses), frozenset(self._sql.reads)))
        elif node.rows is not None:
            source = self._sql.rel(node.rows, readers)
            held = read(source.refs, readers)
            body = f"{node_name(node.name)} AS ({select(source, held)})"
            needs, uses = frozenset(self._needs), frozenset({*self._uses, node.name})
            self._relations[node.name] = _Relation(
                tuple(source.refs),
                tuple(held),
                bool(source.order),
                body,
                needs,
                uses,
                frozenset(self._sql.reads),
                {},
            )

    def _begin(self) -> None:
        """Forget what the last statement or node needs."""
        self._needs, self._uses, self._sql.reads = set(), set(), set()

    def _bind(self, needs: set[str] | frozenset[str]) -> None:
        """See to it that these parameters are bound by the steps so far."""
        if any(scalar.parameter in needs for scalar in self._waiting):
            self._flush()

    def _flush(self) -> None:
        if self._waiting:
            uses = frozenset[str]().union(*(scalar.uses for scalar in self._waiting))
            sql = self._with(uses, "SELECT " + ", ".join(scalar.sql for scalar in self._waiting))
            reads = frozenset[str]().union(*(scalar.reads for scalar in self._waiting))
            self._step(sql, (scalar.parameter for scalar in self._waiting), reads)
            self._waiting.clear()

    def _step(self, sql: str, parameters: Iterable[str], reads: Iterable[str]) -> None:
        by_number, needs = numbered(sql)
        self.steps.append(Step(by_number, tuple(parameters), needs, tuple(sorted(reads))))

    def _with(self, uses: set[str] | frozenset[str], body: str) -> str:
        bodies = [relation.body for name, relation in self._relations.items() if name in uses]
        return f"WITH {', '.join(bodies)} {body}" if bodies else body

    # --- queries ---

    def one_row(self, parts: Sequence[g.Expr | g.Pred | None]) -> Query:
        """Return the query of one row with the value of each part; None is null, a predicate 1 or 0."""
        self._begin()
        listed = ", ".join(self._part(part, {}) for part in parts or [None])
        return self._query(self._with(self._uses, f"SELECT {listed}"))

    def per_row(self, node: str, parts: Sequence[g.Expr | g.Pred]) -> Query:
        """Return the query of one row per row of the relation `node`, with the value of each part."""
        self._begin()
        source = self._sql.rel(g.NodeRows(name=node), None)
        listed = ", ".join(self._part(part, source.refs) for part in parts) or "NULL"
        return self._query(self._with(self._uses, f"SELECT {listed} FROM {source.tables}"))

    def node_rows(self, node: str) -> Query:
        """Return the query of all rows of the relation `node`, in its order, with the columns that it holds."""
        self._begin()
        self.relation(node)
        relation = self._known(node)
        return self._query(self._rows(node, relation), relation.held)

    def _rows(self, name: str, relation: _Relation) -> str:
        order = f" ORDER BY {quoted(ORDER)}" if relation.ordered else ""
        listed = ", ".join(map(quoted, relation.held))
        return self._with(relation.uses, f"SELECT {listed} FROM {node_name(name)}{order}")

    def _query(self, sql: str, columns: Iterable[str] = ()) -> Query:
        by_number, needs = numbered(sql)
        return Query(by_number, tuple(columns), needs, tuple(sorted(self._sql.reads)))

    def _part(self, part: g.Expr | g.Pred | None, row: Mapping[str, str]) -> str:
        if isinstance(part, (g.All, g.Any, g.Not, g.Test, g.Has)):
            return self._sql.pred(part, row)
        return "NULL" if part is None else self._sql.expr(part, row)


def _later(goal: g.Goal) -> list[bytes]:
    """Return, for each node of a goal, the content of all that comes after it, which alone reads it."""
    found = [content(goal.changed({"nodes": []}))]
    for node in reversed(goal.nodes[1:]):
        found.append(content(node) + found[-1])
    return found[::-1]
