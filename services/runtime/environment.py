"""An environment that tools can be called on: state, session and the one place where conditions of a call are enforced.

Order of a call: known tool, right side, unlocked, arguments valid, confirmed, what the tool refuses ahead of its gates,
gates open, then the tool itself. Every failure is returned as `{"error": {"code", "message", …}}`, changes nothing and
ends nothing.
"""

from __future__ import annotations

import datetime as dt
import logging
from functools import lru_cache
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple, cast

import msgspec
import orjson

from schemas.base import canonical
from services.runtime.algebra import NO_ROW, Scope
from services.runtime.state import Kept, State, dump_tables
from services.runtime.tools import Context, ToolRefusal, call_key, parse_arguments

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from schemas.base import Json
    from services.runtime.catalogue import Catalogue
    from services.runtime.declare import Side
    from services.runtime.state import Base, Delta, Overlay
    from services.runtime.tools import Tool

log = logging.getLogger(__name__)
_encode = msgspec.json.Encoder(order="sorted").encode


@lru_cache(maxsize=4096)
def _later(now: str, seconds: int) -> str:
    """Return the time some seconds after `now`. Raise ValueError when that is no time."""
    return (dt.datetime.fromisoformat(now) + dt.timedelta(seconds=seconds)).isoformat()


@lru_cache(maxsize=4096)
def _token(seed: str, table: str, ordinal: int) -> str:
    """Return the part of an id that tells it from others; the same ones are made in every replay."""
    return blake2b(canonical([seed, table, ordinal]), digest_size=5).hexdigest()


class Session(NamedTuple):
    """What a conversation has used up; part of a snapshot, outside state, hash and difference."""

    writes: int = 0
    """Successful writes so far; times of writes count from it."""
    ordinals: tuple[tuple[str, int], ...] = ()
    """Successful creates per table; ids derive from them."""
    confirmed: tuple[str, ...] = ()
    """Calls the user said yes to and that have not been made."""
    unlocked: frozenset[str] = frozenset()
    calls: int = 0
    """Successful calls so far."""


class Snapshot(NamedTuple):
    """A state and a session, as a value."""

    overlay: Overlay
    touched: dict[str, int]
    session: Session


class Footprint(NamedTuple):
    """The records a call read and wrote, as (table, id); id `*` stands for a scan of the table."""

    reads: frozenset[tuple[str, str]]
    writes: frozenset[tuple[str, str]]


_UNUSED = Session()
UNTOUCHED = Footprint(frozenset(), frozenset())


