"""From the goal algebra to SQLite's SQL. Semantics: `schemas.goal`.

Every identifier is quoted and every column reference qualified, every constant and slot is a bound parameter: a goal
puts no text of its own into a statement. Predicates are 1 or 0 and never null. A relation keeps its order in a hidden
column `#`, because SQL promises none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Protocol, TypeAlias, cast

from schemas import goal as g
from schemas.base import content
from validators.engine.encode import SqlValue, encode
from validators.engine.structure import plain, written

Columns: TypeAlias = Mapping[str, Sequence[str]]
"""Table -> its columns."""
Readers: TypeAlias = bytes | None
"""The content of all that may read the columns of a relation; None where all of them are wanted."""
ORDER = "#"
"""Name of the hidden column that rows are ordered by."""
_COMPARE = {"lt": "<", "le": "<=", "gt": ">", "ge": ">="}


class GoalError(ValueError):
    """A goal that cannot be evaluated: an unknown table, column, node or slot, or a name that is used twice."""


@dataclass(frozen=True, slots=True)
class Source:
    """A relation as the FROM and WHERE of a statement to be."""

    tables: str
    """What follows FROM."""
    refs: Mapping[str, str]
    """Column -> the SQL that reads it."""
    order: str = ""
    """SQL of the order of rows; empty when unspecified."""
    where: tuple[str, ...] = ()
    joined: bool = False
    """Whether `tables` is more than one item."""


@lru_cache(maxsize=4096)
def quoted(name: str) -> str:
    """Return `name` as an SQL identifier."""
    if "\0" in name:
        raise GoalError(f"a name may not hold a null character: {name!r}")
    return '"' + name.replace('"', '""') + '"'


class Nodes(Protocol):
    """The nodes that expressions and relations may refer to."""

    def value(self, node: g.Node) -> str:
        """Return the parameter that holds a scalar node, or a column of a relation's first row."""
        ...

    def relation(self, name: str) -> tuple[Sequence[str], bool]:
        """Return the columns of a relation node, and whether its rows have an order."""
        ...


