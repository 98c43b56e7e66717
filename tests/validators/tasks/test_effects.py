"""Bare values tell two results apart exactly where the expectations differ."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from schemas import goal as g
from schemas.base import Json, canonical
from services.runtime.algebra import slots_of
from tests.effort import amount
from tests.validators.tasks_support import context_of, contexts
from validators.engine.expect import derive_expectation
from validators.engine.recipe import GoalMismatch, compile_recipe
from validators.engine.sql import GoalError
from validators.tasks.context import TaskContext, slot_values
from validators.tasks.derivation import Derivations, derivations_of
from validators.tasks.effects import effects_of
from validators.tasks.rewrites import Site, can_switch, sites_of, switch, switched


def expected(context: TaskContext, goal: g.Goal, slots: Mapping[str, Json]) -> bytes | None:
    gates = {name: compiled.gate for name, compiled in context.catalogue.gates.items()}
    tables, script = context.catalogue.tables, context.task.script
    try:
        return canonical(derive_expectation(goal, slots, context.now, script, gates, tables, context.db))
    except GoalMismatch:
        return None


def effects(context: TaskContext, goal: g.Goal, slots: Mapping[str, Json]) -> object:
    return effects_of(compile_recipe(goal, context.db), slots, context.now, context.db)


def test_effects_differ_exactly_where_expectations_do() -> None:
    seen: dict[str, int] = {}
    different = 0
    for user in range(4):
        for context in contexts(user, 2):
            form = context.task.template
            seen[form] = seen.get(form, 0) + 1
            if seen[form] > amount(1, 2):
                continue
            told = {slot.name: (slot.kind, slot.value) for slot in context.told}
            goal, slots = context.parts[0].goal, context.slots
            variants = [(site.rewrite(goal), slots) for site in sites_of(goal)]
            variants += [
                (goal, slot_values({**told, slot.name: (slot.kind, value)}))
                for slot in context.told
                for value in slot.alternatives[:4]
            ]
            for other, values in variants:
                same = expected(context, goal, slots) == expected(context, other, values)
                assert same == (effects(context, goal, slots) == effects(context, other, values)), form
                different += not same
    assert len(seen) > 10
    assert different > 50


def test_a_decline_that_nothing_justifies_has_no_effects() -> None:
    context = context_of("clean-up-cart/none_satisfies")
    goal = context.parts[0].goal
    assert goal.decline is not None
    unjust = goal.model_copy(update={"decline": goal.decline.model_copy(update={"because": g.Any(of=[])})})
    assert effects(context, unjust, context.slots) is None
    with pytest.raises(ValueError, match="does not fit the state"):
        Derivations(context, context.parts[0]._replace(goal=unjust))


def test_a_write_to_a_record_that_is_not_there_has_no_effects() -> None:
    context = context_of("buy-best/fulfil")
    goal = context.parts[0].goal
    empty = [
        node.model_copy(update={"rows": node.rows.model_copy(update={"where": g.Any(of=[])})})
        if node.name == "choices" and node.rows is not None
        else node
        for node in goal.nodes
    ]
    assert effects(context, goal.model_copy(update={"nodes": empty}), context.slots) is None


def test_a_slot_that_is_not_given_is_an_error() -> None:
    context = context_of("clean-up-cart/fulfil")
    with pytest.raises(GoalError):
        effects(context, context.parts[0].goal, {})


def test_derivations_are_made_once_and_stand_at_the_start_of_their_task() -> None:
    one, other = context_of("buy-best/out_of_stock"), context_of("clean-up-cart/fulfil")
    first = derivations_of(one, one.parts[0])
    assert derivations_of(other, other.parts[0]).changes(slots=other.slots) is False
    # The start of the other task, with other stocks and another cart, must not be looked at for the first.
    assert derivations_of(one, one.parts[0]) is first
    assert first.changes(slots=one.slots) is False
    assert not any(first.changes(slots=values) for values in [one.slots])


# --- switches -----------------------------------------------------------------------------------------------------


def on(sites: list[Site], wanted: Site | None) -> dict[str, Json]:
    return {switch(number): int(site == wanted) for number, site in enumerate(sites)}


def test_a_switch_does_what_its_rewrite_does() -> None:
    seen: set[str] = set()
    different = 0
    for user in range(4):
        for context in contexts(user, 2):
            for part in context.parts:
                goal, sites = part.goal, sites_of(part.goal)
                if context.task.template in seen:
                    continue
                seen.add(context.task.template)
                one = switched(goal, sites)
                own = effects(context, goal, part.slots)
                assert effects(context, one, {**part.slots, **on(sites, None)}) == own
                for site in filter(can_switch, sites):
                    found = effects(context, one, {**part.slots, **on(sites, site)})
                    assert found == effects(context, site.rewrite(goal), part.slots), (context.task.template, site)
                    different += found != own
    assert len(seen) > 10
    assert different > 30


def test_a_condition_that_joins_tables_has_no_switch() -> None:
    one, other = g.Table(table="a", prefix="a"), g.Table(table="b", prefix="b")
    same = g.Test(fn="eq", left=g.Col(name="a.id"), right=g.Col(name="b.id"))
    goal = g.Goal(nodes=[g.NamedNode(name="n", rows=g.Join(left=one, right=other, on=g.All(of=[same, g.Any(of=[])])))])
    sites = sites_of(goal)
    assert len(sites) == 2 and not any(map(can_switch, sites))
    assert switched(goal, sites) is goal


def test_sites_inside_sites_keep_their_own_switches() -> None:
    price = g.Named(name="price", body=g.Col(name="t.a"), naive=g.Const(value=0))
    first = g.Test(fn="gt", left=price, right=g.Const(value=1))
    second = g.Test(fn="eq", left=g.Col(name="t.b"), right=g.Slot(name="x"))
    where = g.All(of=[first, second])
    goal = g.Goal(nodes=[g.NamedNode(name="n", rows=g.Select(source=g.Table(table="t", prefix="t"), where=where))])
    sites = sites_of(goal)
    kinds = {site.kind: number for number, site in enumerate(sites)}
    assert [site.kind for site in sites] == ["named", "condition", "condition", "filter"]
    names = [name for name in slots_of(switched(goal, sites)) if name.startswith("#")]
    assert sorted(names) == sorted(switch(number) for number in range(len(sites)))
    (node,) = switched(goal, sites).nodes
    assert isinstance(node.rows, g.Select) and isinstance(node.rows.where, g.Any)
    assert node.rows.where.of[0] == g.Test(fn="eq", left=g.Slot(name=switch(kinds["filter"])), right=g.Const(value=1))
