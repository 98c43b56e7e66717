"""Calls to try on an environment: drawn from the schemas of tools, legal ones and ones broken on purpose."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, cast

from services.runtime.families import for_member
from services.runtime.streams import Stream

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from schemas.base import Json
    from services.runtime.declare import Side
    from services.runtime.families import Family
    from services.runtime.tools import Tool

Schema = Mapping[str, "Json"]
Fault = Literal["none", "missing", "extra", "value", "form", "side", "name"]
FAULTS: tuple[tuple[Fault, int], ...] = (
    ("none", 76),
    ("missing", 4),
    ("extra", 4),
    ("value", 8),
    ("form", 2),
    ("side", 3),
    ("name", 3),
)
"""What is wrong with a call, with weights."""
READ_WEIGHT, WRITE_WEIGHT, GATED_WEIGHT = 2, 3, 6
"""How often tools are drawn: gated ones lie deepest."""
CONFIRMED = 75
"""Chance in percent that a call which needs the user's yes has it."""
MADE, SEEN, HELD = 45, 40, 8
"""Chances in percent that a text argument is what the last write returned under its name, any value seen there, or some
id of the state; else it is odd."""
MOST_SEEN = 40
TIMED = 75
"""Chance in percent that a text which is a date or a time, by its description, is one; around the frozen now."""
EARLIEST, LATEST = -35, 15
"""Days from now."""
EXAMPLE = 25
"""Chance in percent that an argument is what the tool's example gives; ids in examples are made up."""
FOUND = 80
"""Chance in percent that a caller who wants a tool that is not offered tries first what makes it available."""
ODD_TEXTS = ("", " ", "none", "p_000000_000", "tx_0000000000", "null", "O'Brien; --", "größe", "x" * 300)
ODD_INTEGERS = (0, -1, 2, 3, 4, 5, 7, 40, 1_000, 10**6, 2**53 - 1)
ODD_NUMBERS: tuple[float, ...] = (0, -5, 0.01, 1, 5.5, 12.34, 20, 50, 99.99, 0.001, 10_000, 1e15)
WRONG_VALUES: tuple[object, ...] = (
    None,
    True,
    "",
    "1",
    -1,
    0,
    1.5,
    2**70,
    float("nan"),
    float("inf"),
    (),
    {},
    "\ud800",
    {"a": [1]},
)


@dataclass(frozen=True, slots=True)
class Attempt:
    """One call to try."""

    tool: str
    arguments: Mapping[str, Json]
    side: Side
    confirmed: bool
    fault: Fault


@dataclass(slots=True)
class Seen:
    """What a caller knows: values by the name under which results showed them, and ids of the state."""

    ids: Sequence[str]
    now: str
    values: dict[str, list[str]] = field(default_factory=dict[str, "list[str]"])
    made: dict[str, str] = field(default_factory=dict[str, str])
    """What the last write returned, by name."""
    _members: dict[str, Sequence[str]] = field(default_factory=dict[str, "Sequence[str]"])

    def known(self, name: str) -> Sequence[str]:
        """Return texts that results showed under a name; what is asked for as `x_name` is shown as `x` too."""
        return self.values.get(name) or self.values.get(name.removesuffix("_name"), ())

    def members(self, family: Family) -> Sequence[str]:
        """Return the members of a family that the state knows; all when it knows none."""
        if family.label not in self._members:
            known = set(self.ids)
            self._members[family.label] = [m for m in family.members if m in known] or family.members
        return self._members[family.label]

    def note(self, result: Json, *, write: bool) -> None:
        """Remember the texts in a result, up to a number per name."""
        for name, value in _texts(result):
            known = self.values.setdefault(name, [])
            if len(known) < MOST_SEEN and value not in known:
                known.append(value)
            if write:
                self.made[name] = value


def _texts(result: Json) -> Iterator[tuple[str, str]]:
    """Yield every text in a result with the name it stands under."""
    pending: list[Json] = [result]
    while pending:
        node = pending.pop()
        if isinstance(node, list):
            pending.extend(node)
        elif isinstance(node, dict):
            for name, value in node.items():
                if isinstance(value, str):
                    yield name, value
                elif isinstance(value, (list, dict)):
                    pending.append(value)


def _day(stream: Stream, now: str) -> str:
    """Return a day around now."""
    moved = dt.timedelta(days=stream.between(EARLIEST, LATEST))
    return (dt.date.fromisoformat(now[:10]) + moved).isoformat()


def _clock(stream: Stream, _: str) -> str:
    """Return a time of day."""
    return f"{stream.below(24):02d}:{5 * stream.below(12):02d}"


def _moment(stream: Stream, now: str) -> str:
    """Return a moment around now."""
    return f"{_day(stream, now)}T{_clock(stream, now)}:00"


_FORMS: tuple[tuple[str, Callable[[Stream, str], str]], ...] = (
    ("YYYY-MM-DDT", _moment),
    ("YYYY-MM-DD", _day),
    ("HH:MM", _clock),
)
"""What stands in the description of a text argument that is a day, a time or a moment, and what draws one."""


