"""The provenance graph while a plan is made: every node with its value."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from generators.tasks import program as p
from generators.tasks.program import Fixed, Given, Item, Traced
from language.constraints import stated_fields
from schemas.base import content
from schemas.goal import Not
from schemas.provenance import (
    Called,
    Clock,
    Decided,
    Derived,
    Element,
    Filtered,
    Grouped,
    Instruction,
    Joined,
    Mapped,
    Origin,
    Plucked,
    Policy,
    ReadOut,
    Result,
    Summed,
    Unnested,
    UserReply,
    Words,
)
from services.runtime.algebra import NO_ROW, Scope, aggregate, compile_expr, compile_pred, sort_rows
from services.runtime.identity import by_identity
from services.runtime.state import Base, State

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.tasks.program import Args, Computation, Decide, Derive, Filter, Group, Map, Pluck, Read, Sum, Unnest
    from schemas.base import Json
    from schemas.goal import Pred
    from services.runtime.algebra import Row

NO_TABLES = State(Base({}, {}, 0))
"""Derivations read tool results only."""


_RESULT, _ELEMENT = Result(step=0), Element(of=0, path=[])
"""What the most common nodes are made of, whose values need no validation."""
_expr = by_identity(compile_expr)
_pred = by_identity(compile_pred)


@by_identity
def _negated(test: Pred) -> Pred:
    return Not(of=test)


class NothingThereError(Exception):
    """A program takes an element of a list that has too few: the environment does not offer what it looks for."""


def dig(data: Json, path: Sequence[str | int]) -> Json:
    """Return the value at `path`.

    Raise NothingThereError when a list is too short; KeyError or TypeError when a program and a result do not fit.
    """
    for key in path:
        if isinstance(data, list) and isinstance(key, int) and key >= len(data):
            msg = f"there is no element {key} at {list(path)}"
            raise NothingThereError(msg)
        data = cast("dict[str, Json]", data)[cast("str", key)]
    return data


def column_words(base: Base, table: str, column: str) -> tuple[str, ...]:
    """Return the distinct texts of a column, the elements of lists one by one, sorted."""
    values = cast("list[str | tuple[str, ...]]", list(base.records(table).index(column)))
    return tuple(sorted({text for value in values for text in ((value,) if isinstance(value, str) else value)}))


class Graph:
    """Nodes in order of creation and the value of each; equal nodes are made once."""

    def __init__(self, now: str, slots: Mapping[str, Json], base: Base) -> None:
        """Start with no nodes; `slots` are the values the user told, `base` holds the words that texts may use."""
        self.now = now
        self.base = base
        self.slots = slots
        self.nodes: list[Origin] = []
        self.values: list[Json] = []
        self.decisions: list[int] = []
        self._known: dict[bytes, int] = {}
        self._parts: dict[tuple[bool, int, tuple[str | int, ...]], int] = {}
        """Nodes by whether they are part of a step's result or of a node, by its number, and by path."""

    def add(self, origin: Origin, value: Json) -> Traced:
        """Add a node with its value, or return the equal one that is there."""
        key = content(origin)
        index = self._known.get(key)
        if index is None:
            index = self._known[key] = self._append(origin, value)
        return Traced(value, index)

    def _append(self, origin: Origin, value: Json) -> int:
        self.nodes.append(origin)
        self.values.append(value)
        return len(self.nodes) - 1

    def slot(self, name: str) -> Traced:
        """Return the traced value of a slot told up front."""
        return self.add(Instruction(slot=name), self.slots[name])

    def reply(self, step: int, name: str, value: Json) -> Traced:
        """Return the traced value of a slot told in the answer to the question of plan step `step`."""
        return self.add(UserReply(step=step, slot=name), value)

    def today(self) -> Traced:
        """Return the traced date."""
        return self.add(Clock(part="date"), self.now[:10])

    def resolve(self, given: Given) -> Traced:
        """Return a node for what a program passed: a part of a traced value or a fixed constant becomes one."""
        if isinstance(given, Fixed):
            return self.add(Policy(name=given.name, value=given.value), given.value)
        if not isinstance(given, Item):
            return given
        root = self.resolve(given.root).node
        origin = self.nodes[root]
        if isinstance(origin, Result):
            key = True, origin.step, (*origin.path, *given.path)
        else:
            key = False, root, given.path
        index = self._parts.get(key)
        if index is None:
            value, (of_step, number, path) = dig(self.values[root], given.path), key
            empty, of = (_RESULT, "step") if of_step else (_ELEMENT, "of")
            part = empty.changed({of: number, "path": list(path)})
            index = self._parts[key] = self._append(part, value)
        return Traced(self.values[index], index)

    def value(self, given: Given) -> Json:
        """Return the plain value of what a program passed."""
        return self.values[self.resolve(given).node]

    def rows(self, given: Given) -> tuple[int, list[Row]]:
        """Return the node and the rows of a traced list."""
        node = self.resolve(given).node
        return node, cast("list[Row]", self.values[node])

    def result(self, step: int, value: Json) -> Traced:
        """Return the traced result of a plan step."""
        key = True, step, ()
        index = self._parts.get(key)
        if index is None:
            index = self._parts[key] = self._append(_RESULT.changed({"step": step, "path": []}), value)
        return Traced(self.values[index], index)

    def joined(self, parts: Sequence[Traced]) -> Traced:
        """Return the lists `parts` as one."""
        items = [item for part in parts for item in cast("list[Json]", self.values[part.node])]
        return self.add(Joined(inputs=[part.node for part in parts]), items)

    def called(self, over: int, results: Sequence[Traced]) -> Traced:
        """Return the rows of `over`, each extended by the result of its call."""
        rows = cast("list[dict[str, Json]]", self.values[over])
        extended: list[Json] = [
            {**row, **cast("dict[str, Json]", self.values[result.node])}
            for row, result in zip(rows, results, strict=True)
        ]
        return self.add(Called(over=over, inputs=[result.node for result in results]), extended)

    def _scope(self, args: Args) -> tuple[dict[str, int], Scope]:
        nodes = {name: self.resolve(given).node for name, given in args.items()}
        return nodes, Scope(NO_TABLES, self.now, {name: self.values[node] for name, node in nodes.items()})

    def compute(self, command: Computation) -> Traced | bool:
        """Return what a command computes from traced values: a traced value, or the plain truth of a decision."""
        match command:
            case p.Filter():
                return self.filtered(command)
            case p.Map():
                return self.mapped(command)
            case p.Unnest():
                return self.unnested(command)
            case p.Pluck():
                return self.plucked(command)
            case p.Sum():
                return self.summed(command)
            case p.Read():
                return self.read_out(command)
            case p.Group():
                return self.grouped(command)
            case p.Derive():
                return self.derived(command)
            case p.Decide():
                return self.decided(command)

    def filtered(self, command: Filter) -> Traced:
        """Return the rows a filter leaves, in its order."""
        over, rows = self.rows(command.rows)
        args, scope = self._scope(command.args)
        if command.where is not None:
            test = _pred(command.where)
            rows = [row for row in rows if test(row, scope)]
        rows = sort_rows(rows, [(_expr(key.key), key.descending) for key in command.order], scope)
        origin = Filtered(over=over, where=command.where, order=list(command.order), args=args)
        return self.add(origin, cast("Json", rows))

    def mapped(self, command: Map) -> Traced:
        """Return the rows with computed columns."""
        over, rows = self.rows(command.rows)
        args, scope = self._scope(command.args)
        columns = [(column.name, _expr(column.value)) for column in command.columns]
        extended: list[dict[str, object]] = []
        for row in rows:
            wider = dict(row)
            for name, value in columns:
                wider[name] = value(wider, scope)
            extended.append(wider)
        return self.add(Mapped(over=over, columns=list(command.columns), args=args), cast("Json", extended))

    def unnested(self, command: Unnest) -> Traced:
        """Return the elements of a list column, each with its row's other fields."""
        over, rows = self.rows(command.rows)
        found: list[Json] = []
        for row in rows:
            rest = {key: value for key, value in row.items() if key != command.column}
            # Rows of another type (a membership among orders) have no such list.
            found.extend(
                cast("Json", {**rest, **item}) for item in cast("list[dict[str, object]]", row.get(command.column, []))
            )
        return self.add(Unnested(over=over, column=command.column), found)

    def plucked(self, command: Pluck) -> Traced:
        """Return the values of one column."""
        over, rows = self.rows(command.rows)
        return self.add(Plucked(over=over, column=command.column), cast("Json", [row[command.column] for row in rows]))

    def read_out(self, command: Read) -> Traced:
        """Return the rows with what their texts state."""
        over, rows = self.rows(command.rows)
        words = {field: Words(table=table, column=column) for field, (table, column) in command.words.items()}
        known = {field: column_words(self.base, *place) for field, place in command.words.items()}
        read = [{**row, **dict(stated_fields(str(row[command.column]), known))} for row in rows]
        return self.add(ReadOut(over=over, column=command.column, words=words), cast("Json", read))

    def summed(self, command: Sum) -> Traced:
        """Return an aggregate over rows."""
        over, rows = self.rows(command.rows)
        args, scope = self._scope(command.args)
        value = _expr(command.value) if command.value else None
        total = aggregate(command.fn, [value(row, scope) if value else 1 for row in rows])
        origin = Summed.model_validate({"over": over, "fn": command.fn, "value": command.value, "args": args})
        return self.add(origin, cast("Json", total))

    def grouped(self, command: Group) -> Traced:
        """Return one row per combination of keys, with its measures."""
        over, rows = self.rows(command.rows)
        groups: dict[tuple[object, ...], list[Row]] = {}
        for row in rows:
            groups.setdefault(tuple(row[key] for key in command.keys), []).append(row)
        readers = [(m.name, m.fn, _expr(m.of) if m.of else None) for m in command.measures]
        _, scope = self._scope({})
        found = [
            dict(zip(command.keys, key, strict=True))
            | {name: aggregate(fn, [of(row, scope) if of else 1 for row in members]) for name, fn, of in readers}
            for key, members in groups.items()
        ]
        origin = Grouped(over=over, keys=list(command.keys), measures=list(command.measures))
        return self.add(origin, cast("Json", found))

    def derived(self, command: Derive) -> Traced:
        """Return the value of an expression over traced arguments."""
        args, scope = self._scope(command.args)
        value = _expr(command.value)(NO_ROW, scope)
        return self.add(Derived(value=command.value, args=args), cast("Json", value))

    def decided(self, command: Decide) -> bool:
        """Return the truth of a predicate and record the branch: a predicate that fails is recorded as its negation."""
        args, scope = self._scope(command.args)
        truth = _pred(command.test)(NO_ROW, scope)
        test = command.test if truth else _negated(command.test)
        node = self.add(Decided(test=test, args=args), True).node
        if node not in self.decisions:
            self.decisions.append(node)
        return truth
