"""One environment that tools can be called on: state, session and the one place where every condition of a call is enforced.

Order of a call: known tool, right side, unlocked, arguments valid, confirmed, gates open, then the tool itself. Every failure is
returned as `{"error": {"code", "message", …}}`, changes nothing and ends nothing.
"""

from __future__ import annotations

import datetime as dt
import logging
from dataclasses import dataclass
from hashlib import blake2b
from typing import TYPE_CHECKING, NamedTuple

from schemas.base import canonical
from services.runtime.algebra import NO_ROW, Scope
from services.runtime.state import State, dump_tables
from services.runtime.tools import Context, ToolRefusal, call_key, parse_arguments

if TYPE_CHECKING:
    from collections.abc import Mapping

    from schemas.base import Json
    from services.runtime.catalogue import Catalogue
    from services.runtime.declare import Side
    from services.runtime.state import Base, Delta, Overlay
    from services.runtime.tools import Tool

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Session:
    """What a conversation has used up; part of a snapshot, outside state, hash and difference."""

    writes: int = 0
    """Successful writes so far; times of writes count from it."""
    ordinals: tuple[tuple[str, int], ...] = ()
    """Successful creates per table; ids derive from them."""
    confirmed: tuple[str, ...] = ()
    """Calls the user said yes to and that have not been made."""
    unlocked: frozenset[str] = frozenset()
    calls: int = 0


class Snapshot(NamedTuple):
    """A state and a session, as a value."""

    overlay: Overlay
    touched: dict[str, int]
    session: Session


class Footprint(NamedTuple):
    """The records a call read and wrote, as (table, id); id `*` stands for a scan of the table."""

    reads: frozenset[tuple[str, str]]
    writes: frozenset[tuple[str, str]]


class Environment:
    """A running environment. Not safe for use from several threads."""

    def __init__(self, base: Base, catalogue: Catalogue, *, now: str, seed: str) -> None:
        """Start at the base with an empty session."""
        self.catalogue = catalogue
        self.now = now
        self.seed = seed
        self.state_ = State(base)
        self.session = Session()
        self.footprint = Footprint(frozenset(), frozenset())
        """What the last call touched."""
        self._pending: dict[str, int] = {}
        self._unlocking: set[str] = set()

    # --- the door for programs ---

    def tools(self, side: Side = "assistant") -> list[dict[str, Json]]:
        """Return the tools that `side` can call now, as OpenAI tool schemas, sorted by name."""
        return [t.openai() for t in self.catalogue.tools_of(side) if not t.behind or t.behind in self.session.unlocked]

    def call(self, name: str, arguments: Mapping[str, Json] | None = None, side: Side = "assistant") -> dict[str, Json]:
        """Call a tool and return its result, or `{"error": {"code", "message", …}}`; never raises for what a caller can do wrong."""
        context = Context(self)
        before = self.state_.snapshot()
        self._pending = dict(self.session.ordinals)
        self._unlocking = set()
        given = {} if arguments is None else arguments
        try:
            tool = self._find(name, side)
            values = parse_arguments(tool, given)
            self._check_confirmed(tool, given)
            self._check_gates(tool, given, context)
            result = tool.fn(context, **values)
        except ToolRefusal as refusal:
            self.state_.restore(before)
            result: dict[str, Json] = {"error": {"code": refusal.code, "message": refusal.message, **refusal.details}}
        except Exception as error:
            # A defect of a tool must not end a conversation; it is logged whole and no gold may contain it.
            log.exception("tool %s failed", name)
            self.state_.restore(before)
            result = {"error": {"code": "INTERNAL_ERROR", "message": f"{name} failed: {type(error).__name__}"}}
        else:
            self._commit(tool, given)
        self.footprint = Footprint(frozenset(context.reads), frozenset(context.writes))
        return result

    def confirm(self, tool: str, arguments: Mapping[str, Json]) -> None:
        """Record the user's yes to one call of `tool` with exactly these arguments."""
        key = call_key(tool, arguments)
        self.session = _replace(self.session, confirmed=(*self.session.confirmed, key))

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

    # --- for tools ---

    def next_id(self, table: str) -> str:
        """Return the next id of `table`: it derives from the environment's seed, the table and the ordinal of the create."""
        ordinal = self._pending.get(table, 0)
        self._pending[table] = ordinal + 1
        token = blake2b(canonical([self.seed, table, ordinal]), digest_size=5).hexdigest()
        return f"{self.catalogue.tables[table].prefix}_{token}"

    def stamp(self) -> str:
        """Return the time of the write in progress."""
        moment = dt.datetime.fromisoformat(self.now) + dt.timedelta(seconds=self.session.writes + 1)
        return moment.isoformat()

    def unlock(self, feature: str) -> None:
        """Unlock a feature when the call in progress succeeds."""
        self._unlocking.add(feature)

    # --- one call, step by step ---

    def _find(self, name: str, side: Side) -> Tool:
        tool = self.catalogue.tools.get(name)
        if tool is None:
            raise ToolRefusal("UNKNOWN_TOOL", f"There is no tool named {name!r}.", {})
        if tool.side != side:
            who = "the user" if tool.side == "user" else "the assistant"
            raise ToolRefusal("WRONG_SIDE", f"{name} can only be used by {who}.", {})
        if tool.behind and tool.behind not in self.session.unlocked:
            raise ToolRefusal("TOOL_NOT_AVAILABLE", f"{name} has not been made available yet.", {"feature": tool.behind})
        return tool

    def _check_confirmed(self, tool: Tool, arguments: Mapping[str, Json]) -> None:
        if tool.confirm and call_key(tool.name, arguments) not in self.session.confirmed:
            message = f"{tool.name} needs the user's confirmation of exactly these arguments first."
            raise ToolRefusal("CONFIRMATION_REQUIRED", message, {})

    def _check_gates(self, tool: Tool, arguments: Mapping[str, Json], context: Context) -> None:
        if not tool.gates:
            return
        scope = Scope(context, self.now, arguments)
        for name in tool.gates:
            compiled = self.catalogue.gates[name]
            if compiled.closed(NO_ROW, scope):
                details: dict[str, Json] = {"gate": name}
                for key, value in compiled.details.items():
                    details[key] = value(NO_ROW, scope)  # pyright: ignore[reportArgumentType]
                raise ToolRefusal(compiled.gate.code, compiled.gate.message, details)

    def _commit(self, tool: Tool, arguments: Mapping[str, Json]) -> None:
        session = self.session
        confirmed = session.confirmed
        if tool.confirm:
            used = confirmed.index(call_key(tool.name, arguments))
            confirmed = confirmed[:used] + confirmed[used + 1 :]
        self.session = Session(
            writes=session.writes + tool.write,
            ordinals=tuple(self._pending.items()),
            confirmed=confirmed,
            unlocked=session.unlocked | self._unlocking if self._unlocking else session.unlocked,
            calls=session.calls + 1,
        )


def _replace(session: Session, *, confirmed: tuple[str, ...]) -> Session:
    return Session(session.writes, session.ordinals, confirmed, session.unlocked, session.calls)