class Sql:
    """Compiles expressions, predicates and relations over known tables and earlier nodes."""

    def __init__(self, tables: Columns, nodes: Nodes) -> None:
        """Compile over `tables`, with `nodes` found by name."""
        self.tables = tables
        self.nodes = nodes
        self.shown_by: bytes | None = None
        """The content of the goal that names the columns that tables show; None where they show all of them."""
        self.constants: dict[str, SqlValue] = {}
        """Parameter -> value."""
        self.slots: dict[str, str] = {}
        """Slot -> parameter."""
        self.reads: set[str] = set()
        """The tables that what is compiled reads."""
        self._aliases = 0

    # --- expressions ---

    def expr(self, expr: g.Expr, row: Mapping[str, str]) -> str:
        """Return the SQL of an expression over the current row, given as column -> SQL."""
        match expr:
            case g.Const():
                name = f"c{len(self.constants)}"
                self.constants[name] = encode(expr.value)
                return f":{name}"
            case g.Slot():
                return ":" + self.slots.setdefault(expr.name, f"s{len(self.slots)}")
            case g.Now():
                return ":today" if expr.part == "date" else ":now"
            case g.Col():
                return column(row, expr.name)
            case g.Node():
                return ":" + self.nodes.value(expr)
            case g.Arith():
                return self._arith(expr, [self.expr(arg, row) for arg in expr.args])
            case g.Case():
                return self._case(expr, row)
            case g.DateOf():
                return _date(expr.fn, [self.expr(arg, row) for arg in expr.args])
            case g.Named():
                return self.expr(expr.body, row)
            case g.Lookup():
                return self._lookup(expr)
            case g.Aggregate():
                source = self.rel(expr.source, content(expr.of))
                return f"(SELECT {self._aggregate(expr, source.refs)} {_from(source)})"

    def _arith(self, expr: g.Arith, args: list[str]) -> str:
        match expr.fn, args:
            case ("add", _):
                return f"({' + '.join(args)})"
            case (("min" | "max") as fn, [_, _, *_]):
                # With one argument these would be SQL's aggregates.
                return f"{fn}({', '.join(args)})"
            case ("sub", [a, b]):
                return f"({a} - {b})"
            case ("mul", [a, b]):
                return f"({a} * {b})"
            case ("mod", [a, b]):
                # SQLite's remainder has the sign of the dividend; the algebra's that of the divisor.
                return f"((({a} % {b}) + {b}) % {b})"
            case ("div_half_up", [a, b]):
                return half_up(a, b)
            case ("to_int", [a, b]):
                return f"(CAST(round({a} * {b}) AS INTEGER) + 0)"
            case ("to_decimal", [a, b]):
                return f"({a} / ({b} * 1.0))"
            case _:
                raise GoalError(f"{expr.fn} of {len(args)} arguments")

    def _case(self, expr: g.Case, row: Mapping[str, str]) -> str:
        branches = [f"WHEN {self.pred(b.test, row)} THEN {self.expr(b.then, row)}" for b in expr.branches]
        otherwise = self.expr(expr.otherwise, row)
        return f"CASE {' '.join(branches)} ELSE {otherwise} END" if branches else otherwise

    def _lookup(self, expr: g.Lookup) -> str:
        source = self.rel(expr.source, content([expr.field, expr.where]))
        if expr.where is not None:
            source = replace(source, where=(*source.where, self.pred(expr.where, source.refs)))
        order = f" ORDER BY {source.order}" if source.order else ""
        return f"(SELECT {column(source.refs, expr.field)} {_from(source)}{order} LIMIT 1)"

    def _aggregate(self, expr: g.Aggregate | g.Measure, row: Mapping[str, str]) -> str:
        if expr.of is None:
            if expr.fn != "count":
                raise GoalError(f"{expr.fn} of nothing: `of` is missing")
            return "COUNT(*)"
        of = self.expr(expr.of, row)
        match expr.fn:
            case "sum":
                return f"COALESCE(SUM({of}), 0)"
            case "mean":
                return half_up(f"SUM({of})", f"COUNT({of})")
            case "count" | "min" | "max":
                return f"{expr.fn}({of})"

    # --- predicates ---

    def pred(self, pred: g.Pred, row: Mapping[str, str]) -> str:
        """Return the SQL of a predicate over the current row: 1 or 0."""
        match pred:
            case g.All():
                return self._joined("AND", pred.of, row) if pred.of else "1"
            case g.Any():
                return self._joined("OR", pred.of, row) if pred.of else "0"
            case g.Not():
                return f"(NOT {self.pred(pred.of, row)})"
            case g.Test():
                left, right = self.expr(pred.left, row), self.expr(pred.right, row)
                if pred.fn in _COMPARE:
                    return f"COALESCE({left} {_COMPARE[pred.fn]} {right}, 0)"
                return f"({left} {'IS' if pred.fn == 'eq' else 'IS NOT'} {right})"
            case g.Has():
                alias, value = self._alias(), self.expr(pred.value, row)
                items = f"json_each({column(row, pred.column)}) AS {alias}"
                return f'EXISTS (SELECT 1 FROM {items} WHERE {alias}."value" IS {value})'

    def _joined(self, word: str, parts: Sequence[g.Pred], row: Mapping[str, str]) -> str:
        return "(" + f" {word} ".join(self.pred(part, row) for part in parts) + ")"

    # --- relations ---

    def rel(self, rel: g.Rel, readers: Readers) -> Source:
        """Return the source of a relation; subqueries in it hold only what is read later, by `readers` above all.

        Columns that nobody reads any more are still known, so that whoever asks for a wrong one is told of all.
        """
        match rel:
            case g.Table():
                if rel.table not in self.tables:
                    raise GoalError(f"there is no table {rel.table!r}")
                self.reads.add(rel.table)
                alias = self._alias()
                refs = {f"{rel.prefix}.{name}": f"{alias}.{quoted(name)}" for name in self.tables[rel.table]}
                if self.shown_by is not None:
                    refs = read(refs, self.shown_by)
                return Source(f"{quoted(rel.table)} AS {alias}", refs)
            case g.NodeRows():
                columns, ordered = self.nodes.relation(rel.name)
                return self._named(node_name(rel.name), columns, ordered)
            case g.Select():
                return self._select(rel, readers)
            case g.Join():
                return self._join(rel, readers)
            case g.Unnest():
                source, alias = self.rel(rel.source, _and(readers, rel.column)), self._alias()
                tables = f"{source.tables} JOIN json_each({column(source.refs, rel.column)}) AS {alias}"
                refs = {**source.refs, rel.name: f'{alias}."value"'}
                return replace(source, tables=tables, refs=refs, joined=True)
            case g.Group():
                return self._group(rel, readers)

    def _select(self, rel: g.Select, readers: Readers) -> Source:
        source = self.rel(rel.source, _and(readers, rel.where, rel.columns, rel.order))
        late: list[g.Pred] = []
        if rel.where is not None:
            # What reads no computed column filters before they are computed: it is the same rows, for less.
            computed = {extra.name for extra in rel.columns}
            for part in rel.where.of if isinstance(rel.where, g.All) else [rel.where]:
                if not computed or computed.isdisjoint(_reads(plain(part))):
                    source = replace(source, where=(*source.where, self.pred(part, source.refs)))
                else:
                    late.append(part)
        waiting: dict[str, str] = {}
        for number, extra in enumerate(rel.columns):
            # A column that reads one computed beside it needs that one to be computed first.
            if waiting and (extra.name in waiting or not _reads(plain(extra.value)).isdisjoint(waiting)):
                later = _and(readers, rel.columns[number:], late, rel.order)
                source, waiting = self._nested(source, waiting, later), {}
            waiting[extra.name] = self.expr(extra.value, source.refs)
        if waiting:
            source = self._nested(source, waiting, _and(readers, late, rel.order))
        if late:
            source = replace(source, where=(*source.where, *(self.pred(part, source.refs) for part in late)))
        if rel.order:
            keys = [self.expr(key.key, source.refs) + (" DESC" if key.descending else "") for key in rel.order]
            keys += [source.order] if source.order else []
            source = replace(source, order=f"ROW_NUMBER() OVER (ORDER BY {', '.join(keys)})")
            source = self._nested(source, {}, readers)
        return source if rel.limit is None else self._nested(source, {}, readers, limit=rel.limit)

    def _join(self, rel: g.Join, readers: Readers) -> Source:
        later = _and(readers, rel.on)
        left, right = self.rel(rel.left, later), self.rel(rel.right, later)
        if right.joined or (rel.keep_left and right.where):
            right = self._nested(right, {}, later)
        both = sorted(left.refs.keys() & right.refs.keys())
        if both:
            raise GoalError(f"both sides of a join have the column {both[0]!r}")
        refs = {**left.refs, **right.refs}
        # CROSS keeps SQLite from turning the join round: goals begin with the smaller side.
        kind = "LEFT JOIN" if rel.keep_left else "CROSS JOIN"
        tables = f"{left.tables} {kind} {right.tables} ON {self.pred(rel.on, refs)}"
        return Source(tables, refs, left.order, (*left.where, *right.where), joined=True)

    def _group(self, rel: g.Group, readers: Readers) -> Source:
        source = self.rel(rel.source, content([rel.keys, rel.measures]))
        keys = {key: column(source.refs, key) for key in rel.keys}
        measures = {measure.name: self._aggregate(measure, source.refs) for measure in rel.measures}
        if len({*keys, *measures}) < len(rel.keys) + len(rel.measures):
            raise GoalError("a group has two columns of the same name")
        order = f"MIN({source.order})" if source.order else ""
        # Without keys there is one group, but none of no rows: hence the constant.
        grouped = f" GROUP BY {', '.join(keys.values()) or quoted_text('all')}"
        refs = {**keys, **measures}
        return self._wrapped(f"{_select_list(read(refs, readers), order)} {_from(source)}{grouped}", refs, order)

    def _nested(self, source: Source, extra: Mapping[str, str], readers: Readers, limit: int | None = None) -> Source:
        """Return the source as a subquery with further columns, of which it holds those that are read."""
        refs = {**source.refs, **extra}
        # LIMIT keeps SQLite from writing each computed column out wherever it is read.
        tail = " LIMIT -1" if extra else ""
        if limit is not None:
            tail = (f" ORDER BY {source.order}" if source.order else "") + f" LIMIT {int(limit)}"
        listed = _select_list(read(refs, readers), source.order)
        return self._wrapped(f"{listed} {_from(source)}{tail}", refs, source.order)

    def _wrapped(self, sql: str, columns: Mapping[str, str], order: str) -> Source:
        return self._named(f"({sql})", columns, bool(order))

    def _named(self, tables: str, columns: Mapping[str, str] | Sequence[str], ordered: bool) -> Source:
        alias = self._alias()
        refs = {name: f"{alias}.{quoted(name)}" for name in columns}
        return Source(f"{tables} AS {alias}", refs, f"{alias}.{quoted(ORDER)}" if ordered else "")

    def _alias(self) -> str:
        self._aliases += 1
        return f"r{self._aliases}"


