"""What a service declares: tables, gates, tools' contracts, invariants and transaction kinds, as data.

Runtime, planner, checks, policy text and documentation all read these declarations; none of them names a service.
Conditions and effects are expressions of the goal algebra (`schemas.goal`), so that both engines can evaluate them.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from language.leave import Leave
    from schemas.base import Json, Scalar
    from schemas.contract import Allowed
    from schemas.goal import Expr, Named, Pred, Reason, Write
    from services.runtime.records import Record
    from services.runtime.tools import Context, Tool

Side = Literal["assistant", "user"]


@dataclass(frozen=True, slots=True)
class View:
    """What is compared instead of single records: records summed per `keys`. Ids of viewed records are not compared."""

    keys: tuple[str, ...]
    sums: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Table:
    """One table of a service's state. Every record type has a field `id: str`."""

    name: str
    record: type[Record]
    prefix: str
    """Prefix of ids that tools create."""
    references: Mapping[str, str] = field(default_factory=dict[str, str])
    """Field -> table whose id it holds (null allowed where the type allows it)."""
    view: View | None = None
    ledger: bool = False
    """Not compared by contracts, but held by an invariant."""
    stamps: tuple[str, ...] = ()
    """Fields holding the time of a write in the session: compared only as null or lying within a day after `now`."""
    hidden: bool = False
    """Backend truth that no tool returns."""
    observed: tuple[str, ...] = ()
    """Time or date fields of observations, never later than `now`."""
    indexes: tuple[str, ...] = ()
    """Fields with an equality index."""


@dataclass(frozen=True, slots=True)
class Invariant:
    """A named predicate over the whole state that every reachable state satisfies; slots are not used."""

    name: str
    text: str
    holds: Pred


@dataclass(frozen=True, slots=True)
class Probe:
    """The read that shows whether a gate is closed."""

    tool: str
    arguments: Mapping[str, Scalar] = field(default_factory=dict[str, "Scalar"])


@dataclass(frozen=True, slots=True)
class Preparation:
    """What the assistant calls before a remedy, once the user has agreed to it."""

    tool: str
    arguments: Mapping[str, Scalar]


@dataclass(frozen=True, slots=True)
class Only:
    """A value that an assistant looks for in the probe's result: `field` of the only element of a list that fits.

    It is null where none fits or several do, so that the user has to tell.
    """

    path: tuple[str, ...]
    """Where the list stands."""
    where: Mapping[str, Expr]
    """Field of an element -> what it must equal; slots are the arguments of the blocked call."""
    field: str


@dataclass(frozen=True, slots=True)
class Remedy:
    """How a closed gate is opened: the user is asked, and calls `tool`."""

    tool: str
    arguments: Mapping[str, Expr]
    """Expressions whose slots are the names in `values` and `chosen`."""
    shows: Pred
    """What the assistant reads off `values` to know that the gate is closed; it uses none that is prepared."""
    values: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, "tuple[str, ...]"])
    """Where each value stands: `("probe", path…)` in the probe's result, `("prepared", path…)` in that of the
    preparation, `("argument", name)` in the blocked call, or `("beside", argument, path…)` in the object of the earlier
    result that the blocked call's `argument` was taken from."""
    chosen: Mapping[str, Only] = field(default_factory=dict[str, Only])
    """Further values, each to be found in a list of the probe's result."""
    prepare: Preparation | None = None
    takes_back: Mapping[str, Scalar] = field(default_factory=dict[str, "Scalar"])
    """Arguments with which `tool` undoes the effect, for a consent given once; empty where it cannot be taken back."""


@dataclass(frozen=True, slots=True)
class Asking:
    """How an assistant asks the user for something, and by which words a user knows that they are asked for it."""

    forms: tuple[str, ...]
    """Questions, each whole; a place `{name}` takes a value that the question names, such as `{amount}`."""
    cues: tuple[str, ...]
    """Phrases, in small letters; a message that holds all the words of one of them, close together, is about it."""
    leave: Leave | None = None
    """What an assistant may ask leave to do: a question for leave to do that is about it, whatever the cues say."""
    closed: tuple[str, ...] = ()
    """Cues, beside the others, of a statement that it is off, short or missing: "Your wallet is $5 short." may stand
    alone, or before "What would you like to do?"."""


