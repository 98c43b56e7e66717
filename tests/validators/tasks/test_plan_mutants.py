"""Every way to go wrong is tried on real tasks, and none is passed unless the contract lets it through."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache

import pytest

from generators.profiles import make_profile
from generators.tasks import Share, make_round
from schemas.contract import Allowed, Answer, AnyValue, Change, Contract, Equal, Expectation, Rule, Total
from schemas.plan import Ask, Call, Confirm, Tell
from services.runtime.streams import Stream
from tests.validators.tasks.altering import call, contracted, expecting, survivors
from tests.validators.tasks_support import SEED, context_of, context_where, contexts, made, user_context, world
from validators.contract.changes import facts_of, rows_held
from validators.tasks import plan_mutants as module
from validators.tasks.altered import Deviation, inserted, with_arguments
from validators.tasks.context import TaskContext
from validators.tasks.deeds import deeds_of
from validators.tasks.mutation import check_mutants, stream_of
from validators.tasks.plan_mutants import OPERATORS, PlanMutant, plan_mutants
from validators.tasks.replay import Act
from validators.tasks.worth import graph_of
from validators.tasks.wrong_calls import crossed, needless_option, other_amount, other_day, other_item, wrong_pack
from validators.tasks.wrong_course import before_consent, half_done, leftover, second_order, too_late
from validators.tasks.wrong_reports import declines_instead, wrong_answer

NAMES = tuple(name for name, _, _ in OPERATORS)
QUOTAS = {name: quota for name, _, quota in OPERATORS}
ANY = Stream("any")


def mutants(context: TaskContext) -> list[PlanMutant]:
    """The mutants that the check looks at."""
    return list(plan_mutants(context, stream_of(context).child("plan")))


def of_several_parts() -> Iterator[TaskContext]:
    """Tasks that ask for several things."""
    for user in range(3):
        profile, environment = make_profile(SEED, user), made(user).environment
        share = Share(multi_intent_percent=100)
        for task in make_round(SEED, profile, environment, world(), 0, share=share).candidates:
            if len(task.intents) > 1:
                yield TaskContext(user_context(user), task)


@cache
def tried() -> tuple[tuple[TaskContext, PlanMutant], ...]:
    """All mutants of some users' tasks."""
    some = [*(context for user in range(8) for context in contexts(user, 2)), *of_several_parts()]
    return tuple((context, mutant) for context in some for mutant in mutants(context))


# --- real tasks ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("operator", NAMES)
def test_every_operator_goes_wrong_on_real_tasks_and_is_rejected(operator: str) -> None:
    found = [mutant for _, mutant in tried() if mutant.operator == operator]
    assert found
    assert not [mutant for mutant in found if mutant.passed]


def test_there_are_as_many_operators_as_ways_to_go_wrong() -> None:
    assert len(set(NAMES)) == len(OPERATORS) >= 12


def test_a_task_gets_no_more_mutants_than_the_quotas_say() -> None:
    counted = Counter((id(context), mutant.operator) for context, mutant in tried())
    assert all(number <= QUOTAS[operator] for (_, operator), number in counted.items())
    assert any(number == 2 for number in counted.values())
    assert max(Counter(id(context) for context, _ in tried()).values()) == module.MOST


def test_mutants_cost_a_few_calls_per_step() -> None:
    calls = steps = 0
    for context in contexts(0):
        _ = context.gold
        before = context.calls
        mutants(context)
        calls += context.calls - before
        steps += len(context.acts)
    assert 0 < calls < 10 * steps


def test_the_same_task_has_the_same_mutants() -> None:
    def shown(user: int) -> list[tuple[str, list[str]]]:
        return [
            (mutant.operator, [act.step.model_dump_json() for act in mutant.deviation.acts])
            for context in contexts(user)
            for mutant in mutants(context)
        ]

    assert shown(1) == shown(1)


def test_the_values_of_a_plan_are_evaluated_once() -> None:
    context = context_of("buy-best/fulfil", ())
    assert graph_of(context) is graph_of(context)


# --- contracts that let something through ----------------------------------------------------------------------------