def node_name(name: str) -> str:
    """Return the identifier of a node's common table expression."""
    return quoted(f"node {name}")


def quoted_text(text: str) -> str:
    """Return a literal of ours; nothing of a goal is ever written as a literal."""
    return "'" + text + "'"


def column(row: Mapping[str, str], name: str) -> str:
    """Return the SQL that reads a column of the current row."""
    if name not in row:
        raise GoalError(f"there is no column {name!r}; there are {', '.join(row) or 'none'}")
    return row[name]


def read(refs: Mapping[str, str], readers: Readers) -> Mapping[str, str]:
    """Return those columns whose names stand in the readers.

    A relation needs a column, even when all that counts is how many rows it has: then one of nothing.
    """
    if readers is None:
        return refs
    found = {name: ref for name, ref in refs.items() if written(name) in readers}
    return found or dict.fromkeys([*refs][:1], "NULL")


def _and(readers: Readers, *others: object) -> Readers:
    """Return the readers with others beside them."""
    return None if readers is None else readers + content(others)


def half_up(a: str, b: str) -> str:
    """Return floor((2a + b) / 2b) for b > 0; SQLite's division rounds towards zero."""
    number, by = f"(2 * {a} + {b})", f"(2 * {b})"
    return f"({number} / {by} - ({number} % {by} < 0))"


