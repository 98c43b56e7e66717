"""The planner: gates, staleness, pruning, and values that cannot escape their provenance."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from generators.tasks import program as p
from generators.tasks.build import const, eq, slot
from generators.tasks.planner import PartSteps, PlanError, make_plan
from generators.tasks.telling import Telling
from schemas.plan import Call
from schemas.provenance import Result
from schemas.task import Consent, UserScript
from services.runtime.catalogue import installed_catalogue
from tests.generators.tasks.toy import script, shapes, toy_environment
from tests.services import sample

if TYPE_CHECKING:
    from collections.abc import Callable

    from generators.tasks.program import Program


def of(program: Callable[[], Program]) -> list[PartSteps]:
    """Return a task of one part that runs `program`."""
    return [PartSteps(0, "", lambda _: program())]


def buying() -> Program:
    price = yield p.Call("see_price")
    yield p.Call("buy", {"cents": price["cents"]})


def test_an_open_gate_leaves_the_plan_alone() -> None:
    plan, gates = make_plan(toy_environment(on=True), script(granted=True), Telling({}), of(buying))
    assert shapes(plan) == ["see_price()", "buy(cents=40)"]
    assert gates == []


def test_a_remedy_that_makes_an_earlier_read_stale_comes_first() -> None:
    env = toy_environment(on=False)
    plan, gates = make_plan(env, script(granted=True), Telling({}), of(buying))
    assert shapes(plan) == ["see_switch()", "ask SWITCH yes", "flip(on=True)", "see_price()", "buy(cents=40)"]
    assert gates == ["SWITCH"]
    assert [r["cents"] for r in env.state()["sales"].values()] == [40]  # type: ignore[union-attr,index]


def test_a_refused_remedy_ends_the_plan() -> None:
    with pytest.raises(PlanError, match="refuses the consent for SWITCH"):
        make_plan(toy_environment(on=False), script(granted=False), Telling({}), of(buying))


@pytest.mark.parametrize(("tool", "gate"), [("get_med_features", "VIP"), ("get_source_features", "CONNECTED")])
def test_a_gate_whose_remedy_is_no_plain_call_ends_the_plan(tool: str, gate: str) -> None:
    def blocked() -> Program:
        example = installed_catalogue().tools[tool].example
        yield p.Call(tool, {name: p.Fixed(name, str(value)) for name, value in example.items()})

    granted = UserScript(style="terse", consents=[Consent(gate=gate, granted=True)], top_up="exact_shortfall")
    env = sample.environment(
        sources=[{"id": "fitbit", "connected": False}, {"id": "oura", "connected": False}],
        permissions=sample.permissions(raw_data=True),
    )
    with pytest.raises(PlanError, match=f"{gate} is opened in a way that plans do not know"):
        make_plan(env, granted, Telling({}), of(blocked))


def test_asking_for_what_is_refused_makes_the_probe_first() -> None:
    def declining() -> Program:
        yield p.Ask("SWITCH")
        yield p.Tell({"reason": p.Fixed("reason", "consent_refused")})

    plan, gates = make_plan(toy_environment(on=False), script(granted=False), Telling({}), of(declining))
    assert shapes(plan) == ["see_switch()", "ask SWITCH no", "tell {'reason': 'consent_refused'}"]
    assert gates == ["SWITCH"]
    assert len(plan.decisions) == 1


def test_reads_that_nothing_needs_are_left_out_and_the_rest_renumbered() -> None:
    def wasteful() -> Program:
        yield p.Call("see_weather")
        price = yield p.Call("see_price")
        yield p.Call("see_weather")
        yield p.Call("buy", {"cents": price["cents"]})

    plan, _ = make_plan(toy_environment(on=True), script(granted=True), Telling({}), of(wasteful))
    assert shapes(plan) == ["see_price()", "buy(cents=40)"]
    assert plan.nodes == [Result(step=0, path=["cents"])]


def test_the_same_read_is_made_again_only_after_a_write_to_what_it_read() -> None:
    def reading() -> Program:
        first = yield p.Call("see_price")
        again = yield p.Call("see_price")
        yield p.Call("buy", {"cents": again["cents"]})
        yield p.User("flip", {"on": p.Fixed("on", False)})
        changed = yield p.Call("see_price")
        yield p.Tell({"before": first["cents"], "after": changed["cents"]})

    plan, _ = make_plan(toy_environment(on=True), script(granted=True), Telling({}), of(reading))
    assert shapes(plan) == [
        "see_price()",
        "buy(cents=40)",
        "flip(on=False)",
        "see_price()",
        "tell {'before': 40, 'after': 80}",
    ]


def test_a_confirmed_call_is_preceded_by_the_yes() -> None:
    def confirmed() -> Program:
        price = yield p.Call("see_price")
        yield p.Call("buy_confirmed", {"cents": price["cents"]})

    plan, _ = make_plan(toy_environment(on=True), script(granted=True), Telling({}), of(confirmed))
    assert shapes(plan) == ["see_price()", "confirm buy_confirmed", "buy_confirmed(cents=40)"]


def test_an_error_that_is_no_gate_ends_the_plan() -> None:
    def wrong() -> Program:
        yield p.Call("buy", {"cents": p.Fixed("cents", "many")})

    with pytest.raises(PlanError, match="INVALID_ARGUMENTS"):
        make_plan(toy_environment(on=True), script(granted=True), Telling({}), of(wrong))


@pytest.mark.parametrize(
    "misuse",
    [
        lambda v: v + 1,
        lambda v: bool(v),
        lambda v: v == 3,
        lambda v: v < 3,
        lambda v: list(v),
        lambda v: len(v),
        lambda v: int(v),
        lambda v: str(v),
        lambda v: f"{v}",
        lambda v: {v: 1},
    ],
)
def test_a_traced_value_cannot_be_computed_with(misuse: object) -> None:
    for value in (p.Traced(3, 0), p.Traced({"a": 3}, 0)["a"]):
        with pytest.raises(TypeError):
            misuse(value)  # type: ignore[operator]


def test_a_branch_not_taken_is_recorded_as_its_negation() -> None:
    def branching() -> Program:
        price = yield p.Call("see_price")
        if (yield p.Decide(eq(slot("cents"), const(1)), {"cents": price["cents"]})):
            yield p.Tell({"x": p.Fixed("x", 1)})
        else:
            yield p.Tell({"x": p.Fixed("x", 2)})

    plan, _ = make_plan(toy_environment(on=True), script(granted=True), Telling({}), of(branching))
    (decision,) = plan.decisions
    assert plan.nodes[decision].test.op == "not"  # type: ignore[union-attr]
    assert shapes(plan)[-1] == "tell {'x': 2}"


def test_parts_run_one_after_the_other_under_their_prefixes() -> None:
    def telling() -> Program:
        price = yield p.Call("see_price")
        yield p.Tell({"price": price["cents"]})

    parts = [PartSteps(0, "1.", lambda _: buying()), PartSteps(1, "2.", lambda _: telling())]
    plan, _ = make_plan(toy_environment(on=True), script(granted=True), Telling({}), parts)
    assert shapes(plan) == ["see_price()", "buy(cents=40)", "tell {'2.price': 40}"]
    assert [step.part for step in plan.steps if isinstance(step, Call)] == [0, 0]


def test_a_list_that_is_too_short_ends_the_plan_and_a_wrong_name_is_a_defect() -> None:
    def misnamed() -> Program:
        price = yield p.Call("see_price")
        yield p.Tell({"x": price["pounds"]})

    def empty() -> Program:
        pages = yield p.Call("see_prices")
        none = yield p.Filter(pages["prices"], where=eq(const(1), const(0)))
        yield p.Tell({"x": none[0]["cents"]})

    with pytest.raises(PlanError, match="no element 0"):
        make_plan(toy_environment(on=True), script(granted=True), Telling({}), of(empty))
    with pytest.raises(KeyError):
        make_plan(toy_environment(on=True), script(granted=True), Telling({}), of(misnamed))
