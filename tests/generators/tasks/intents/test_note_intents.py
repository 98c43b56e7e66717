"""Notes added, deleted and shopped by: ends computed by hand, and candidates that pass all checks."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import pytest

from generators.tasks.expect import GoalError
from generators.tasks.intent import Binding, Cell
from generators.tasks.planner import PartSteps, PlanError, make_plan
from generators.tasks.telling import Telling
from schemas.environment import EnvironmentRecord
from schemas.goal import Goal, Rel, Select
from schemas.plan import Ask, Call, Confirm
from schemas.provenance import ReadOut
from schemas.task import Slot
from schemas.world import World
from services import open_environment
from services.rules import RULE_FIELDS
from tests.generators.tasks.intents.handmade import Request, candidates, created, intent_of
from tests.generators.tasks.scenes import user, world
from tests.services.sample import NOW, WORLD, Row, permissions, record
from validators.tasks import check_tasks

NAMES = ("add_note", "delete_note", "saved_rule")
NOTES: list[Row] = [
    {"id": "note_a", "time": "2025-05-03T09:00:00", "text": "The bike needs a new chain before spring."},
    {"id": "note_b", "time": "2025-05-20T09:00:00", "text": "Boiler makes a knocking noise."},
    {"id": "note_c", "time": "2025-06-02T09:00:00", "text": "Rule for the bar shelf: low fat, four units."},
]
OPEN = {"notes": NOTES, "permissions": permissions(user_notes=True, purchase=True)}
MAY = {"period_first": "2025-05-01", "period_last": "2025-05-31"}


def deleting(slots: dict[str, Any], variant: str, form: str = "fulfil", **tables: list[Row]) -> Request:
    refused = ("NOTES",) if form == "consent_refused" else ()
    return Request("delete_note", {**OPEN, **tables}, slots, form, variant, refused)


def gone(request: Request) -> list[str]:
    env, _ = request.carried_out()
    return sorted(key for key, (_, after) in env.delta().get("notes", {}).items() if after is None)


@pytest.mark.parametrize(
    ("slots", "variant", "doomed"),
    [({"note_date": "2025-05-20"}, "date", "note_b"), (MAY, "latest", "note_b"), (MAY, "oldest", "note_a")],
)
def test_exactly_the_note_meant_is_deleted_with_a_yes(slots: dict[str, str], variant: str, doomed: str) -> None:
    request = deleting(slots, variant)
    assert gone(request) == [doomed]
    (change,) = request.expectation().any_of[0].changes
    assert (change.op, change.table, change.id) == ("delete", "notes", doomed)
    _, plan = request.carried_out()
    assert [step.arguments for step in plan.steps if isinstance(step, Confirm)] == [{"note_id": doomed}]


def test_nothing_noted_on_the_day_is_told_with_the_day_of_the_latest_note() -> None:
    request = deleting({"note_date": "2025-05-04"}, "date", "not_recorded")
    assert request.told() == {"reason": "not_recorded", "latest_note": "2025-06-02"}
    assert request.objections() == []
    with pytest.raises(GoalError):
        deleting({"note_date": "2025-05-03"}, "date", "not_recorded").expectation()


def test_a_refused_permission_leaves_the_notes_alone() -> None:
    request = deleting({"note_date": "2025-05-03"}, "date", "consent_refused", permissions=permissions())
    assert request.told() == {"reason": "consent_refused"}
    assert request.objections() == []
    env, _ = request.carried_out()
    assert env.delta() == {}
    with pytest.raises(PlanError):
        Request(
            "delete_note", {**OPEN, "permissions": permissions()}, {"note_date": "2025-05-03"}, refused=("NOTES",)
        ).carried_out()


def test_the_solver_objects_to_another_note() -> None:
    def another(goal: Goal) -> Goal:
        return goal.model_copy(update={"nodes": [goal.nodes[0].model_copy(update={"rows": _all_notes(goal)})]})

    assert deleting({"note_date": "2025-05-20"}, "date").objections() == []
    assert deleting({"note_date": "2025-05-20"}, "date").objections(another) != []


def _all_notes(goal: Goal) -> Rel:
    rows = goal.nodes[0].rows
    assert isinstance(rows, Select)
    return rows.model_copy(update={"where": None})


def test_a_note_is_added_in_the_words_of_the_user() -> None:
    words = "Spare key is with the neighbour, 2 doors down."
    request = Request("add_note", OPEN, {"text": words})
    env, _ = request.carried_out()
    assert created(env, "notes") == [{"time": "2025-06-10T12:00:01", "text": words, **dict.fromkeys(RULE_FIELDS)}]
    assert request.objections() == []


def test_the_permission_is_asked_for_before_a_note_is_added() -> None:
    request = Request("add_note", {"permissions": permissions()}, {"text": "Tent is missing a few pegs."})
    env, plan = request.carried_out()
    assert [step.gate for step in plan.steps if isinstance(step, Ask)] == ["NOTES"]
    assert [row["text"] for row in created(env, "notes")] == ["Tent is missing a few pegs."]
    assert request.objections() == []


# --- shopping by a rule ---

RULE = {"category": "bar", "tag": "low_fat", "quantity": 4, "objective": "cheapest"}


def shopping(where: dict[str, str], told: tuple[str, ...], variant: str, form: str = "fulfil") -> Binding:
    kinds = {"quantity": "count", "note_date": "date"}
    slots = [Slot(name=n, kind=kinds.get(n, "term"), value=v) for n, v in where.items() if n == "note_date"]  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
    if variant == "about":
        slots.append(Slot(name="period", kind="period", value=list(where.values())))
    for name, value in RULE.items():
        kind: Any = kinds.get(name, "term")
        slots.append(Slot(name=name, kind=kind, value=value, told="upfront" if name in told else "implicit"))
    return Binding(Cell(form), tuple(slots), variant=variant)


NOTED: list[Row] = [
    *NOTES[:2],
    {
        "id": "note_c",
        "time": "2025-06-02T09:00:00",
        "text": "Rule for the bar shelf: low fat, four units, lowest total wins.",
    },
    {"id": "note_d", "time": "2025-06-04T09:00:00", "text": "Rule for the biscuit shelf: low fat, nine units."},
]


@pytest.mark.parametrize(
    ("where", "told", "variant"),
    [
        ({"note_date": "2025-06-02"}, (), "date"),
        ({"period_first": "2025-06-01", "period_last": "2025-06-30"}, ("category",), "about"),
    ],
)
def test_what_the_note_says_is_bought(where: dict[str, str], told: tuple[str, ...], variant: str) -> None:
    binding = shopping(where, told, variant)
    tables = {"notes": NOTED, "permissions": permissions()}
    intent = intent_of("saved_rule")
    env = open_environment(record(NOW, **tables), WORLD)
    script = Request("saved_rule", {}, {}).script
    # Of the slots, only what the user says is known to the planner: the rest is read.
    said = {**where, **{name: RULE[name] for name in told}}
    plan, gates = make_plan(env, script, Telling(said), [PartSteps(0, "", lambda x: intent.steps(binding, x))])
    # Bars cost 210, 230 less members' 30 %, 250, …: four of the first come to 840.
    (line,) = created(env, "order_lines")
    assert (line["product_id"], line["size"], line["quantity"], line["unit_price_cents"]) == (
        "p_0a1b2c_001",
        "single_pack",
        4,
        210,
    )
    assert gates == ["NOTES", "PURCHASE"]
    assert sum(isinstance(node, ReadOut) for node in plan.nodes) == 1
    tools = [step.tool for step in plan.steps if isinstance(step, Call)]
    # Two permissions stand in one listing, and opening one does not undo what showed the other.
    assert tools.count("set_user_notes_permission") == tools.count("set_purchase_permission") == 1


# --- candidates ---


@pytest.mark.parametrize("name", NAMES)
def test_candidates_of_every_form_pass_all_checks(name: str) -> None:
    made, missing = candidates(name)
    assert {task.intents[0].form for task in made} == {cell.form for cell in intent_of(name).cells}
    assert missing <= len(made) // 10
    for index in range(6):
        _, environment = user(index)
        mine = [task for task in made if task.user_id == environment.user_id]
        for task, certificate in zip(mine, check_tasks(mine, environment, world()), strict=True):
            failed = [(v.check, v.reason) for v in certificate.verdicts if not v.passed]
            assert not failed, (task.template, task.instruction)


def test_what_a_note_says_is_not_said_by_the_user() -> None:
    bought = [task for task in candidates("saved_rule")[0] if task.intents[0].form in {"fulfil", "none_satisfies"}]
    assert {task.intents[0].variant for task in bought} == {"about", "date"}
    for task in bought:
        left = {slot.name: slot.value for slot in task.intents[0].slots if slot.told == "implicit"}
        assert "tag" in left
        assert str(left["tag"]).replace("_", " ") not in task.instruction.replace("-", " ")


def test_a_slot_that_no_text_states_is_caught() -> None:
    task = next(task for task in candidates("saved_rule")[0] if task.intents[0].form == "fulfil")
    use = task.intents[0]
    slots = [
        slot.model_copy(update={"value": "sugar_free" if slot.value != "sugar_free" else "high_fat"})
        if slot.name == "tag"
        else slot
        for slot in use.slots
    ]
    other = task.model_copy(update={"intents": [use.model_copy(update={"slots": slots})]})
    (certificate,) = check_tasks([other], *_environment_of(task.user_id))
    verdict = next(v for v in certificate.verdicts if v.check == "task.provenance")
    assert "no text that was read states" in verdict.reason


def _environment_of(user_id: str) -> tuple[EnvironmentRecord, World]:
    environment = next(e for _, e in map(user, range(6)) if e.user_id == user_id)
    return environment, world()


@pytest.mark.parametrize("name", NAMES)
def test_sentence_forms_are_many_and_begin_differently(name: str) -> None:
    sentences = [form for forms in intent_of(name).phrases.sentences.values() for form in forms]
    openings = Counter(" ".join(re.findall(r"[\w'{}]+", form.lower())[:4]) for form in sentences)
    assert len(set(sentences)) == len(sentences) >= 40
    assert max(openings.values()) <= 2