@dataclass(frozen=True, slots=True)
class Gate:
    """A declared condition on a tool. The only place where it is enforced is `services.runtime.environment`."""

    name: str
    code: str
    """Error code when closed."""
    message: str
    closed: Pred
    """Over the state; slots are the arguments of the blocked call."""
    quiet: bool = False
    """While closed, a read is no error but succeeds with `available` false and the details, and does not tell why:
    what was not recorded and what may not be seen look the same."""
    standing: bool = True
    """Whether `closed` uses no argument, so that the gate is open or closed at any moment."""
    details: Mapping[str, Expr] = field(default_factory=dict[str, "Expr"])
    """Extra fields of the error, such as the balance in currency units."""
    probe: Probe | None = None
    remedy: Remedy | None = None
    effect: tuple[Write, ...] = ()
    """What the remedy changes, as goal writes, when the gate is closed; empty for an accumulator like the balance."""
    closing: tuple[Write, ...] = ()
    """A patch of the start state that closes the gate: the negative control of the permission checks."""
    opening: tuple[Write, ...] = ()
    """A patch of the start state that opens the gate, where its effect is more than a change of single records."""
    accumulates: bool = False
    """The remedy only adds to an amount, and so makes nothing read before stale."""
    trial: Mapping[str, Expr] = field(default_factory=dict[str, "Expr"])
    """Of a gate that depends on arguments: values over the state with which checks try it, null where there are
    none."""
    residue: tuple[Allowed, ...] = ()
    """What an attempt that this gate blocked may leave when the request is declined over it: nothing that counts.
    Completed by the catalogue with what other services declare."""
    refusal: Reason = "consent_refused"
    """Reason of a decline when the user refuses the remedy."""
    policy: str = ""
    """The rule in words, for policy text."""
    asking: Asking | None = None
    """How the user is asked for the consent that the remedy needs; its forms may use the remedy's arguments."""

    @property
    def opened(self) -> tuple[Write, ...]:
        """A patch of the start state after which the gate is open; empty where none is declared."""
        return self.opening or self.effect


@dataclass(frozen=True, slots=True)
class Approval:
    """A tool call that is the user's approval of a stored amount: single use, void when it changed or after `hours`."""

    table: str
    id_argument: str
    amount_field: str
    created_field: str
    hours: int
    replayed: str
    """Error code of a second call."""
    expired: str
    """Error code of a call after `hours`."""
    changed: str
    """Error code of a call when the stored amount is not the amount due."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """Another legal value of an argument that means something else, for behavioural mutants.

    Where `argument` equals `value`, it becomes `other` and `scaled` is multiplied by `times`: five single packs for one
    pack of five.
    """

    argument: str
    value: Scalar
    other: Scalar
    scaled: str = ""
    times: int = 1


@dataclass(frozen=True, slots=True)
class Undo:
    """The tool that takes a call back: `argument` of `tool` is `field` of the call's result."""

    tool: str
    argument: str
    field: str


@dataclass(frozen=True, slots=True)
class Policy:
    """A rule that a call of `tool` must keep beside what the tool enforces itself.

    `holds` reads the arguments as slots (null where not given) and the list column `permits`: what the request permits.
    """

    name: str
    text: str
    tool: str
    holds: Pred


@dataclass(frozen=True, slots=True)
class Flip:
    """Another way in which one record could stand at the start of a task, such as a voucher that has expired.

    Twins of tasks differ in one flip. What it leaves must keep the invariants.
    """

    name: str
    table: str
    change: Callable[[Any, str], Record | None]
    """Takes the record and the frozen time; returns the changed record, or None where the flip changes nothing."""


@dataclass(frozen=True, slots=True)
class TransactionKind:
    """A kind of pending transaction that a checkout settles; its functions take the context and the transaction id."""

    name: str
    check: Callable[[Context, str], None]
    """Refuse when it can no longer be fulfilled."""
    price: Callable[[Context, str], int]
    """Return the amount due now, in cents."""
    reprice: Callable[[Context, str], None]
    """Bring the stored price of a pending transaction up to date."""
    settle: Callable[[Context, str], None]
    """Apply the effects beside payment."""
    describe: Callable[[Context, str], dict[str, Json]]
    """Return what a listing of transactions shows beside the common fields."""
    errors: Mapping[str, str] = field(default_factory=dict[str, str])
    """Error codes with which `check`, `price` and `settle` refuse, and when."""


@dataclass(frozen=True, slots=True)
class Service:
    """One executable part of the environment."""

    name: str
    summary: str
    family: str = ""
    """Part of life that its records belong to: the family of tasks about them; empty where they belong to several."""
    tables: tuple[Table, ...] = ()
    tools: tuple[Tool, ...] = ()
    gates: tuple[Gate, ...] = ()
    invariants: tuple[Invariant, ...] = ()
    seeding: tuple[Invariant, ...] = ()
    """What a freshly made environment satisfies beside the invariants; no session, no setup of a task must keep it."""
    policies: tuple[Policy, ...] = ()
    terms: tuple[str, ...] = ()
    """Rules that its tools keep by themselves and that users and assistants should know, as sentences made of the same
    constants as the code: prices, time limits, refunds."""
    named: Mapping[str, Callable[..., Named]] = field(default_factory=dict[str, "Callable[..., Named]"])
    """Named expressions of the goal algebra, as builders over their arguments."""
    transaction_kinds: tuple[TransactionKind, ...] = ()
    residue: Mapping[str, tuple[Allowed, ...]] = field(default_factory=dict[str, "tuple[Allowed, ...]"])
    """Gate, of any service -> what an attempt that it blocked may leave in this service's tables."""
    flips: tuple[Flip, ...] = ()
    """Other ways in which its records could stand."""
    world_tables: tuple[Table, ...] = ()
    """Tables of the shared world that this service reads."""
    world_rules: tuple[Invariant, ...] = ()
    """What every world satisfies; over tables of the world alone."""
