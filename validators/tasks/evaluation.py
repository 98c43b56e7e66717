"""Evaluates the provenance graph of a plan anew, on the results as recorded.

The closed table of functions inside expressions is the one that the planner used; what the kinds of nodes mean is said
here once more.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NoReturn, TypeAlias, TypeVar, cast

from language.constraints import stated_fields
from schemas import provenance as o
from schemas.plan import Ask, Call
from services.runtime.algebra import NO_ROW, Scope, compile_expr, compile_pred
from services.runtime.identity import by_identity
from validators.tasks.graph import inputs

if TYPE_CHECKING:
    from schemas.base import Json
    from schemas.goal import Order
    from schemas.plan import Plan
    from services.runtime.algebra import Row

_expr = by_identity(compile_expr)
_pred = by_identity(compile_pred)
"""Compiled once for all plans that share the expression."""
Rows: TypeAlias = list[dict[str, "Json"]]
N = TypeVar("N")


Column: TypeAlias = Callable[[str, str], "Sequence[Json]"]
"""Returns the distinct values of a column, by table and column of state or world."""


class GraphError(ValueError):
    """A node that cannot be evaluated, or that says what is not so."""


class _NoTables:
    """Expressions over tool results read no tables."""

    def rows(self, table: str, prefix: str) -> NoReturn:
        """Refuse."""
        raise GraphError(f"table {table!r} is no tool result")

    def one(self, table: str, key: str, prefix: str) -> NoReturn:
        """Refuse."""
        raise GraphError(f"table {table!r} is no tool result")

    def columns(self, table: str) -> NoReturn:
        """Refuse."""
        raise GraphError(f"table {table!r} is no tool result")


_NO_TABLES = _NoTables()
_READ = frozenset((o.Instruction, o.UserReply, o.Result, o.Clock))
"""Nodes that were read or told."""


class Graph:
    """The nodes of a plan with what each is worth."""

    def __init__(
        self,
        plan: Plan,
        slots: Mapping[str, Json],
        now: str,
        column: Column | None = None,
        replies: Mapping[int, Mapping[str, Json]] | None = None,
    ) -> None:
        """Evaluate every node; `slots` are those told up front, `column` gives the words that texts may use.

        `replies` are the facts that the user tells in answer to a step.

        Raise GraphError naming the node that is wrong.
        """
        self.column = column
        self.plan = plan
        self.slots = slots
        self.replies = replies or {}
        self.now = now
        self.sources: list[list[int]] = []
        """The nodes that each node is computed from."""
        self._kinds: dict[type[object], list[tuple[int, o.Origin]]] = {}
        self.values: list[Json] = []
        self.latest: list[int] = []
        """The last step that a node's value rests on; -1 for none."""
        self.grounded: list[bool] = []
        """Whether something that was read or told enters a node's value."""
        for index, origin in enumerate(plan.nodes):
            self._add(index, origin)

    def _add(self, index: int, origin: o.Origin) -> None:
        sources = inputs(origin)
        if sources and not 0 <= min(sources) <= max(sources) < index:
            raise GraphError(f"node {index} ({origin.kind}) refers to a node that is not before it")
        try:
            value = _EVALUATE[type(origin)](self, origin)
        except (LookupError, TypeError, ValueError) as error:
            raise GraphError(f"node {index} ({origin.kind}): {error}") from error
        latest, grounded = self.latest, self.grounded
        own = origin.step if isinstance(origin, o.Result | o.UserReply) else -1
        self.sources.append(sources)
        self._kinds.setdefault(type(origin), []).append((index, origin))
        self.values.append(value)
        latest.append(max([own, *[latest[node] for node in sources]]))
        grounded.append(type(origin) in _READ or True in [grounded[node] for node in sources])

    def nodes_of(self, kind: type[N]) -> Sequence[tuple[int, N]]:
        """Return the nodes of one kind with their places, in order."""
        return cast("Sequence[tuple[int, N]]", self._kinds.get(kind, ()))

    def scope(self, args: Mapping[str, int]) -> Scope:
        """Return what the expressions of a node with these arguments read."""
        return Scope(_NO_TABLES, self.now, {name: self.values[node] for name, node in args.items()})

    def rows(self, node: int) -> Rows:
        """Return the value of a node that is a list of objects. Raise GraphError when it is none."""
        value = self.values[node]
        if not isinstance(value, list) or not all(isinstance(row, dict) for row in value):
            raise GraphError(f"node {node} is no list of objects")
        return cast("Rows", value)

    def call(self, step: int) -> Call:
        """Return a step that is a call. Raise GraphError when it is none."""
        found = self.plan.steps[step] if 0 <= step < len(self.plan.steps) else None
        if not isinstance(found, Call):
            raise GraphError(f"step {step} is no call")
        return found