def weighted_tools(tools: Mapping[str, Tool]) -> list[tuple[Tool, int]]:
    """Return tools by name, with how often they are drawn."""
    return [(tool, _weight(tool)) for _, tool in sorted(tools.items())]


def _weight(tool: Tool) -> int:
    if tool.gates:
        return GATED_WEIGHT
    return WRITE_WEIGHT if tool.write else READ_WEIGHT


def opening(tools: Mapping[str, Tool]) -> list[Attempt]:
    """Return the example call of every read, by which a caller finds out what there is."""
    return [
        Attempt(tool.name, tool.example, tool.side, tool.confirm, "none")
        for _, tool in sorted(tools.items())
        if not tool.write and tool.callable
    ]


def draw_attempt(
    stream: Stream, tools: Sequence[tuple[Tool, int]], seen: Seen, unlocked: Collection[str] = ()
) -> Attempt:
    """Return the next call to try; `tools` are weighted, and those behind a feature are `unlocked` or not."""
    tool = stream.weighted(tools)
    given: dict[str, Json] = {}
    if tool.family is not None:
        member = stream.choice(seen.members(tool.family))
        given[tool.family.argument] = member
        tool = for_member(tool, member)
    if tool.behind and tool.behind not in unlocked and stream.chance(FOUND, 100):
        ahead = {tool.behind, tool.family.behind} if tool.family is not None else {tool.behind}
        tool = next((other for other, _ in tools if other.unlocks in ahead), tool)
    fault = stream.weighted(FAULTS)
    arguments = cast("dict[str, Json]", draw_value(stream, tool.schema, "", seen))
    for name in arguments:
        if name in given:
            arguments[name] = given[name]
        elif name in tool.example and not name.endswith("_id") and stream.chance(EXAMPLE, 100):
            arguments[name] = tool.example[name]
    side, name = tool.side, tool.name
    match fault:
        case "missing" if arguments:
            del arguments[stream.choice(sorted(arguments))]
        case "extra":
            arguments["unasked"] = 1
        case "value" if arguments:
            arguments[stream.choice(sorted(arguments))] = cast("Json", stream.choice(WRONG_VALUES))
        case "form":
            arguments = cast("dict[str, Json]", stream.choice(([], "text", 3)))
        case "side":
            side = "assistant" if side == "user" else "user"
        case "name":
            name = stream.choice((name.upper(), f"{name}_", ""))
        case _:
            pass
    return Attempt(name, arguments, side, tool.confirm and stream.chance(CONFIRMED, 100), fault)


def draw_value(stream: Stream, schema: Schema, name: str, seen: Seen) -> Json:
    """Return a value that fits the schema. Raise ValueError for a schema of unknown form."""
    options = cast("list[Json] | None", schema.get("enum"))
    if options is not None:
        return stream.choice(options)
    choices = cast("list[Schema] | None", schema.get("anyOf"))
    if choices is not None:
        return draw_value(stream, stream.choice(choices), name, seen)
    match schema.get("type"):
        case "null":
            return None
        case "boolean":
            return stream.chance(1, 2)
        case "integer":
            return _within(stream, schema, ODD_INTEGERS)
        case "number":
            return _within(stream, schema, ODD_NUMBERS)
        case "string":
            form = next((form for sign, form in _FORMS if sign in str(schema.get("description", ""))), None)
            if form is not None and stream.chance(TIMED, 100):
                return form(stream, seen.now)
            return _draw_text(stream, name, seen)
        case "array":
            items = cast("Schema", schema.get("items", {"type": "string"}))
            return [draw_value(stream, items, name, seen) for _ in range(stream.below(4))]
        case "object":
            properties = cast("Mapping[str, Schema]", schema.get("properties", {}))
            required = cast("list[str]", schema.get("required", []))
            return {
                key: draw_value(stream, part, key, seen)
                for key, part in properties.items()
                if key in required or stream.chance(1, 2)
            }
        case other:
            msg = f"a tool's schema has the type {other!r}, for which no values can be drawn"
            raise ValueError(msg)


def _within(stream: Stream, schema: Schema, options: Sequence[int | float]) -> Json:
    """Return an option within the bounds of the schema, small ones more often."""
    low, high = cast("float", schema.get("minimum", -(2**53))), cast("float", schema.get("maximum", 2**53))
    fitting = [option for option in options if low <= option <= high]
    return stream.choice(fitting[: 1 + stream.below(len(fitting))]) if fitting else cast("Json", low)


def _draw_text(stream: Stream, name: str, seen: Seen) -> str:
    point = stream.below(100)
    known = seen.known(name)
    if point < MADE and name in seen.made:
        return seen.made[name]
    if known and point < MADE + SEEN:
        return stream.choice(known)
    if seen.ids and point < MADE + SEEN + HELD:
        return stream.choice(seen.ids)
    return stream.choice(ODD_TEXTS)
