"""Checks that call tools: each catches a service or a runtime that does what it must not."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Annotated, Any, cast

import jsonschema
import pytest
from msgspec import Meta

from schemas import goal as g
from schemas.base import Json
from services.account.records import Permission
from services.payments.records import Wallet
from services.runtime.catalogue import Catalogue, build_catalogue, installed_catalogue
from services.runtime.declare import Gate, Probe, Remedy, Service, Side
from services.runtime.environment import Environment
from services.runtime.families import for_member
from services.runtime.state import State
from services.runtime.streams import Stream
from services.runtime.tools import Context, Tool, ToolRefusal, tool
from tests.environments import context, environment, world
from validators.environments import check_environment, environment_context
from validators.environments.attempts import Seen, draw_value, opening, weighted_tools
from validators.environments.calls import call_faults
from validators.environments.checks import Check
from validators.environments.gates import gate_faults

CALLS: list[tuple[str, Check]] = [("environment.calls", call_faults)]
GATES: list[tuple[str, Check]] = [("environment.gates", gate_faults)]
SESSIONS = 12
NOW = "2025-06-10T12:00:00"


def services() -> dict[str, Service]:
    return dict(installed_catalogue().services)


def with_tool(broken: Tool) -> Catalogue:
    """The installed services with one tool replaced or added."""
    found = services()
    home = next((s for s in found.values() if broken.name in {t.name for t in s.tools}), found["account"])
    others = tuple(t for t in home.tools if t.name != broken.name)
    return build_catalogue((found | {home.name: replace(home, tools=(*others, broken))}).values())


def with_gate(change: Callable[[Gate], Gate]) -> Catalogue:
    """The installed services with every gate of the account changed."""
    found = services()
    account = found["account"]
    return build_catalogue((found | {"account": replace(account, gates=tuple(map(change, account.gates)))}).values())


def reasons(checks: list[tuple[str, Check]], catalogue: Catalogue | None = None) -> str:
    """What the checks say of some environments."""
    known = context() if catalogue is None else environment_context(world(), catalogue)
    found = [check_environment(environment(i), known, checks)[0] for i in range(SESSIONS)]
    return "; ".join(verdict.reason for verdict in found if not verdict.passed)


def test_the_installed_services_behave() -> None:
    assert reasons(CALLS) == ""
    assert reasons(GATES) == ""


# --- broken tools ------------------------------------------------------------------------------------------------


@tool(side="assistant")
def get_cart(c: Context) -> dict[str, Json]:
    """Stumble."""
    raise KeyError("cart")


@tool(side="assistant", name="get_cart")
def refusing(c: Context) -> dict[str, Json]:
    """Refuse with a code that is not declared."""
    c.refuse("TOO_LATE", "The cart is closed.")


@tool(side="assistant", name="get_cart")
def writing(c: Context) -> dict[str, Json]:
    """Write although declared as a read."""
    c.put(Permission(id="purchase", allowed=True))
    return {}


@tool(side="user", write=True, example={"amount": 12.5})
def top_up_wallet(c: Context, amount: Annotated[float, Meta(description="Amount.")]) -> dict[str, Json]:
    """Raise the balance without an entry in the ledger."""
    wallet = c.get(Wallet, "wallet")
    assert wallet is not None
    c.put(Wallet(id="wallet", balance_cents=wallet.balance_cents + 100, opening_cents=wallet.opening_cents))
    return {}


@tool(side="user", write=True, example={"allow": True})
def set_raw_data_permission(c: Context, allow: Annotated[bool, Meta(description="Allow.")]) -> dict[str, Json]:
    """Write a record of the wrong type."""
    c.put(Permission(id="raw_data", allowed="yes" if allow else "no"))  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    return {}


@pytest.mark.parametrize(
    ("broken", "reason"),
    [
        (get_cart, "get_cart: it fails inside: get_cart failed: KeyError"),
        (refusing, "get_cart: it returns TOO_LATE, which is not declared"),
        (writing, "get_cart: it fails inside"),
        (top_up_wallet, "(balance_is_ledger)"),
        (set_raw_data_permission, "permissions raw_data breaks its schema: allowed: "),
    ],
)
def test_calls_catch_a_broken_tool(broken: Tool, reason: str, caplog: pytest.LogCaptureFixture) -> None:
    assert reason in reasons(CALLS, with_tool(broken))


# --- a broken runtime --------------------------------------------------------------------------------------------


def keep_writes(self: State, snapshot: tuple[Any, Any]) -> None:
    """A restore that forgets nothing."""


AHEAD = Environment._ahead


def no_gates(self: Environment, tool: Tool, arguments: dict[str, object], context: Context) -> dict[str, Json] | None:
    """Gates that never refuse."""
    try:
        return AHEAD(self, tool, arguments, context)
    except ToolRefusal:
        return None


def loud_gates(self: Environment, tool: Tool, arguments: dict[str, object], context: Context) -> dict[str, Json] | None:
    """Quiet gates that tell more than they should."""
    found = AHEAD(self, tool, arguments, context)
    return None if found is None else {**found, "source": "fitbit"}


def empty_gates(
    self: Environment, tool: Tool, arguments: dict[str, object], context: Context
) -> dict[str, Json] | None:
    """Quiet gates that show nothing where nothing can be seen, as if that were all there is."""
    found = AHEAD(self, tool, arguments, context)
    return None if found is None else {**found, "available": True}


def drifting(self: State) -> str:
    return f"{len(self.overlay):032x}"


def counting(self: Environment, name: str, side: Side) -> Tool:
    """Find a tool, and count the call even if it fails."""
    self.session = self.session._replace(writes=self.session.writes + 1)
    return FIND(self, name, side)


FIND = Environment._find


def writing_first(self: Environment, name: str, side: Side) -> Tool:
    """Find a tool, and write before it runs."""
    self.state_.set("permissions", "purchase", Permission(id="purchase", allowed=len(name) % 2 == 0))
    return FIND(self, name, side)


def writing_if_unknown(self: Environment, name: str, side: Side) -> Tool:
    return (FIND if name in self.catalogue.tools else writing_first)(self, name, side)


@pytest.mark.parametrize(
    ("owner", "method", "broken", "reason"),
    [
        (Environment, "_ahead", no_gates, "it succeeds although gate "),
        (Environment, "_ahead", loud_gates, "is closed and the result tells more"),
        (Environment, "_ahead", empty_gates, "gate DATA is closed and it shows that of DATA"),
        (State, "hash", drifting, "at the end the incremental hash is"),
        (Environment, "_find", counting, "an error changes the session"),
    ],
)
def test_calls_catch_a_broken_runtime(
    owner: type, method: str, broken: Callable[..., object], reason: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(owner, method, broken)
    assert reason in reasons(CALLS)


def test_calls_catch_an_error_that_changes_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Environment, "_find", writing_if_unknown)
    assert reasons(CALLS) == ""
    monkeypatch.setattr(State, "restore", keep_writes)
    assert "an error changes the state" in reasons(CALLS)


def test_calls_catch_a_read_that_changes_the_state(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Environment, "_find", writing_first)
    assert "a read changes the state" in reasons(CALLS)


def test_gates_catch_a_runtime_that_never_asks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Environment, "_ahead", no_gates)
    assert "gate MED is closed and get_med_features answers a result" in reasons(GATES)


# --- broken gates ------------------------------------------------------------------------------------------------

GIVEN = g.Lookup(
    source=g.Table(table="permissions", prefix="p"),
    where=g.Test(fn="eq", left=g.Col(name="p.id"), right=g.Const(value="med_assistant")),
    field="p.allowed",
)
ALWAYS = SHOWN = g.All(of=[])
WRONG = (
    g.Write(
        op="update",
        table="permissions",
        id=g.Const(value="raw_data"),
        fields={"allowed": g.FieldIs(value=g.Const(value=True))},
    ),
)


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"closed": g.Test(fn="ne", left=GIVEN, right=g.Const(value=True))},
            "gate PURCHASE is closed and prepare_order",
        ),
        ({"closed": ALWAYS}, "gate PURCHASE is open and prepare_order answers PERMISSION_DENIED"),
        ({"probe": Probe("get_wallet")}, "KeyError: 'permissions'"),
        (
            {"remedy": Remedy("set_purchase_permission", {"allow": g.Const(value=True)}, ALWAYS)},
            "is open and its probe",
        ),
        ({"closing": ()}, "gate PURCHASE declares no closing patch"),
        ({"effect": WRONG}, "gate PURCHASE is open and prepare_order answers PERMISSION_DENIED"),
        ({"remedy": Remedy("set_raw_data_permission", {"allow": g.Const(value=True)}, SHOWN)}, "the remedy"),
        ({"remedy": Remedy("set_purchase_permission", {"allow": g.Const(value=3)}, SHOWN)}, "the remedy"),
    ],
)
def test_gates_catch_a_gate_that_is_not_as_declared(changes: dict[str, Any], reason: str) -> None:
    assert reason in reasons(GATES, with_gate(lambda gate: replace(gate, **changes)))


def test_a_patch_that_names_no_record_fails_the_gate() -> None:
    gone = (g.Write(op="update", table="permissions", id=g.Const(value="gone"), fields={}),)
    found = reasons(GATES, with_gate(lambda gate: replace(gate, closing=gone)))
    assert "ValueError: a patch changes permissions 'gone', which does not exist" in found


@tool(side="user", confirm=True, behind="club", gates=("PURCHASE", "CLUB"), example={"number": 3})
def join_club(c: Context, number: Annotated[int, Meta(description="Number.", ge=1)]) -> dict[str, Json]:
    """Join."""
    return {}


def club(example: dict[str, Json], join: Tool = join_club) -> Catalogue:
    """Services with a tool behind a feature, a confirmation and two gates of the same code."""
    found = services()
    account = found["account"]
    gate = replace(
        account.gates[0],
        name="CLUB",
        closed=g.Test(fn="ne", left=GIVEN, right=g.Const(value=True)),
        closing=_permission(False),
        effect=_permission(True),
        remedy=Remedy(
            tool="set_med_assistant_permission",
            arguments={"allow": g.Const(value=True)},
            shows=g.Test(fn="ne", left=g.Slot(name="given"), right=g.Const(value=True)),
            values={"given": ("probe", "permissions", "allow_med_assistant")},
        ),
    )
    wider = replace(account, gates=(*account.gates, gate), tools=(*account.tools, replace(join, example=example)))
    return build_catalogue((found | {"account": wider}).values())


def _permission(value: bool) -> tuple[g.Write, ...]:
    fields = {"allowed": g.FieldIs(value=g.Const(value=value))}
    return (g.Write(op="update", table="permissions", id=g.Const(value="med_assistant"), fields=dict(fields)),)


def test_gates_are_told_apart_behind_features_and_confirmations() -> None:
    assert reasons(GATES, club({"number": 3})) == ""
    assert reasons(CALLS, club({"number": 3})) == ""


def test_an_example_that_does_not_fit_is_caught() -> None:
    assert "gate CLUB is open and join_club answers INVALID_ARGUMENTS" in reasons(GATES, club({"number": 0}))


def _full(c: Context, number: int) -> None:
    c.refuse("CLUB_FULL", "The club takes no more members.")


def test_a_tool_that_refuses_ahead_of_its_gates_shows_nothing_of_them() -> None:
    """An own refusal may come before the gates, but some call must get as far as each of them."""
    full = replace(join_club, before=_full, errors={"CLUB_FULL": "The club is full."}, confirm=False, behind="")
    catalogue = club({"number": 3}, full)
    assert "no tool's example gets as far as gate CLUB" in reasons(GATES, catalogue)
    assert "gate PURCHASE" not in reasons(GATES, catalogue)
    assert reasons(CALLS, catalogue) == ""


# --- attempts ----------------------------------------------------------------------------------------------------


def test_drawn_arguments_fit_the_schemas_and_vary() -> None:
    stream, seen = Stream(3, "attempts"), Seen(["x_1", "x_2"], NOW, values={"product_id": ["p_1"]})
    for item in installed_catalogue().tools.values():
        check = jsonschema.Draft202012Validator(item.schema)
        drawn = [draw_value(stream, item.schema, "", seen) for _ in range(60)]
        assert all(check.is_valid(arguments) for arguments in drawn)
        assert len({repr(arguments) for arguments in drawn}) >= (2 if item.schema["properties"] else 1)


def test_a_schema_of_unknown_form_is_refused() -> None:
    with pytest.raises(ValueError, match="has the type 'file'"):
        draw_value(Stream(1), {"type": "file"}, "", Seen([], NOW))


def test_what_was_seen_is_used_again() -> None:
    seen = Seen(["held"], NOW)
    seen.note({"items": [{"product_id": "p_1", "tags": ["a"]}, {"product_id": "p_2"}]}, write=False)
    seen.note({"transaction_id": "tx_1"}, write=True)
    stream = Stream(1, "seen")
    drawn = [draw_value(stream, {"type": "string"}, "product_id", seen) for _ in range(300)]
    assert set(drawn) > {"p_1", "p_2", "held"}
    made = [draw_value(stream, {"type": "string"}, "transaction_id", seen) for _ in range(100)]
    assert made.count("tx_1") > 60


def test_every_tool_is_drawn_and_every_read_opens() -> None:
    tools = installed_catalogue().tools
    assert {t.name for t, weight in weighted_tools(tools) if weight > 0} == set(tools)
    assert {a.tool for a in opening(tools)} == {name for name, t in tools.items() if not t.write and t.callable}


@pytest.mark.slow
def test_sessions_reach_deep(monkeypatch: pytest.MonkeyPatch) -> None:
    """Over a few environments orders and memberships are prepared and paid, and every standing refusal is met."""
    seen: set[tuple[str, str]] = set()
    call = Environment.call

    def noted(
        self: Environment, name: str, arguments: Mapping[str, Json] | None = None, side: Side = "assistant"
    ) -> dict[str, Json]:
        result = call(self, name, arguments, side)
        seen.add((name, str(cast("dict[str, Json]", result.get("error", {})).get("code", ""))))
        return result

    monkeypatch.setattr(Environment, "call", noted)
    for index in range(150):
        check_environment(environment(index), context(), CALLS)
    succeeded = {name for name, code in seen if not code}
    for one in installed_catalogue().tools.values():
        members = {for_member(one, m).name for m in one.family.members} if one.family else {one.name}
        # A free slot of a provider is not hit by chance.
        assert members & succeeded or one.name == "med-create_appointment"
    codes = {code for _, code in seen}
    assert codes >= {"PERMISSION_DENIED", "INSUFFICIENT_BALANCE", "CONFIRMATION_REQUIRED", "WRONG_SIDE", "UNKNOWN_TOOL"}
    assert codes >= {"OUT_OF_STOCK", "TRANSACTION_NOT_PENDING", "INVALID_ARGUMENTS", "VOUCHER_NOT_USABLE"}