def follow(value: Json, path: Sequence[str | int]) -> Json:
    """Return what stands at `path`: an object by key, a list by position. Raise GraphError when nothing does."""
    for key in path:
        keyed = isinstance(value, dict) and isinstance(key, str) and key in value
        if not keyed and not (isinstance(value, list) and isinstance(key, int) and 0 <= key < len(value)):
            raise GraphError(f"nothing stands at {key!r} of {list(path)}")
        value = cast("dict[str | int, Json]", value)[key]
    return value


def sort_keys(order: Sequence[Order], rows: Sequence[Row], scope: Scope) -> list[list[tuple[bool, Json]]]:
    """Return for each key of `order` its value per row, in a form that compares with null first."""
    found: list[list[tuple[bool, Json]]] = []
    for key in order:
        value = _expr(key.key)
        column = [cast("Json", value(row, scope)) for row in rows]
        found.append([(item is not None, item) for item in column])
    return found


def _instruction(graph: Graph, node: o.Instruction) -> Json:
    if node.slot not in graph.slots:
        raise GraphError(f"no slot {node.slot!r} is told up front")
    return graph.slots[node.slot]


def _user_reply(graph: Graph, node: o.UserReply) -> Json:
    step = graph.plan.steps[node.step] if 0 <= node.step < len(graph.plan.steps) else None
    facts = graph.replies.get(node.step, {})
    if node.slot in facts:
        return facts[node.slot]
    if not isinstance(step, Ask) or node.slot:
        raise GraphError(f"step {node.step} is no question that the user answers with {node.slot or 'yes or no'!r}")
    return step.granted


def _result(graph: Graph, node: o.Result) -> Json:
    return follow(graph.call(node.step).result, node.path)


def _clock(graph: Graph, node: o.Clock) -> Json:
    return graph.now[:10] if node.part == "date" else graph.now


def _policy(_: Graph, node: o.Policy) -> Json:
    return node.value


def _derived(graph: Graph, node: o.Derived) -> Json:
    return cast("Json", _expr(node.value)(NO_ROW, graph.scope(node.args)))


def _decided(graph: Graph, node: o.Decided) -> Json:
    if _pred(node.test)(NO_ROW, graph.scope(node.args)) is not True:
        raise GraphError("the branch taken is not the one that the results call for")
    return True


def _joined(graph: Graph, node: o.Joined) -> Json:
    return [item for part in node.inputs for item in graph.rows(part)]


def _called(graph: Graph, node: o.Called) -> Json:
    rows = graph.rows(node.over)
    results = [graph.values[part] for part in node.inputs]
    if len(rows) != len(results):
        raise GraphError(f"{len(results)} calls for {len(rows)} rows")
    extended: list[Json] = []
    for row, result in zip(rows, results, strict=True):
        if not isinstance(result, dict):
            raise GraphError("a call's result is no object")
        extended.append({**row, **result})
    return extended


def _unnested(graph: Graph, node: o.Unnested) -> Json:
    found: list[Json] = []
    for row in graph.rows(node.over):
        inner = row.get(node.column)
        for item in inner if isinstance(inner, list) else []:
            if not isinstance(item, dict):
                raise GraphError(f"an element of {node.column!r} is no object")
            found.append({**{key: value for key, value in row.items() if key != node.column}, **item})
    return found


