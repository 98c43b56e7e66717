"""Tools: one typed function with a decorator, from which schema, documentation, validation and tests are derived.

The first parameter of a tool is its `Context`; the others are the arguments a model gives, annotated with
`Annotated[type, Meta(description=…)]`. A tool reads and writes through the context, returns JSON data, and refuses with
`c.refuse(CODE, message)`, where CODE is one of the error codes it declares.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, NoReturn, TypeAlias, TypeVar, cast

import orjson

from schemas.base import Json, canonical
from services.runtime.arguments import arguments_of, defaults_of, json_data, parse, schema_of
from services.runtime.records import Record

if TYPE_CHECKING:
    from collections.abc import Sequence

    import msgspec

    from services.runtime.algebra import Row
    from services.runtime.declare import Alternative, Approval, Asking, Side, Undo
    from services.runtime.environment import Environment
    from services.runtime.families import Family

R = TypeVar("R", bound=Record)
ToolFn: TypeAlias = Callable[..., dict[str, Json]]

UNIVERSAL_ERRORS: Mapping[str, str] = {
    "UNKNOWN_TOOL": "There is no tool of this name.",
    "WRONG_SIDE": "The tool is for the user, or for the assistant, only.",
    "TOOL_NOT_AVAILABLE": "The feature that the tool belongs to has not been made available in this conversation.",
    "INVALID_ARGUMENTS": "The arguments do not fit the tool's schema.",
    "CONFIRMATION_REQUIRED": "The user has not said yes to this call with these arguments.",
    "INTERNAL_ERROR": "The tool has a defect.",
}
"""Error codes that a call may return whatever tool it names, and when."""


class ToolRefusal(Exception):
    """A refusal that the caller sees as a structured error; nothing is written."""

    def __init__(self, code: str, message: str, details: Mapping[str, Json]) -> None:
        """Refuse with a declared code, a message and further fields."""
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = dict(details)


@dataclass(frozen=True, slots=True)
class Tool:
    """A declared tool."""

    name: str
    side: Side
    write: bool
    fn: ToolFn
    summary: str
    """What it does, one or two sentences; the first paragraph of the function's docstring."""
    returns: str
    """What the result holds; the docstring's second paragraph."""
    arguments: type[msgspec.Struct]
    schema: dict[str, Json]
    """JSON Schema of the arguments object."""
    gates: tuple[str, ...] = ()
    errors: Mapping[str, str] = field(default_factory=dict[str, str])
    """Own error codes and when they are returned."""
    confirm: bool = False
    behind: str = ""
    """Feature that must have been unlocked in this session."""
    family: Family | None = None
    """Whom the tool is offered for, each apart; a declared tool of a family is no tool that can be called."""
    fixed: Mapping[str, str] = field(default_factory=dict[str, str])
    """Argument that callers do not give: the member of the family."""
    unlocks: str = ""
    """Feature that a successful call makes available; of a family, what stands for that of the member it names."""
    example: Mapping[str, Json] = field(default_factory=dict[str, Json])
    approval: Approval | None = None
    alternatives: tuple[Alternative, ...] = ()
    undo: Undo | None = None
    splits: str = ""
    """Integer argument such that two calls with a and b equal one with a + b."""
    settles: bool = False
    """Settles transactions: every transaction kind adds its error codes."""
    before: Callable[..., None] | None = None
    """What refuses before the gates are tried, so that nobody opens a gate for a call that cannot succeed."""
    defaults: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What an argument that is not given stands for, where a condition on the call asks for it."""
    asking: Asking | None = None
    """How the user is asked to say yes to the call or, on the user's side, to make it."""

    @property
    def callable(self) -> bool:
        """Whether calls can name it: not where it stands for the tools of several members."""
        return self.family is None or bool(self.fixed)

    def openai(self) -> dict[str, Json]:
        """Return the tool as an entry of the `tools` list of a chat-completions request; the caller may change it."""
        parameters = orjson.loads(orjson.dumps(self.schema))
        description = f"{self.summary}\n\nReturns {self.returns}" if self.returns else self.summary
        function: dict[str, Json] = {"name": self.name, "description": description, "parameters": parameters}
        return {"type": "function", "function": function}


def tool(
    *,
    side: Side,
    write: bool = False,
    name: str = "",
    gates: Sequence[str] = (),
    errors: Mapping[str, str] | None = None,
    confirm: bool = False,
    behind: str = "",
    family: Family | None = None,
    unlocks: str = "",
    example: Mapping[str, Json] | None = None,
    approval: Approval | None = None,
    alternatives: Sequence[Alternative] = (),
    undo: Undo | None = None,
    splits: str = "",
    settles: bool = False,
    before: Callable[..., None] | None = None,
    asking: Asking | None = None,
) -> Callable[[ToolFn], Tool]:
    """Declare a function as a tool; see `Tool` for the meaning of the options."""

    def declare(fn: ToolFn) -> Tool:
        if not fn.__doc__:
            # Under -OO it is taken away, and an assistant would be offered tools without a description.
            msg = f"the tool {name or fn.__name__} has no docstring to describe it (Python must not run with -OO)"
            raise ValueError(msg)
        summary, _, returns = inspect.cleandoc(fn.__doc__).partition("\n\n")
        arguments = arguments_of(fn, () if family is None else (family.argument,))
        own = name or fn.__name__
        return Tool(
            name=own if family is None else family.declared(own),
            side=side,
            write=write,
            fn=fn,
            summary=" ".join(summary.split()),
            returns=" ".join(returns.split()),
            arguments=arguments,
            schema=schema_of(arguments),
            gates=tuple(gates),
            errors=dict(errors or {}),
            confirm=confirm,
            behind=behind if family is None else family.behind,
            family=family,
            unlocks=unlocks,
            example=dict(example or {}),
            approval=approval,
            alternatives=tuple(alternatives),
            undo=undo,
            splits=splits,
            settles=settles,
            before=before,
            asking=asking,
            defaults=defaults_of(arguments),
        )

    return declare