def lenient(context: TaskContext, mutant: PlanMutant) -> TaskContext:
    """The task that accepts any end of the kind that the mutant reaches, and expects what it tells and asks.

    What the mutant tells wrong is not expected, unless it is a reason.
    """
    outcome, tables = mutant.outcome, context.catalogue.tables
    held = rows_held({n: list(context.tables[n].values()) for n, t in tables.items() if t.view is not None}, tables)
    changes: list[Change] = []
    for fact in facts_of(outcome.delta, tables, held):
        free: dict[str, Rule] = {name: AnyValue() for name in fact.after or {} if name != "id"}
        changes.append(Change(op=fact.op, table=fact.table, id="" if fact.op == "create" else fact.id, fields=free))
    # A total that any number of records meets keeps the end from being one that the contract spells out.
    anything = Total(table=next(iter(tables)), fn="ge", value=0)
    known = {answer.name: answer for answer in context.task.expectation.answers}
    answers = [known[name] for name, value in outcome.answers.items() if name in known and known[name].value == value]
    reasons = [
        Answer(name=name, kind="reason", value=value)
        for name, value in outcome.answers.items()
        if name.endswith("reason") and (name not in known or known[name].value != value)
    ]
    return expecting(
        context,
        any_of=[Contract(changes=changes, totals=[anything])],
        answers=[*answers, *reasons],
        asks=[ask for ask in context.task.expectation.asks if ask.gate in outcome.asks],
    )


def demanding(expectation: Expectation) -> bool:
    """Whether an expectation asks for anything at all, without which it is refused."""
    return bool(expectation.answers or expectation.asks or any(contract.changes for contract in expectation.any_of))


@pytest.mark.parametrize("operator", NAMES)
def test_a_contract_that_lets_a_mutant_through_fails_the_check(operator: str) -> None:
    for context, mutant in tried():
        if mutant.operator == operator:
            loose = lenient(context, mutant)
            if demanding(loose.task.expectation):
                verdict = check_mutants(loose)
                assert not verdict.passed
                counts = verdict.counts
                names = ("total", "rejected", "equivalent")
                total, rejected, equivalent = (counts[f"plan/{operator}/{name}"] for name in names)
                assert total > rejected + equivalent
                return
    raise LookupError(operator)


def allowing(table: str, id_: str, **fields: Rule) -> Callable[[Contract], dict[str, object]]:
    """A contract with one more change allowed."""
    change = Change(op="update", table=table, id=id_, fields=fields)
    return lambda contract: {"allowed": [*contract.allowed, Allowed(change=change)]}


def test_a_permission_that_may_be_given_is_given_needlessly() -> None:
    """The request has nothing to do with notes."""
    context = context_where(
        "spending-question/fulfil", lambda c: not c.tables["permissions"]["user_notes"]["allowed"], users=20
    )
    loose = contracted(context, allowing("permissions", "user_notes", allowed=Equal(value=True)))
    assert survivors(loose) == {"plan/needless_grant"}
    assert not survivors(context)


def test_a_permission_that_was_refused_and_may_be_given_is_caught() -> None:
    context = context_of("buy-best/consent_refused", ("PURCHASE",))
    loose = contracted(context, allowing("permissions", "purchase", allowed=Equal(value=True)))
    assert survivors(loose) == {"plan/granted_anyway"}


def test_a_question_that_need_not_be_asked_is_caught() -> None:
    context = context_of("buy-best/fulfil", ("PURCHASE",))
    assert "plan/unasked" in survivors(expecting(context, asks=[]))


def test_an_answer_that_nobody_expects_is_told_wrong() -> None:
    context = context_of("voucher-question/fulfil/next")
    kept = context.task.expectation.answers[:1]
    assert len(context.task.expectation.answers) > 1
    assert survivors(expecting(context, answers=kept)) == {"plan/wrong_answer"}


def test_a_note_that_may_say_anything_is_misheard() -> None:
    context = context_of("add-note/fulfil", ())

    def freely(contract: Contract) -> dict[str, object]:
        (change,) = contract.changes
        return {"changes": [change.model_copy(update={"fields": {**change.fields, "text": AnyValue()}})]}

    assert "plan/misheard" in survivors(contracted(context, freely))


# --- what is no mutant -----------------------------------------------------------------------------------------------


def trying(monkeypatch: pytest.MonkeyPatch, *deviations: Deviation, quota: int = 1) -> None:
    """Let there be one operator, with these deviations."""
    monkeypatch.setattr(module, "OPERATORS", (("one", lambda context, stream: iter(deviations), quota),))