def _plucked(graph: Graph, node: o.Plucked) -> Json:
    return [row[node.column] for row in graph.rows(node.over)]


def _mapped(graph: Graph, node: o.Mapped) -> Json:
    scope = graph.scope(node.args)
    columns = [(column.name, _expr(column.value)) for column in node.columns]
    extended: list[Json] = []
    for row in graph.rows(node.over):
        wider = dict(row)
        for name, value in columns:
            wider[name] = cast("Json", value(wider, scope))
        extended.append(wider)
    return extended


def _filtered(graph: Graph, node: o.Filtered) -> Json:
    scope, rows = graph.scope(node.args), graph.rows(node.over)
    if node.where is not None:
        test = _pred(node.where)
        rows = [row for row in rows if test(row, scope)]
    keys = sort_keys(node.order, rows, scope)
    places = list(range(len(rows)))
    # Sorting by the last key first, and keeping what is equal in place, sorts by all keys.
    for key, column in reversed(list(zip(node.order, keys, strict=True))):
        places.sort(key=column.__getitem__, reverse=key.descending)
    return [rows[place] for place in places]


def _summed(graph: Graph, node: o.Summed) -> Json:
    scope, rows = graph.scope(node.args), graph.rows(node.over)
    if node.value is None:
        if node.fn != "count":
            raise GraphError(f"{node.fn} of nothing")
        return len(rows)
    value = _expr(node.value)
    return _total(node.fn, [value(row, scope) for row in rows])


def _total(fn: str, values: Sequence[object]) -> Json:
    """Return an aggregate of values, null left out. Raise GraphError for a function there is not."""
    present = [cast("int", value) for value in values if value is not None]
    if fn == "count":
        return len(present)
    if fn == "sum":
        return sum(present)
    if fn not in {"min", "max"}:
        raise GraphError(f"{fn!r} is no function of a group")
    if not present:
        return None
    return min(present) if fn == "min" else max(present)


def _grouped(graph: Graph, node: o.Grouped) -> Json:
    """Take one group after the other: the rows that agree with the first row left over."""
    scope, left = graph.scope({}), graph.rows(node.over)
    measures = [(m.name, m.fn, _expr(m.of) if m.of else None) for m in node.measures]
    found: list[Json] = []
    while left:
        key = {name: left[0][name] for name in node.keys}
        members = [row for row in left if {name: row[name] for name in key} == key]
        left = [row for row in left if {name: row[name] for name in key} != key]
        found.append(
            {**key, **{name: _total(fn, [of(row, scope) if of else 1 for row in members]) for name, fn, of in measures}}
        )
    return found


def _read_out(graph: Graph, node: o.ReadOut) -> Json:
    if graph.column is None:
        raise GraphError("nothing says which words a text may use")
    words = {name: [str(word) for word in graph.column(at.table, at.column)] for name, at in node.words.items()}
    return [{**row, **dict(stated_fields(_text_of(row, node.column), words))} for row in graph.rows(node.over)]


def _text_of(row: Mapping[str, Json], column: str) -> str:
    text = row[column]
    if not isinstance(text, str):
        raise GraphError(f"{column!r} is no text")
    return text


def _element(graph: Graph, node: o.Element) -> Json:
    return follow(graph.values[node.of], node.path)


_EVALUATE: Mapping[type[object], Callable[[Graph, object], Json]] = cast(
    "Mapping[type[object], Callable[[Graph, object], Json]]",
    {
        o.Instruction: _instruction,
        o.UserReply: _user_reply,
        o.Result: _result,
        o.Clock: _clock,
        o.Policy: _policy,
        o.Derived: _derived,
        o.Decided: _decided,
        o.Joined: _joined,
        o.Called: _called,
        o.Unnested: _unnested,
        o.Plucked: _plucked,
        o.Mapped: _mapped,
        o.Filtered: _filtered,
        o.Summed: _summed,
        o.ReadOut: _read_out,
        o.Grouped: _grouped,
        o.Element: _element,
    },
)