def parse_arguments(tool: Tool, arguments: Mapping[str, Json]) -> dict[str, Any]:
    """Return validated arguments as keyword arguments, those not given left out.

    1.0 counts as the integer 1, as in JSON Schema. Raise ToolRefusal with `INVALID_ARGUMENTS` naming what does not fit.
    """
    try:
        return parse(arguments, tool.arguments)
    except ValueError as error:
        raise ToolRefusal("INVALID_ARGUMENTS", str(error), {}) from error


class Context:
    """What a tool may use: records, the clock, ids and refusals. Every record it touches is noted, for commutation."""

    __slots__ = ("_state", "_table_of", "env", "reads", "volatile", "writes")

    def __init__(self, env: Environment) -> None:
        """Open a context for one call."""
        self.env = env
        self._state = env.state_
        self._table_of = env.catalogue.table_of
        self.reads: set[tuple[str, str]] = set()
        self.writes: set[tuple[str, str]] = set()
        self.volatile = False
        """Whether the call used or changed the session, so that its result does not follow from what it read."""

    @property
    def now(self) -> str:
        """The frozen time of the environment."""
        return self.env.now

    @property
    def today(self) -> str:
        """The frozen date of the environment."""
        return self.env.now[:10]

    def get(self, kind: type[R], key: str) -> R | None:
        """Return the record with this id, or None."""
        table = self._table_of[kind]
        self.reads.add((table, key))
        return cast("R | None", self._state.get(table, key))

    def all(self, kind: type[R]) -> list[R]:
        """Return all records of the table that holds `kind`; sort them before showing them."""
        table = self._table_of[kind]
        self.reads.add((table, "*"))
        return cast("list[R]", self._state.all(table))

    def where(self, kind: type[R], field_name: str, value: object) -> list[R]:
        """Return the records whose field equals `value`, by index."""
        table = self._table_of[kind]
        self.reads.add((table, "*"))
        return cast("list[R]", self._state.where(table, field_name, value))

    def blob(self, name: str) -> memoryview:
        """Return the values of a blob, read-only. Raise KeyError when there is none of this name."""
        blobs = self._state.base.blobs
        self.reads.add((blobs.table_of(name), name))
        return blobs[name]

    def put(self, record: Record) -> None:
        """Replace the record with the same id."""
        table = self._table_of[type(record)]
        self.writes.add((table, record.id))
        self._state.set(table, record.id, record)

    def create(self, kind: type[R], /, **fields: object) -> R:
        """Create a record under the next id of its table and return it."""
        table = self._table_of[kind]
        record = kind(id=self.env.next_id(table), **fields)
        self.writes.add((table, record.id))
        self._state.set(table, record.id, record)
        return record

    def delete(self, record: Record) -> None:
        """Delete a record."""
        table = self._table_of[type(record)]
        self.writes.add((table, record.id))
        self._state.set(table, record.id, None)

    def stamp(self) -> str:
        """Return the time of this write: `now` plus n seconds for the n-th successful write of the session."""
        self.volatile = True
        return self.env.stamp()

    def unlock(self, feature: str) -> None:
        """Make the tools behind `feature` callable for the rest of the session."""
        self.volatile = True
        self.env.unlock(feature)

    def tools_behind(self, feature: str) -> list[dict[str, Json]]:
        """Return the tools that `feature` makes available, as OpenAI tool schemas, by name."""
        return [one.openai() for one in self.env.catalogue.tools.by_feature.get(feature, [])]

    def refuse(self, code: str, message: str, **details: Json) -> NoReturn:
        """End the call with a structured error; nothing it wrote stays."""
        raise ToolRefusal(code, message, details)

    # As a source of the goal algebra, for gates.

    def rows(self, table: str, prefix: str) -> Sequence[Row]:
        """Return all records of a table as rows."""
        self.reads.add((table, "*"))
        return self._state.rows(table, prefix)

    def one(self, table: str, key: str, prefix: str) -> Row | None:
        """Return one record as a row."""
        self.reads.add((table, key))
        return self._state.one(table, key, prefix)

    def columns(self, table: str) -> tuple[str, ...]:
        """Return the field names of a table."""
        return self._state.columns(table)


def call_key(tool_name: str, arguments: Mapping[str, Json]) -> str:
    """Return the canonical text of a call, by which a confirmation is bound to its arguments.

    Raise ValueError when the arguments are no exact JSON, so that no call can have them.
    """
    return canonical([tool_name, json_data(arguments)]).decode()
