"""Plans that come out right by luck are caught: they stop early, ask unseen, decline or leave out undecided."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from types import SimpleNamespace
from typing import Any, cast

import pytest

from generators.profiles import make_profile
from generators.tasks import Share, make_round, planner
from generators.tasks import program as p
from generators.tasks.prune import needed, prune
from schemas import provenance as o
from schemas.goal import Arith, Not, Slot
from schemas.goal import Test as Compare
from schemas.plan import Ask, Call, Plan
from schemas.task import Task
from services.runtime.declare import Gate
from tests.nonempty import nonempty
from tests.validators.tasks_support import SEED, altered, context_of, contexts, made, position, user_context, world
from validators.tasks.context import TaskContext
from validators.tasks.declining import slots_behind
from validators.tasks.provenance import check_provenance

BUY = "buy-best/fulfil"
USERS = 2


def reason(context: TaskContext) -> str:
    verdict = check_provenance(context)
    assert not verdict.passed
    return verdict.reason


def made_by(wanted: Callable[[Task], bool], percent: int = 0) -> list[TaskContext]:
    """The tasks of a few users as the generators make them now, of the kind that is wanted."""
    found: list[TaskContext] = []
    for user in range(USERS):
        environment = made(user).environment
        batch = make_round(
            SEED, make_profile(SEED, user), environment, world(), 0, 0, Share(multi_intent_percent=percent)
        )
        found += [TaskContext(user_context(user), task) for task in batch.candidates if wanted(task)]
    return nonempty(found)


def pages_of(task: Task) -> int:
    return max((len(n.inputs) for n in task.plan.nodes if isinstance(n, o.Joined)), default=0)


def test_real_tasks_of_one_and_of_several_intents_pass() -> None:
    for context in [*contexts(0), *made_by(lambda task: True, percent=100)]:
        verdict = check_provenance(context)
        assert verdict.passed, (context.task.template, verdict.reason)


# --- listings ------------------------------------------------------------------------------------------------------


def _read_pages(run: planner._Run, command: p.Pages, most: int) -> list[p.Traced]:  # pyright: ignore[reportPrivateUsage]
    """Read a listing as the planner does, at most so many pages, and say of each page that it leads on."""
    page: p.Given = p.Fixed("first_page", 1)
    parts: list[p.Traced] = []
    for _ in range(most):
        result = run.call(command.tool, {"page": page}, "assistant")
        parts.append(run.graph.resolve(result[command.items]))
        here: p.Args = {"page": result["page"], "total": result["total_pages"]}
        if not run.graph.decided(p.Decide(planner._MORE_PAGES, here)):  # pyright: ignore[reportPrivateUsage]
            break
        page = run.graph.derived(p.Derive(planner._NEXT_PAGE, {"page": result["page"]}))  # pyright: ignore[reportPrivateUsage]
    return parts


@pytest.fixture
def lucky(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """Leave out the tasks whose plan does not find what it looks for in what it reads."""
    run = planner._Run.run  # pyright: ignore[reportPrivateUsage]

    def tried(self: planner._Run, program: p.Program) -> None:  # pyright: ignore[reportPrivateUsage]
        try:
            run(self, program)
        except IndexError as error:
            raise planner.PlanError("nothing is found") from error

    monkeypatch.setattr(planner._Run, "run", tried)  # pyright: ignore[reportPrivateUsage]
    return monkeypatch


def test_a_plan_that_reads_only_some_pages_is_caught(lucky: pytest.MonkeyPatch) -> None:
    assert all(pages_of(c.task) > 2 for c in made_by(lambda task: pages_of(task) > 0))
    lucky.setattr(
        planner._Run,  # pyright: ignore[reportPrivateUsage]
        "_pages",
        lambda run, command: run.graph.joined(_read_pages(run, command, 2)),
    )
    for context in made_by(lambda task: pages_of(task) == 2):
        assert "no decision says that none follows the last" in reason(context)


def test_a_plan_that_drops_the_last_page_is_caught(lucky: pytest.MonkeyPatch) -> None:
    lucky.setattr(
        planner._Run,  # pyright: ignore[reportPrivateUsage]
        "_pages",
        lambda run, command: run.graph.joined(_read_pages(run, command, 50)[:-1]),
    )
    for context in made_by(lambda task: pages_of(task) > 1):
        assert "no decision says that none follows the last" in reason(context)


def test_a_made_up_end_of_a_listing_is_caught(lucky: pytest.MonkeyPatch) -> None:
    """The question is another one, which a page before the last answers as the last would: the tool knows better."""
    page = Slot(name="page")
    early = Compare(fn="lt", left=Arith(fn="mul", args=[page, page]), right=Slot(name="total"))
    lucky.setattr(planner, "_MORE_PAGES", early)
    for context in made_by(lambda task: pages_of(task) > 1):
        assert "there is another page after the last" in reason(context)


def test_pages_out_of_order_are_caught() -> None:
    context = context_of(BUY)
    nodes = list(context.task.plan.nodes)
    index = next(i for i, n in enumerate(nodes) if isinstance(n, o.Joined))
    joined = nodes[index]
    assert isinstance(joined, o.Joined)
    nodes[index] = joined.model_copy(update={"inputs": [joined.inputs[1], joined.inputs[0], *joined.inputs[2:]]})
    assert "one by one" in reason(altered(context, plan=context.task.plan.model_copy(update={"nodes": nodes})))


# --- gates ---------------------------------------------------------------------------------------------------------


def test_asking_for_a_consent_without_looking_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    look = planner._Run._show  # pyright: ignore[reportPrivateUsage]

    def show(run: planner._Run, gate: Gate, blocked: Mapping[str, p.Traced]) -> dict[str, p.Given]:  # pyright: ignore[reportPrivateUsage]
        return {} if gate.name == "PURCHASE" else look(run, gate, blocked)

    monkeypatch.setattr(planner._Run, "_show", show)  # pyright: ignore[reportPrivateUsage]
    unseen = made_by(lambda task: task.gates == ["PURCHASE"])
    forms = {form for context in unseen for form in (use.form for use in context.task.intents)}
    assert {"fulfil", "consent_refused"} <= forms
    for context in unseen:
        assert "get_system_settings, which shows it, was not called before" in reason(context)


def without_decision(plan: Plan, decision: int) -> Plan:
    """The plan that never took this decision: what only the decision needed is gone, too."""
    graph = SimpleNamespace(nodes=plan.nodes, decisions=without(plan.decisions, decision))
    keep, _ = needed(plan.steps, graph.nodes, graph.decisions, set(range(len(plan.steps))))
    assert len(keep) == len(plan.steps)
    return prune(plan.steps, cast("Any", graph), cast("Any", SimpleNamespace(tools=_AllWrite())))


class _AllWrite:
    """Tools that all write, so that no step is pruned."""

    def __getitem__(self, name: str) -> object:
        return SimpleNamespace(write=True)


@pytest.mark.parametrize("gate", ["PURCHASE", "BALANCE"])
def test_a_gate_must_be_seen_closed(gate: str) -> None:
    context = context_of(BUY, (gate,))
    plan = context.task.plan
    remedy = context.catalogue.gates[gate].gate.remedy
    assert remedy is not None
    (shown,) = [d for d in plan.decisions if getattr(plan.nodes[d], "test", None) == remedy.shows]
    assert "shows it closed" in reason(altered(context, plan=without_decision(plan, shown)))
    # The same words about something else show nothing.
    nodes = list(plan.nodes)
    decided = nodes[shown]
    assert isinstance(decided, o.Decided)
    read = next(s for s, step in enumerate(plan.steps) if isinstance(step, Call) and not step.gate)
    elsewhere = {name: _plus(nodes, o.Result(step=read, path=["page"])) for name in decided.args}
    test = Compare(fn="ge", left=remedy.shows.left, right=remedy.shows.left)  # type: ignore[union-attr]  # pyright: ignore[reportAttributeAccessIssue]
    nodes.append(o.Decided(test=test, args=elsewhere))
    decisions = [*without(plan.decisions, shown), len(nodes) - 1]
    moved = altered(context, plan=plan.model_copy(update={"nodes": nodes, "decisions": decisions}))
    assert "shows it closed" in reason(moved) or "is no decision of the plan" in reason(moved)


def _plus(nodes: list[o.Origin], origin: o.Origin) -> int:
    nodes.append(origin)
    return len(nodes) - 1


def without(decisions: list[int], one: int) -> list[int]:
    return [node for node in decisions if node != one]


def test_the_amount_beside_a_gate_is_that_of_the_blocked_call() -> None:
    context = context_of(BUY, ("BALANCE",))
    plan = context.task.plan
    order = position(plan, "prepare_order")
    nodes = list(plan.nodes)
    place = next(i for i, n in enumerate(nodes) if n == o.Result(step=order, path=["final_total"]))
    nodes[place] = o.Result(step=order, path=["subtotal"])
    faulty = altered(context, plan=plan.model_copy(update={"nodes": nodes}))
    assert "shows it closed" in reason(faulty)


def test_what_was_seen_before_a_change_shows_nothing() -> None:
    context = context_of(BUY, ("PURCHASE",))
    plan = context.task.plan
    ask = next(i for i, step in enumerate(plan.steps) if isinstance(step, Ask))
    probe = next(i for i, step in enumerate(plan.steps) if isinstance(step, Call) and step.gate == "PURCHASE")
    gold = context.gold
    remedy = next(i for i, s in enumerate(plan.steps) if isinstance(s, Call) and s.side == "user" and s.gate)
    assert probe < ask < remedy
    gold.footprints[ask - 1 if ask - 1 > probe else ask] = gold.footprints[remedy]
    if ask - 1 > probe:
        assert "has changed since" in reason(context)
    else:
        assert check_provenance(context).passed


# --- every decision ------------------------------------------------------------------------------------------------


def decisions_of(limit: int) -> Iterator[tuple[TaskContext, int]]:
    for user in range(limit):
        for context in contexts(user):
            yield from ((context, node) for node in context.task.plan.decisions)


def test_a_decision_that_is_not_listed_is_caught() -> None:
    tried = 0
    for context, node in decisions_of(2):
        plan = context.task.plan
        faulty = plan.model_copy(update={"decisions": without(plan.decisions, node)})
        assert not check_provenance(altered(context, plan=faulty)).passed
        tried += 1
    assert tried > 50


def is_wallet_read_asked_for(plan: Plan, node: int) -> bool:
    """The one decision that may go: a read made after seeing that it is needed is no luck when made in any case."""
    decided = plan.nodes[node]
    return isinstance(decided, o.Decided) and not isinstance(decided.test, Not) and set(decided.args) == {"count"}


def test_a_decision_that_was_never_taken_is_caught() -> None:
    tried = Counter[str]()
    for context, node in decisions_of(3):
        if context.task.intents[0].intent not in ("buy-best", "clean-up-cart", "spending-question"):
            continue
        caught = not check_provenance(altered(context, plan=without_decision(context.task.plan, node))).passed
        assert caught or is_wallet_read_asked_for(context.task.plan, node)
        tried["caught" if caught else "left"] += 1
    assert tried["caught"] > 20 * tried["left"]


@pytest.mark.parametrize(
    ("template", "fault"),
    [
        ("buy-best/none_satisfies", "is declined (none_satisfies), and no decision rests on"),
        ("buy-best/out_of_stock", "is declined (out_of_stock), and no decision rests on"),
        ("buy-best/cannot_afford", "asks about BALANCE, and no decision says"),
        ("spending-question/not_recorded", "is declined (not_recorded), and no decision rests on period_last"),
        ("clean-up-cart/none_satisfies", "is declined (none_satisfies), and no decision rests on"),
        ("clean-up-cart/fulfil", "no decision says that there are any"),
    ],
)
def test_a_course_without_its_last_decision_is_named(template: str, fault: str) -> None:
    context = context_of(template)
    plan = context.task.plan
    assert fault in reason(altered(context, plan=without_decision(plan, plan.decisions[-1])))


def test_a_number_of_packs_that_was_not_decided_on_is_caught() -> None:
    context = context_of(BUY, ())
    plan = context.task.plan
    for node in nonempty(plan.decisions[-2:]):
        assert "is one of 2, and not each of them" in reason(altered(context, plan=without_decision(plan, node)))


def test_nodes_that_nothing_needs_are_caught() -> None:
    context = context_of(BUY)
    plan = context.task.plan
    more = plan.model_copy(update={"nodes": [*plan.nodes, o.Clock()]})
    assert "is needed by no step and no decision" in reason(altered(context, plan=more))
    twice = plan.model_copy(update={"decisions": [*plan.decisions, plan.decisions[0]]})
    assert "is listed 2 times" in reason(altered(context, plan=twice))


def test_slots_behind_a_reason_are_found_through_nodes() -> None:
    context = context_of("buy-best/none_satisfies")
    (goal,) = context.task.goals
    assert goal.decline is not None
    assert slots_behind(goal, goal.decline.because) >= {"category", "quantity", "max_total"}


def test_a_decline_by_age_needs_the_clock() -> None:
    context = context_of("finish-pending/policy")
    plan = context.task.plan
    fault = "is declined (policy), and no decision rests on the clock"
    assert fault in reason(altered(context, plan=without_decision(plan, plan.decisions[-1])))
