"""Variants of the oracle end as it does, say which turns are special, and say when there is no room for them."""

from __future__ import annotations

import asyncio
from functools import cache, partial

import pytest

from generators.agents import variants
from generators.agents.oracle import Oracle
from generators.agents.variants import VARIANTS, Variant, variant_of
from generators.dialogue.runner import converse
from generators.users.scripted import ScriptedUser
from schemas.base import canonical
from schemas.task import Task
from schemas.trajectory import Did, Said, Trajectory
from services.runtime.catalogue import installed_catalogue
from tests.generators.agents.talks import open_start, seat, tasks
from tests.generators.dialogue.players import Content


@cache
def trajectory(number: int, variant: Variant | None) -> Trajectory | None:
    """The conversation of a variant about a task with a scripted user; None where there is no room for it."""
    task = tasks()[number]
    assistant = Oracle(seat(task)) if variant is None else variant_of(seat(task), variant)
    if assistant is None:
        return None
    env, wish = open_start(task), Content()
    user = ScriptedUser(task, env.now, installed_catalogue(), wish)
    return asyncio.run(converse(env, task, assistant, user, wish=wish))


def held(variant: Variant) -> list[tuple[Task, Trajectory]]:
    found = [(task, trajectory(number, variant)) for number, task in enumerate(tasks())]
    return [(task, one) for task, one in found if one is not None]


def labelled(one: Trajectory, label: str) -> list[Said | Did]:
    return [e for e in one.events if isinstance(e, Said | Did) and e.label == label]


def is_assistants(event: Said | Did) -> bool:
    return (event.side if isinstance(event, Did) else event.by) == "assistant"


def code(event: Said | Did) -> str:
    error = event.result.get("error") if isinstance(event, Did) else None
    return str(error["code"]) if isinstance(error, dict) else ""


def test_the_plain_oracle_ends_as_the_gold_with_a_user_who_follows_a_script() -> None:
    for number, task in enumerate(tasks()):
        one = trajectory(number, None)
        assert one is not None
        assert (one.end, one.end_hash) == ("done", task.end_hash), task.task_id
        assert (one.variant, labelled(one, "detour")) == ("", [])


@pytest.mark.parametrize("variant", VARIANTS)
def test_a_variant_ends_as_the_gold_and_is_labelled(variant: Variant) -> None:
    found = held(variant)
    assert len(found) > 10
    for task, one in found:
        assert (one.end, one.end_hash) == ("done", task.end_hash), task.task_id
        assert (one.assistant.name, one.variant) == (f"oracle:{variant}", variant)
        assert labelled(one, variant)


def test_a_detour_only_reads_more() -> None:
    tools = installed_catalogue().tools
    for task, one in held("detour"):
        extra = labelled(one, "detour")
        assert not [e for e in extra if not isinstance(e, Did) or code(e) or tools[e.tool].write]
        planned = [s.tool for s in task.plan.steps if s.step == "call"]
        assert [e.tool for e in one.events if isinstance(e, Did) and e.label != "detour"] == planned


def test_a_mistake_is_refused_changes_nothing_and_is_made_good_at_once() -> None:
    codes: set[str] = set()
    for _, one in held("recovery"):
        (mistake,) = labelled(one, "mistake")
        assert isinstance(mistake, Did)
        assert mistake.diff == {}
        codes.add(code(mistake))
        assistants = [e for e in one.events if isinstance(e, Said | Did) and is_assistants(e)]
        assert assistants[assistants.index(mistake) + 1].label == "recovery"
        assert not [e for e in labelled(one, "recovery") if code(e)]
    assert "" not in codes
    assert {"INVALID_ARGUMENTS", "PERMISSION_DENIED"} <= codes


def test_an_open_question_comes_before_a_fact_and_a_summary_before_a_payment() -> None:
    asked = paid = 0
    for task, one in held("clarification"):
        (special,) = labelled(one, "clarification")
        assert isinstance(special, Said)
        facts = {use.prefix + slot.name for use in task.intents for slot in use.slots if slot.told == "on_request"}
        told = [slot for e in one.events if isinstance(e, Said) for slot in e.told]
        if facts:
            asked += 1
            assert "?" in special.text
            # Nothing is told twice: what came out openly is not asked for again.
            assert sorted(t for t in told if t in facts) == sorted(facts)
        else:
            paid += 1
            after = [e for e in one.events if isinstance(e, Did) and e.turn == special.turn + 1]
            assert [installed_catalogue().tools[e.tool].approval is not None for e in after] == [True]
    assert min(asked, paid) > 1


def test_a_refusal_is_explained_at_length() -> None:
    for number, task in enumerate(tasks()):
        one, plain = trajectory(number, "refusal"), trajectory(number, None)
        assert (one is not None) == ("decline" in task.features)
        if one is not None and plain is not None:
            (last,) = labelled(one, "refusal")
            said = [e.text for e in plain.events if isinstance(e, Said) and e.by == "assistant"][-1]
            assert isinstance(last, Said)
            assert len(last.text) > len(said) - 60


def test_where_there_is_no_room_the_plain_oracle_plays_and_says_so() -> None:
    task = next(t for t in tasks() if "decline" not in t.features)
    assert variant_of(seat(task), "refusal") is None
    assistant = variants.refusal(seat(task))
    assert (assistant.name, assistant.variant) == ("oracle:refusal", "")


def test_variants_are_the_same_every_time() -> None:
    for variant in VARIANTS:
        number = next(n for n in range(len(tasks())) if trajectory(n, variant) is not None)
        make = partial(trajectory.__wrapped__, number)
        assert canonical(make(variant)) == canonical(trajectory(number, variant))