def test_what_cannot_be_done_is_no_mutant(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines that are gone cannot be removed once more; a product that is not there cannot be bought."""
    context = context_of("clean-up-cart/fulfil")
    (twice,) = second_order(context, ANY)
    trying(monkeypatch, twice)
    assert not mutants(context)
    context = context_of("buy-best/fulfil", ())
    number = deeds_of(context).calls[0]
    wrong = Act(with_arguments(_call(context, number), {"product_id": "p_nowhere"}), number)
    gone = Deviation([*context.acts[:number], wrong, *context.acts[number + 1 :]])
    trying(monkeypatch, gone)
    assert not mutants(context)
    # The next one takes its place.
    trying(monkeypatch, gone, *half_done(context, ANY))
    assert [mutant.deviation.acts for mutant in mutants(context)] == [next(half_done(context, ANY)).acts]


def test_what_passes_is_never_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    """A plan with one more look is as good as the gold; a call that fails first does not hide it."""
    context = context_of("buy-best/fulfil", ())
    trying(monkeypatch, Deviation(inserted(context, 0, Act(call("get_cart")))))
    verdict = check_mutants(context)
    assert verdict.passed
    assert verdict.counts["plan/one/equivalent"] == verdict.counts["plan/one/total"] == 1
    assert verdict.evidence.endswith("one")


# --- single operators ------------------------------------------------------------------------------------------------


def _call(context: TaskContext, number: int) -> Call:
    step = context.acts[number].step
    assert isinstance(step, Call)
    return step


def altered_steps(context: TaskContext, deviation: Deviation) -> list[Act]:
    """The acts that are not the gold's."""
    known = {id(act) for act in context.acts}
    return [act for act in deviation.acts if id(act) not in known]


def test_another_item_is_the_next_best_one_in_every_line() -> None:
    context = context_where("buy-best/fulfil", lambda c: len(_lines(c)) > 1 and c.task.template == "buy-best/fulfil")
    (bought,) = {str(_call(context, number).arguments["product_id"]) for number in _lines(context)}
    found = [
        deviation
        for deviation in other_item(context, ANY)
        if any(
            act.step.arguments.get("product_id") != bought
            for act in altered_steps(context, deviation)
            if isinstance(act.step, Call)
        )
    ]
    (deviation,) = found
    steps = [act.step for act in altered_steps(context, deviation)]
    others = {str(step.arguments["product_id"]) for step in steps if isinstance(step, Call)}
    assert len(steps) == len(_lines(context))
    assert len(others) == 1
    assert others < context.start.records("assortment").keys()


def _lines(context: TaskContext) -> list[int]:
    return [number for number in deeds_of(context).calls if _call(context, number).tool == "add_to_cart"]


def test_a_deletion_of_something_else_is_confirmed_as_well() -> None:
    context = context_where("delete-note/fulfil", lambda c: next(other_item(c, ANY), None) is not None)
    deviation = next(other_item(context, ANY))
    said, done = (act.step for act in altered_steps(context, deviation))
    assert isinstance(said, Confirm)
    assert isinstance(done, Call)
    assert said.arguments == done.arguments
    assert done.arguments["note_id"] != _call(context, deeds_of(context).calls[-1]).arguments["note_id"]


def test_another_day_leads_to_another_note() -> None:
    context = context_where("delete-note/fulfil/date", lambda c: next(other_day(c, ANY), None) is not None)
    deviation = next(other_day(context, ANY))
    looked, said, done = (act.step for act in altered_steps(context, deviation))
    assert isinstance(looked, Call)
    assert isinstance(said, Confirm)
    assert isinstance(done, Call)
    assert looked.tool == "list_notes"
    assert said.arguments == done.arguments


def test_crossed_calls_are_not_just_exchanged() -> None:
    seen = 0
    for context in contexts(0, 2):
        calls = sorted(
            _call(context, number).model_dump_json(include={"tool", "arguments"}) for number in deeds_of(context).calls
        )
        for deviation in crossed(context, ANY):
            steps = [act.step for act in deviation.acts if isinstance(act.step, Call)]
            done = {id(step) for step in steps} - {id(act.step) for act in context.acts}
            assert len(done) == 2
            assert sorted(step.model_dump_json(include={"tool", "arguments"}) for step in steps) != calls
            seen += 1
    assert seen > 10


def test_amounts_are_off_by_one_or_a_cent() -> None:
    context = context_of("buy-best/fulfil", ("BALANCE", "PURCHASE"))
    off: set[tuple[str, float]] = set()
    for deviation in other_amount(context, ANY):
        (act,) = altered_steps(context, deviation)
        assert isinstance(act.step, Call)
        assert act.gold is not None
        (name,) = [n for n, v in act.step.arguments.items() if v != _call(context, act.gold).arguments[n]]
        new, old = act.step.arguments[name], _call(context, act.gold).arguments[name]
        assert isinstance(new, (int, float))
        assert isinstance(old, (int, float))
        off.add((name, round(new - old, 4)))
    assert off == {("quantity", 1), ("quantity", -1), ("amount", 0.01), ("amount", -0.01)}


def test_options_come_from_what_arguments_refer_to() -> None:
    context = context_where("buy-best/fulfil", lambda c: bool(c.tables["vouchers"]))
    given = [
        act.step.arguments
        for d in needless_option(context, ANY)
        for act in altered_steps(context, d)
        if isinstance(act.step, Call)
    ]
    assert {str(arguments["voucher_id"]) for arguments in given} == set(context.tables["vouchers"])


def test_wrong_packs_and_leftovers_of_a_purchase() -> None:
    context = context_of("buy-best/fulfil", ("BALANCE", "PURCHASE"))
    packs = sum(_call(context, number).arguments["size"] == "pack_5" for number in _lines(context))
    assert len(list(wrong_pack(context, ANY))) == len(_lines(context)) + packs
    assert len(list(leftover(context, ANY))) == len(_lines(context))


def test_what_is_tried_too_early_is_not_tried_again() -> None:
    context = context_of("buy-best/fulfil", ("BALANCE", "PURCHASE"))
    moved = {"prepare_order": "PURCHASE", "authorize_checkout": "BALANCE"}
    found: set[str] = set()
    for deviation in before_consent(context, ANY):
        assert deviation.goes_on
        steps = [act.step for act in deviation.acts]
        assert Counter(map(id, deviation.acts)) <= Counter(map(id, context.acts))
        for tool, gate in moved.items():
            (tried,) = [n for n, step in enumerate(steps) if isinstance(step, Call) and step.tool == tool]
            (asked,) = [n for n, step in enumerate(steps) if isinstance(step, Ask) and step.gate == gate]
            found |= {tool} if tried < asked else set()
    assert found == moved.keys()


def test_something_too_late_comes_after_what_needed_it() -> None:
    context = context_of("buy-best/fulfil", ())
    for deviation in too_late(context, ANY):
        tools = [act.step.tool for act in deviation.acts if isinstance(act.step, Call)]
        assert tools.index("prepare_order") < len(tools) - 1 - tools[::-1].index("add_to_cart")


def test_every_reason_is_told_some_time() -> None:
    context = context_of("buy-best/fulfil", ())
    told = {
        str(act.step.answers["reason"])
        for deviation in declines_instead(context, ANY)
        for act in deviation.acts
        if isinstance(act.step, Tell)
    }
    assert len(told) == 6
    for deviation in declines_instead(context, ANY):
        assert not [act for act in deviation.acts if isinstance(act.step, Call) and act.step.tool == "prepare_order"]


def test_wrong_answers_differ_in_one_answer_each() -> None:
    seen: Counter[str] = Counter()
    for context in contexts(0, 2):
        for deviation in wrong_answer(context, ANY):
            told: dict[str, object] = {}
            for act in deviation.acts:
                told.update(act.step.answers if isinstance(act.step, Tell) else {})
            assert told.keys() == context.gold.answers.keys()
            (name,) = [name for name, value in told.items() if value != context.gold.answers[name]]
            seen[name] += 1
    assert sum(seen.values()) > 15
    assert len(seen) > 5


def test_a_question_has_no_deed_to_go_wrong() -> None:
    context = context_of("spending-question/fulfil")
    operators = {mutant.operator for mutant in mutants(context)}
    assert operators == {"needless_grant", "wrong_answer", "declines_instead"}
    assert not [act for act in context.acts if isinstance(act.step, Ask)]