class Environment:
    """A running environment. Not safe for use from several threads."""

    def __init__(
        self,
        base: Base,
        catalogue: Catalogue,
        *,
        now: str,
        seed: str,
        parse: Callable[[bytes], dict[str, Json]] = orjson.loads,
    ) -> None:
        """Start at the base with an empty session. Raise ValueError when `now` is no local time to the second.

        `parse` reads the kept result of a read. Who changes no result may share one among all calls.
        """
        if _later(now, 0) != now or len(now) != len("YYYY-MM-DDTHH:MM:SS"):
            msg = f"now is {now!r}, not a local time YYYY-MM-DDTHH:MM:SS"
            raise ValueError(msg)
        self.catalogue = catalogue
        self.now = now
        self.seed = seed
        self.state_ = State(base)
        self.session = _UNUSED
        self.footprint = UNTOUCHED
        """What the last call touched."""
        self.unavailable = ""
        """The quiet gate that the last call met closed; empty where it met none."""
        self._parse = parse
        self._created: dict[str, int] | None = None
        self._unlocking: frozenset[str] = frozenset()

    def tools(self, side: Side = "assistant") -> list[dict[str, Json]]:
        """Return the tools that `side` can call now, as OpenAI tool schemas, sorted by name."""
        return [tool.openai() for tool in self.catalogue.offered(side, self.session.unlocked)]

    def call(self, name: str, arguments: Mapping[str, Json] | None = None, side: Side = "assistant") -> dict[str, Json]:
        """Call a tool and return its result, or `{"error": {"code", "message", …}}`; a wrong call never raises."""
        context = Context(self)
        before = self.state_.snapshot()
        self.unavailable = ""
        self._created = None
        self._unlocking = frozenset()
        try:
            result = self._run(name, {} if arguments is None else arguments, side, context)
        except ToolRefusal as refusal:
            self.state_.restore(before)
            result: dict[str, Json] = {"error": {"code": refusal.code, "message": refusal.message, **refusal.details}}
        except Exception as error:
            # A defect of a tool must not end a conversation; it is logged whole and no gold may contain it.
            log.exception("tool %s failed", name)
            self.state_.restore(before)
            result = {"error": {"code": "INTERNAL_ERROR", "message": f"{name} failed: {type(error).__name__}"}}
        except BaseException:
            self.state_.restore(before)
            raise
        self.footprint = Footprint(frozenset(context.reads), frozenset(context.writes))
        return result

    def confirm(self, tool: str, arguments: Mapping[str, Json]) -> None:
        """Record the user's yes to one call of `tool` with exactly these arguments.

        Raise ValueError when the arguments are no exact JSON: such a call cannot be made.
        """
        confirmed = (*self.session.confirmed, call_key(tool, arguments))
        self.session = self.session._replace(confirmed=confirmed)

    def snapshot(self) -> Snapshot:
        """Return state and session as a value, in O(1)."""
        return Snapshot(*self.state_.snapshot(), self.session)

    def restore(self, snapshot: Snapshot) -> None:
        """Return to a snapshot, in O(1)."""
        self.state_.restore((snapshot.overlay, snapshot.touched))
        self.session = snapshot.session

    def diff(self, snapshot: Snapshot) -> dict[str, dict[str, list[dict[str, Json] | None]]]:
        """Return what changed since `snapshot`: table -> id -> [before or None, after or None]."""
        delta = self.state_.delta(snapshot.overlay)
        return {table: {key: list(pair) for key, pair in records.items()} for table, records in delta.items()}

    def delta(self) -> Delta:
        """Return what changed since the base."""
        return self.state_.delta()

    def state_hash(self) -> str:
        """Return the hash of the state, 32 hexadecimal digits."""
        return self.state_.hash()

    def state(self) -> dict[str, Json]:
        """Return all records as table -> id -> record; tables that no tool shows stand under `hidden`."""
        shown: dict[str, Json] = {}
        hidden: dict[str, Json] = {}
        for name, records in dump_tables(self.state_).items():
            part = hidden if self.catalogue.tables[name].hidden else shown
            part[name] = {str(record["id"]): record for record in records}
        return {**shown, "hidden": hidden}

    def closed_gates(self) -> list[str]:
        """Return the gates that are closed now, sorted; gates that depend on arguments are left out."""
        scope = Scope(self.state_, self.now, {})
        return [n for n, g in sorted(self.catalogue.gates.items()) if g.gate.standing and g.closed(NO_ROW, scope)]

    def next_id(self, table: str) -> str:
        """Return the next id of `table`, derived from the environment's seed, the table and the create's ordinal."""
        if self._created is None:
            self._created = dict(self.session.ordinals)
        ordinal = self._created.get(table, 0)
        self._created[table] = ordinal + 1
        return f"{self.catalogue.tables[table].prefix}_{_token(self.seed, table, ordinal)}"

    def stamp(self) -> str:
        """Return the time of the write in progress."""
        return _later(self.now, self.session.writes + 1)

    def unlock(self, feature: str) -> None:
        """Unlock a feature when the call in progress succeeds."""
        self._unlocking |= {feature}

    def _find(self, name: str, side: Side) -> Tool:
        try:
            tool = self.catalogue.tools[name]
        except (KeyError, TypeError):
            # A model may name a tool by anything, an unhashable list included.
            tool = None
        if tool is None or not tool.callable:
            raise ToolRefusal("UNKNOWN_TOOL", f"There is no tool named {name!r}.", {})
        if tool.side != side:
            who = "the user" if tool.side == "user" else "the assistant"
            raise ToolRefusal("WRONG_SIDE", f"{name} can only be used by {who}.", {})
        if tool.behind and tool.behind not in self.session.unlocked:
            raise ToolRefusal(
                "TOOL_NOT_AVAILABLE", f"{name} has not been made available yet.", {"feature": tool.behind}
            )
        return tool

    def _run(self, name: str, given: Mapping[str, Json], side: Side, context: Context) -> dict[str, Json]:
        tool = self._find(name, side)
        values = {**tool.fixed, **parse_arguments(tool, given)}
        key = self._confirmation(tool, given) if tool.confirm else None
        if tool.before is not None:
            tool.before(context, **values)
        result = self._ahead(tool, {**tool.defaults, **values}, context) if tool.gates else None
        if result is None:
            result = tool.fn(context, **values) if tool.write else self._read(tool, values, context)
        self._commit(tool, key)
        return result

    def _read(self, tool: Tool, values: Mapping[str, object], context: Context) -> dict[str, Json]:
        """Return the result of a read, kept in the base while nothing that it read differs from the base."""
        state = self.state_
        call = (tool.name, self.now, _encode(values))
        kept = state.base.kept.get(call)
        if kept is not None and state.agrees(kept.reads, kept.tables):
            context.reads |= kept.reads
            return self._parse(kept.text)
        before, context.reads = context.reads, set()
        try:
            result = tool.fn(context, **values)
        finally:
            reads = frozenset(context.reads)
            context.reads |= before
        if context.writes:
            msg = f"{tool.name} is declared as a read and wrote to {min(context.writes)[0]}"
            raise RuntimeError(msg)
        tables = frozenset(table for table, _ in reads)
        if not context.volatile and state.agrees(reads, tables):
            state.base.keep(call, Kept(orjson.dumps(result), reads, tables))
        return result

    def _confirmation(self, tool: Tool, arguments: Mapping[str, Json]) -> str:
        key = call_key(tool.name, arguments)
        if key not in self.session.confirmed:
            message = f"{tool.name} needs the user's confirmation of exactly these arguments first."
            raise ToolRefusal("CONFIRMATION_REQUIRED", message, {})
        return key

    def _ahead(self, tool: Tool, arguments: Mapping[str, object], context: Context) -> dict[str, Json] | None:
        """Return what a call gives whose first closed gate is a quiet one; None when all gates are open."""
        scope = Scope(context, self.now, arguments)
        for name in tool.gates:
            compiled = self.catalogue.gates[name]
            if not compiled.closed(NO_ROW, scope):
                continue
            details = {key: cast("Json", value(NO_ROW, scope)) for key, value in compiled.details.items()}
            if not compiled.gate.quiet:
                raise ToolRefusal(compiled.gate.code, compiled.gate.message, {"gate": name, **details})
            self.unavailable = name
            return {"available": False, **details}
        return None

    def _commit(self, tool: Tool, confirmation: str | None) -> None:
        writes, ordinals, confirmed, unlocked, calls = self.session
        if confirmation is not None:
            used = confirmed.index(confirmation)
            confirmed = confirmed[:used] + confirmed[used + 1 :]
        if self._created is not None:
            ordinals = tuple(self._created.items())
        if self._unlocking:
            unlocked |= self._unlocking
        self.session = Session(writes + tool.write, ordinals, confirmed, unlocked, calls + 1)
