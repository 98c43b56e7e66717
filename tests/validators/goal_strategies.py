"""Random well-typed goals and states, for comparing engines.

Rows that tie come in an unspecified order, so every order here ends in columns that make it unique, and only relations
with such an order are cut or asked for their first row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal, TypeAlias

from hypothesis import strategies as st

from schemas import goal as g
from schemas.base import Json, Scalar

Kind: TypeAlias = Literal["int", "text", "date", "bool", "list"]
Record: TypeAlias = dict[str, Json]
NOW = "2025-05-03T12:00:00"
TABLES: dict[str, dict[str, Kind]] = {
    "items": {
        "id": "text",
        "kind": "text",
        "price": "int",
        "stock": "int",
        "day": "date",
        "tags": "list",
        "live": "bool",
    },
    "owners": {"id": "text", "item_id": "text", "note": "text", "amount": "int", "at": "date"},
    "nothing": {"id": "text", "worth": "int", "tags": "list"},
}
SLOTS: dict[str, Kind] = {"limit": "int", "word": "text", "first": "date", "flag": "bool"}

_WORDS = st.sampled_from(["tea", "Tea", "oat", "", "é", 'a"b', "it's", "true", "1"])
_DAYS = st.sampled_from(["2024-02-29", "2024-12-31", "2025-01-01", "2025-05-03", "2025-05-31"])
_SCALARS: dict[Kind, st.SearchStrategy[Scalar]] = {
    "int": st.integers(-20, 40),
    "text": _WORDS,
    "date": st.one_of(_DAYS, _DAYS.map(lambda day: f"{day}T10:00:00")),
    "bool": st.booleans(),
}
_LISTS: st.SearchStrategy[Json] = st.lists(_WORDS, max_size=3, unique=True).map(lambda words: [*words])
_NULLABLE = {"kind", "price", "day", "note", "item_id", "worth", "at"}


@st.composite
def states(draw: st.DrawFn) -> dict[str, list[Record]]:
    """Up to seven records per table; `nothing` is always empty."""
    tables: dict[str, list[Record]] = {"nothing": []}
    for name in ("items", "owners"):
        ids = [f"{name}{n}" for n in range(draw(st.sampled_from([4, 5, 6, 7, 3, 1, 0])))]
        tables[name] = [
            {column: draw(_cell(column, kind, key)) for column, kind in TABLES[name].items()} for key in ids
        ]
    return tables


def _cell(column: str, kind: Kind, key: str) -> st.SearchStrategy[Json]:
    if column == "id":
        return st.just(key)
    if column == "item_id":
        return st.one_of(st.none(), st.integers(0, 8).map(lambda n: f"items{n}"))
    values = _LISTS if kind == "list" else _SCALARS[kind]
    return st.one_of(st.none(), values) if column in _NULLABLE else values


slot_values = st.fixed_dictionaries({name: _SCALARS[kind] for name, kind in SLOTS.items()})


@dataclass(frozen=True)
class Rel:
    """A relation with what the generator must know of it."""

    rel: g.Rel
    columns: Mapping[str, Kind]
    unique: tuple[str, ...]
    """Columns that together tell its rows apart."""
    ordered: bool = False


@dataclass
class Builder:
    """Draws goals."""

    draw: st.DrawFn
    nodes: list[g.NamedNode] = field(default_factory=list[g.NamedNode])
    relations: dict[str, Rel] = field(default_factory=dict[str, Rel])
    scalars: dict[str, Kind] = field(default_factory=dict[str, "Kind"])
    prefixes: int = 0

    def one(self, options: Sequence[str]) -> str:
        return self.draw(st.sampled_from(list(options)))

    # --- expressions ---

    def expr(self, kind: Kind, row: Mapping[str, Kind], depth: int) -> g.Expr:
        leaves = ["const", "slot", *(["col"] * 3 if kind in row.values() else [])]
        leaves += ["node"] if self._node_options(kind) else []
        more: dict[Kind, list[str]] = {
            "int": ["arith", "arith", "aggregate", "lookup"],
            "date": ["date", "now", "lookup"],
        }
        inner = ["case", *more.get(kind, [])]
        match self.one(leaves if depth <= 0 else leaves + inner):
            case "col":
                return g.Col(name=self.one([name for name, of in row.items() if of == kind]))
            case "slot":
                return g.Slot(name=self.one([name for name, of in SLOTS.items() if of == kind]))
            case "node":
                return self.draw(st.sampled_from(self._node_options(kind)))
            case "case":
                branches = [
                    g.When(test=self.pred(row, depth - 1), then=self.expr(kind, row, depth - 1))
                    for _ in range(self.draw(st.integers(0, 2)))
                ]
                return g.Case(branches=branches, otherwise=self.expr(kind, row, depth - 1))
            case "arith":
                return self.arith(row, depth)
            case "aggregate":
                return self.aggregate(depth)
            case "lookup":
                return self.lookup(kind, depth)
            case "now":
                return g.Now(part="date")
            case "date":
                return self.date(row, depth)
            case _:
                values = _SCALARS[kind] if kind == "bool" else st.one_of(st.none(), _SCALARS[kind])
                return g.Const(value=self.draw(values))

    def _node_options(self, kind: Kind) -> list[g.Node]:
        found = [g.Node(name=name) for name, of in self.scalars.items() if of == kind]
        firsts = ((name, rel) for name, rel in self.relations.items() if rel.ordered)
        return found + [g.Node(name=n, field=c) for n, rel in firsts for c, of in rel.columns.items() if of == kind]

    def arith(self, row: Mapping[str, Kind], depth: int) -> g.Expr:
        one = self.expr("int", row, depth - 1)
        match self.one(["add", "sub", "mul", "mod", "min", "max", "div_half_up"]):
            case "mul":
                return g.Arith(fn="mul", args=[one, g.Const(value=self.draw(st.integers(-3, 5)))])
            case "mod":
                return g.Arith(fn="mod", args=[one, g.Const(value=self.draw(st.sampled_from([-7, -2, 1, 5, 100])))])
            case "div_half_up":
                return g.Arith(
                    fn="div_half_up", args=[one, g.Const(value=self.draw(st.sampled_from([1, 2, 3, 7, 100])))]
                )
            case "sub":
                return g.Arith(fn="sub", args=[one, self.expr("int", row, depth - 1)])
            case fn:
                more = [self.expr("int", row, depth - 1) for _ in range(self.draw(st.integers(1, 2)))]
                name: Literal["add", "min", "max"] = "add" if fn == "add" else "min" if fn == "min" else "max"
                return g.Arith(fn=name, args=[one, *more])

    def date(self, row: Mapping[str, Kind], depth: int) -> g.Expr:
        one = self.expr("date", row, depth - 1)
        match self.one(["day", "month_start", "add_days"]):
            case "add_days":
                return g.DateOf(fn="add_days", args=[one, g.Const(value=self.draw(st.integers(-400, 400)))])
            case fn:
                return g.DateOf(fn="day" if fn == "day" else "month_start", args=[one])

    def aggregate(self, depth: int) -> g.Expr:
        source = self.rel(depth - 1)
        fn, of = self.measure(source, depth)
        return g.Aggregate(fn=fn, source=source.rel, of=of)

    def measure(self, source: Rel, depth: int) -> tuple[Literal["count", "sum", "mean", "min", "max"], g.Expr | None]:
        fn = self.draw(st.sampled_from(["count", "sum", "mean", "min", "max"]))
        if fn == "count" and self.draw(st.booleans()):
            return "count", None
        names: dict[str, Literal["count", "sum", "mean", "min", "max"]] = {
            "count": "count", "sum": "sum", "mean": "mean", "min": "min", "max": "max",
        }  # fmt: skip
        return names[fn], self.expr("int", source.columns, depth - 1)

    def lookup(self, kind: Kind, depth: int) -> g.Expr:
        source = self.table() if self.draw(st.booleans()) else self.rel(depth - 1)
        fields = [name for name, of in source.columns.items() if of == kind]
        if not fields:
            return g.Const(value=None)
        where = self.pred(source.columns, depth - 1)
        if not source.ordered:
            if len(source.unique) != 1:
                return g.Const(value=None)
            key = g.Test(fn="eq", left=g.Col(name=source.unique[0]), right=self.expr("text", {}, 0))
            where = key if self.draw(st.booleans()) else g.All(of=[key, where])
        return g.Lookup(source=source.rel, where=where, field=self.one(fields))

    # --- predicates ---

    def pred(self, row: Mapping[str, Kind], depth: int) -> g.Pred:
        lists = [name for name, of in row.items() if of == "list"]
        match self.one(["test", "test"] if depth <= 0 else ["test", "all", "any", "not", *(["has"] if lists else [])]):
            case "all":
                return g.All(of=[self.pred(row, depth - 1) for _ in range(self.draw(st.integers(0, 3)))])
            case "any":
                return g.Any(of=[self.pred(row, depth - 1) for _ in range(self.draw(st.integers(0, 3)))])
            case "not":
                return g.Not(of=self.pred(row, depth - 1))
            case "has":
                return g.Has(column=self.one(lists), value=self.expr("text", row, depth - 1))
            case _:
                kind: Kind = self.draw(st.sampled_from(["int", "text", "date"]))
                fn = self.draw(st.sampled_from(["eq", "ne", "lt", "le", "gt", "ge"]))
                if self.draw(st.integers(0, 7)) == 0 and fn in ("eq", "ne"):
                    kind = "bool"
                test = g.Test(fn="eq", left=self.expr(kind, row, depth - 1), right=self.expr(kind, row, depth - 1))
                return test.model_copy(update={"fn": fn})

    # --- relations ---

    def table(self) -> Rel:
        self.prefixes += 1
        name, prefix = self.one(["items", "items", "owners", "nothing"]), f"t{self.prefixes}"
        columns: dict[str, Kind] = {f"{prefix}.{column}": kind for column, kind in TABLES[name].items()}
        return Rel(g.Table(table=name, prefix=prefix), columns, (f"{prefix}.id",))

    def rel(self, depth: int) -> Rel:
        options = ["table", *(["rows"] if self.relations else [])]
        match self.one(options if depth <= 0 else [*options, "select", "select", "join", "unnest", "group"]):
            case "rows":
                name = self.one(list(self.relations))
                return replace(self.relations[name], rel=g.NodeRows(name=name))
            case "select":
                return self.select(self.rel(depth - 1), depth)
            case "join":
                return self.join(depth)
            case "unnest":
                return self.unnest(self.rel(depth - 1))
            case "group":
                return self.group(self.rel(depth - 1), depth)
            case _:
                return self.table()

    def select(self, source: Rel, depth: int) -> Rel:
        columns = dict(source.columns)
        extra: list[g.Column] = []
        for _ in range(self.draw(st.integers(0, 3))):
            kind: Kind = self.draw(st.sampled_from(["int", "int", "text", "date"]))
            fresh = f"x{len(columns)}"
            reused = [
                name
                for name, of in columns.items()
                if of == kind and name.startswith("x") and name not in source.unique
            ]
            name = self.one([fresh, *reused])
            extra.append(g.Column(name=name, value=self.expr(kind, columns, depth - 1)))
            columns[name] = kind
        where = self.pred(columns, depth) if self.draw(st.integers(0, 2)) == 2 else None
        order: list[g.Order] = []
        if self.draw(st.booleans()):
            kinds: list[Kind] = self.draw(st.lists(st.sampled_from(["int", "text", "date"]), max_size=2))
            order = [g.Order(key=self.expr(k, columns, depth - 1), descending=self.draw(st.booleans())) for k in kinds]
            order += [g.Order(key=g.Col(name=name), descending=self.draw(st.booleans())) for name in source.unique]
        ordered = source.ordered or bool(order)
        limit = self.draw(st.one_of(st.none(), st.integers(0, 3))) if ordered else None
        rel = g.Select(source=source.rel, columns=extra, where=where, order=order, limit=limit)
        return Rel(rel, columns, source.unique, ordered)

    def join(self, depth: int) -> Rel:
        left, right = self.rel(depth - 1), self.rel(depth - 1)
        if left.columns.keys() & right.columns.keys():
            right = self.table()
        columns: dict[str, Kind] = {**left.columns, **right.columns}
        on: g.Pred = self.pred(columns, depth - 1)
        if self.draw(st.booleans()):
            pairs = [(a, b) for a, of in left.columns.items() for b, to in right.columns.items() if of == to == "text"]
            if pairs:
                one, other = self.draw(st.sampled_from(pairs))
                on = g.Test(fn="eq", left=g.Col(name=one), right=g.Col(name=other))
        rel = g.Join(left=left.rel, right=right.rel, on=on, keep_left=self.draw(st.booleans()))
        return Rel(rel, columns, (*left.unique, *right.unique))

    def unnest(self, source: Rel) -> Rel:
        lists = [name for name, kind in source.columns.items() if kind == "list"]
        if not lists:
            return source
        name = f"u{len(source.columns)}"
        rel = g.Unnest(source=source.rel, column=self.one(lists), name=name)
        return Rel(rel, {**source.columns, name: "text"}, (*source.unique, name))

    def group(self, source: Rel, depth: int) -> Rel:
        plain = [name for name, kind in source.columns.items() if kind != "list"]
        keys = self.draw(st.lists(st.sampled_from(plain), max_size=2, unique=True))
        measures: list[g.Measure] = []
        for number in range(self.draw(st.integers(0 if keys else 1, 2))):
            fn, of = self.measure(source, depth)
            measures.append(g.Measure(name=f"m{number}_{self.prefixes}", fn=fn, of=of))
        self.prefixes += 1
        columns: dict[str, Kind] = {**{key: source.columns[key] for key in keys}, **{m.name: "int" for m in measures}}
        return Rel(g.Group(source=source.rel, keys=keys, measures=measures), columns, tuple(keys))

    def goal(self) -> g.Goal:
        for number in range(self.draw(st.integers(1, 4))):
            name = f"n{number}"
            if self.draw(st.booleans()):
                rel = self.rel(3)
                self.nodes.append(g.NamedNode(name=name, rows=rel.rel))
                self.relations[name] = rel
            else:
                kind: Kind = self.draw(st.sampled_from(["int", "int", "date", "text"]))
                self.nodes.append(g.NamedNode(name=name, scalar=self.expr(kind, {}, 3)))
                self.scalars[name] = kind
        return g.Goal(nodes=self.nodes)


@st.composite
def goals(draw: st.DrawFn) -> tuple[g.Goal, dict[str, Rel]]:
    """A goal, and what is known of its relation nodes."""
    builder = Builder(draw)
    return builder.goal(), builder.relations
