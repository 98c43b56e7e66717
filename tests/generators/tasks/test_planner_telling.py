"""The planner and what the user tells when: facts that are asked for, and wishes that change on the way."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from generators.tasks import program as p
from generators.tasks.build import const, eq, slot
from generators.tasks.compose import Bound, plan_in_every_order
from generators.tasks.intent import Binding, Cell, Intent
from generators.tasks.phrases import Phrases
from generators.tasks.planner import PartSteps, PlanError, make_plan
from generators.tasks.telling import ChangeOfMind, Telling
from schemas.goal import Goal
from schemas.plan import Call
from schemas.provenance import Decided, Instruction, UserReply
from schemas.task import Slot
from tests.generators.tasks.toy import script, shapes, toy_environment

if TYPE_CHECKING:
    from collections.abc import Callable

    from generators.tasks.intent import SlotReader
    from generators.tasks.program import Program
    from schemas.base import Json
    from schemas.plan import Plan
    from services.runtime.environment import Environment


def planned(
    program: Callable[[SlotReader], Program], telling: Telling, *, on: bool = True, first: bool = False
) -> tuple[Plan, list[str]]:
    """Plan one part; with `first` its program is also what the user wanted at first."""
    parts = [PartSteps(0, "", program, program if first else None)]
    return make_plan(toy_environment(on=on), script(granted=True), telling, parts)


# --- facts that are asked for ----------------------------------------------------------------------------------------

KEPT_BACK = Telling({}, {"cents": ("cents", 30)}, {}, {"cents": 30})


def test_a_fact_is_asked_for_where_it_is_first_needed() -> None:
    def buying(x: SlotReader) -> Program:
        price = yield p.Call("see_price")
        yield p.Call("put_aside", {"cents": price["cents"]})
        yield p.Call("buy", {"cents": x("cents")})

    plan, _ = planned(buying, KEPT_BACK)
    assert shapes(plan) == ["see_price()", "put_aside(cents=40)", "question cents 30", "buy(cents=30)"]
    bought = plan.steps[-1]
    assert isinstance(bought, Call)
    assert plan.nodes[bought.origins["cents"]] == UserReply(step=2, slot="cents")


def test_a_fact_is_asked_for_once() -> None:
    def buying(x: SlotReader) -> Program:
        yield p.Call("put_aside", {"cents": x("cents")})
        yield p.Call("buy", {"cents": x("cents")})

    plan, _ = planned(buying, KEPT_BACK)
    assert shapes(plan) == ["question cents 30", "put_aside(cents=30)", "buy(cents=30)"]


def test_a_period_is_one_fact() -> None:
    first, last = "2026-01-01", "2026-01-31"
    kept_back = {"period_first": ("period", first), "period_last": ("period", last)}
    period: Json = [first, last]

    def telling(x: SlotReader) -> Program:
        yield p.Tell({"first": x("period_first"), "last": x("period_last")})

    plan, _ = planned(telling, Telling({}, dict(kept_back), {}, {"period": period}))
    assert shapes(plan) == [f"question period {period}", f"tell {{'first': '{first}', 'last': '{last}'}}"]


def test_a_fact_that_is_never_needed_ends_the_plan() -> None:
    def buying(_: SlotReader) -> Program:
        price = yield p.Call("see_price")
        yield p.Call("buy", {"cents": price["cents"]})

    with pytest.raises(PlanError, match="the plan never asks for cents"):
        planned(buying, KEPT_BACK)


def test_a_plan_that_starts_over_asks_in_its_place_again() -> None:
    """The remedy makes the price stale, which was read before the question."""

    def buying(x: SlotReader) -> Program:
        price = yield p.Call("see_price")
        if (yield p.Decide(eq(slot("cents"), slot("price")), {"cents": x("cents"), "price": price["cents"]})):
            yield p.Call("buy", {"cents": price["cents"]})
        else:
            yield p.Call("buy", {"cents": x("cents")})

    plan, gates = planned(buying, KEPT_BACK, on=False)
    assert gates == ["SWITCH"]
    asked = ["see_switch()", "ask SWITCH yes", "flip(on=True)"]
    assert shapes(plan) == [*asked, "see_price()", "question cents 30", "buy(cents=30)"]
    replies = [node for node in plan.nodes if isinstance(node, UserReply)]
    assert replies == [UserReply(step=4, slot="cents")]


def test_each_part_asks_for_its_own() -> None:
    def buying(x: SlotReader) -> Program:
        yield p.Call("buy", {"cents": x("cents")})

    telling = Telling({"1.cents": 10}, {"2.cents": ("2.cents", 20)}, {}, {"2.cents": 20})
    parts = [PartSteps(n, f"{n + 1}.", buying) for n in range(2)]
    plan, _ = make_plan(toy_environment(on=True), script(granted=True), telling, parts)
    assert shapes(plan) == ["buy(cents=10)", "question 2.cents 20", "buy(cents=20)"]


# --- changes of mind -------------------------------------------------------------------------------------------------

CHANGED = Telling({"cents": 50}, changed={"cents": 30}, change_gate="SWITCH", first={"cents": 50})
ASKED = ["see_switch()", "ask SWITCH yes", "flip(on=True)"]


def setting_aside(x: SlotReader) -> Program:
    """Write something that can be taken back before the gate is met."""
    yield p.Call("put_aside", {"cents": x("cents")})
    yield p.Call("buy", {"cents": x("cents")})


def aside(plan: Plan) -> str:
    """The id under which the first step put something aside."""
    made = plan.steps[0]
    assert isinstance(made, Call) and isinstance(made.result, dict)
    return str(made.result["aside_id"])


def test_what_served_the_first_wish_is_taken_back_and_the_last_one_carried_out() -> None:
    plan, gates = planned(setting_aside, CHANGED, on=False, first=True)
    assert gates == ["SWITCH"]
    undone = f"put_back(aside_id={aside(plan)})"
    assert shapes(plan) == ["put_aside(cents=50)", *ASKED, undone, "put_aside(cents=30)", "buy(cents=30)"]
    origins = [
        plan.nodes[step.origins["cents"]] for step in plan.steps if isinstance(step, Call) and "cents" in step.arguments
    ]
    assert origins == [Instruction(slot="cents"), *[UserReply(step=2, slot="cents")] * 2]


def test_writes_are_taken_back_in_the_opposite_order() -> None:
    def twice(x: SlotReader) -> Program:
        yield p.Call("put_aside", {"cents": x("cents")})
        yield p.Call("put_aside", {"cents": (yield p.Derive(slot("cents"), {"cents": x("cents")}))})
        yield p.Call("buy", {"cents": x("cents")})

    plan, _ = planned(twice, CHANGED, on=False, first=True)
    made = [
        str(step.result["aside_id"])
        for step in plan.steps[:2]
        if isinstance(step, Call) and isinstance(step.result, dict)
    ]
    undone = [step.arguments["aside_id"] for step in plan.steps if isinstance(step, Call) and step.tool == "put_back"]
    assert len(made) == 2 and undone == made[::-1]


def test_where_nothing_was_written_nothing_is_taken_back() -> None:
    def buying(x: SlotReader) -> Program:
        yield p.Call("buy", {"cents": x("cents")})

    plan, _ = planned(buying, CHANGED, on=False, first=True)
    assert shapes(plan) == [*ASKED, "buy(cents=30)"]
    assert Instruction(slot="cents") not in plan.nodes


def test_what_both_wishes_call_for_is_left_as_it_is() -> None:
    def several(x: SlotReader) -> Program:
        price = yield p.Call("see_prices")
        yield p.Call("put_aside", {"cents": price["prices"][0]["cents"]})
        yield p.Call("put_aside", {"cents": x("cents")})
        yield p.Call("buy", {"cents": x("cents")})

    plan, _ = planned(several, CHANGED, on=False, first=True)
    words = [word for word in shapes(plan) if not word.startswith("put_back")]
    assert words == [
        "see_prices()",
        "put_aside(cents=80)",
        "put_aside(cents=50)",
        *ASKED,
        "put_aside(cents=30)",
        "buy(cents=30)",
    ]
    assert sum(word.startswith("put_back") for word in shapes(plan)) == 1


def test_that_a_thing_stands_already_is_seen_where_it_was_wanted_for_another_reason() -> None:
    """80 was what the user asked for, and is now the price: the plan decides that what stands will do."""

    def other(x: SlotReader) -> Program:
        price = yield p.Call("see_prices")
        wish = yield p.Decide(eq(slot("cents"), const(80)), {"cents": x("cents")})
        yield p.Call("put_aside", {"cents": x("cents") if wish else price["prices"][0]["cents"]})
        yield p.Call("buy", {"cents": x("cents")})

    telling = Telling({"cents": 80}, changed={"cents": 30}, change_gate="SWITCH", first={"cents": 80})
    plan, _ = planned(other, telling, on=False, first=True)
    assert shapes(plan) == ["see_prices()", "put_aside(cents=80)", *ASKED, "buy(cents=30)"]
    seen = [
        node
        for node in map(plan.nodes.__getitem__, plan.decisions)
        if isinstance(node, Decided) and "done" in node.args
    ]
    assert len(seen) == 1
    assert plan.nodes[seen[0].args["done"]] == Instruction(slot="cents")


def test_a_consent_asked_for_before_anything_is_done_leaves_nothing_to_take_back() -> None:
    """The remedy makes the price stale, so that the consent comes first and with it the last wish."""

    def seeing(x: SlotReader) -> Program:
        price = yield p.Call("see_price")
        yield p.Call("put_aside", {"cents": price["cents"]})
        yield p.Call("buy", {"cents": x("cents")})

    plan, _ = planned(seeing, CHANGED, on=False, first=True)
    assert shapes(plan) == [*ASKED, "see_price()", "put_aside(cents=40)", "buy(cents=30)"]


def test_a_write_for_good_ends_the_plan() -> None:
    def giving(x: SlotReader) -> Program:
        yield p.Call("tip", {"cents": x("cents")})
        yield p.Call("buy", {"cents": x("cents")})

    with pytest.raises(PlanError, match="tip cannot be taken back"):
        planned(giving, CHANGED, on=False, first=True)


def test_a_change_that_never_comes_up_ends_the_plan() -> None:
    with pytest.raises(
        PlanError, match="the plan never asks about SWITCH, with which the user would change their mind"
    ):
        planned(setting_aside, CHANGED, on=True, first=True)


def two_parts() -> list[PartSteps]:
    """A part that only buys, and one that sets aside and buys, about which the user changes their mind."""

    def buying(x: SlotReader) -> Program:
        yield p.Call("buy", {"cents": x("cents")})

    return [PartSteps(0, "1.", buying), PartSteps(1, "2.", setting_aside, setting_aside)]


OTHER_PART = Telling(
    {"1.cents": 10, "2.cents": 50},
    changed={"2.cents": 30},
    change_gate="SWITCH",
    change_prefix="2.",
    first={"2.cents": 50},
)


def test_a_change_about_a_part_that_was_not_begun_finds_nothing_to_take_back() -> None:
    plan, _ = make_plan(toy_environment(on=False), script(granted=True), OTHER_PART, two_parts())
    assert shapes(plan) == [*ASKED, "buy(cents=10)", "put_aside(cents=30)", "buy(cents=30)"]


def test_a_change_about_the_part_at_work_leaves_the_others_alone() -> None:
    plan, _ = make_plan(toy_environment(on=False), script(granted=True), OTHER_PART, two_parts()[::-1])
    undone = f"put_back(aside_id={aside(plan)})"
    assert shapes(plan) == [
        "put_aside(cents=50)",
        *ASKED,
        undone,
        "put_aside(cents=30)",
        "buy(cents=30)",
        "buy(cents=10)",
    ]


def bound(index: int, steps: Callable[[SlotReader], Program], cents: int) -> Bound:
    """Return a part of a task that wants `cents`."""
    intent = Intent(
        name=f"toy-{index}",
        family="toy",
        cells=(),
        gates=("SWITCH",),
        uses=frozenset(),
        bind=lambda _cell, _scene, _stream: None,
        goal=lambda _binding: Goal(),
        steps=lambda _binding, x: steps(x),
        phrases=Phrases(sentences={}),
    )
    return Bound(
        index, f"{index + 1}.", intent, Binding(Cell("fulfil"), (Slot(name="cents", kind="count", value=cents),))
    )


def buying_only(x: SlotReader) -> Program:
    yield p.Call("buy", {"cents": x("cents")})


def test_a_change_of_mind_leads_to_the_same_end_in_any_order() -> None:
    env = toy_environment(on=False)
    parts = [bound(0, buying_only, 10), bound(1, setting_aside, 30)]
    plan_in_every_order(env, script(granted=True), parts, ChangeOfMind("SWITCH", 1, "cents", 50))
    assert sorted(str(record["cents"]) for record in rows(env, "sales")) == ["10", "30"]
    assert [record["cents"] for record in rows(env, "asides")] == [30]


def rows(env: Environment, table: str) -> list[dict[str, Json]]:
    records = env.state()[table]
    assert isinstance(records, dict)
    return [record for record in records.values() if isinstance(record, dict)]


def test_a_change_of_mind_about_what_may_be_done_by_then_is_refused() -> None:
    """Carried out first, the part meets no gate and is over when the other part asks."""

    def setting_aside_only(x: SlotReader) -> Program:
        yield p.Call("put_aside", {"cents": x("cents")})

    parts = [bound(0, buying_only, 10), bound(1, setting_aside_only, 30)]
    with pytest.raises(PlanError, match="the order of the parts changes the result"):
        plan_in_every_order(
            toy_environment(on=False), script(granted=True), parts, ChangeOfMind("SWITCH", 1, "cents", 50)
        )