def select(source: Source, columns: Mapping[str, str]) -> str:
    """Return the statement of a source: these of its columns and, where it has an order, the hidden one."""
    return f"{_select_list(columns, source.order)} {_from(source)}"


def _select_list(refs: Mapping[str, str], order: str) -> str:
    if ORDER in refs:
        raise GoalError(f"a column may not be named {ORDER!r}")
    listed = [f"{ref} AS {quoted(name)}" for name, ref in refs.items()]
    return "SELECT " + ", ".join([*listed, f"{order} AS {quoted(ORDER)}"] if order else listed)


def _from(source: Source) -> str:
    return f"FROM {source.tables}" + (f" WHERE {' AND '.join(source.where)}" if source.where else "")


def _date(fn: str, args: list[str]) -> str:
    match fn, args:
        case ("day", [day]):
            return f"substr({day}, 1, 10)"
        case ("month_start", [day]):
            return f"(substr({day}, 1, 8) || '01')"
        case ("add_days", [day, number]):
            return f"date(substr({day}, 1, 10), {number} || ' days')"
        case _:
            raise GoalError(f"{fn} of {len(args)} arguments")


def _reads(part: object) -> set[str]:
    """Return the columns that an expression, as plain data, reads from the current row."""
    found: set[str] = set()
    waiting = [part]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += cast("list[object]", item)
        elif isinstance(item, dict):
            fields = cast("dict[str, object]", item)
            match fields.get("op"):
                case "col":
                    found.add(str(fields["name"]))
                case "lookup" | "aggregate":
                    pass
                case op:
                    waiting += fields.values()
                    found |= {str(fields["column"])} if op == "has" else set()
    return found
