"""The check that the instruction gives nothing away: each kind of value, in each form, and what is no leak."""

from __future__ import annotations

import base64
from collections.abc import Callable
from dataclasses import replace

import pytest

from schemas.contract import Answer
from schemas.plan import Call
from tests.validators.tasks_support import altered, context_of, contexts, position
from validators.tasks.context import TaskContext
from validators.tasks.leaks import Text, check_leaks
from validators.tasks.secrets import Secret, secrets_of
from validators.tasks.surface import counts_in
from validators.tasks.vocabulary import TaskVocabulary, Vocabulary

BUY = "buy-best/fulfil"
FORMS: list[Callable[[str], str]] = [
    str,
    str.upper,
    lambda text: text.replace("_", " "),
    lambda text: text.replace("_", "-").replace(" ", "-"),
    lambda text: text.replace("_", "").replace(" ", ""),
    lambda text: base64.b64encode(text.encode()).decode(),
    lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
]


def adding(context: TaskContext, text: str) -> TaskContext:
    return altered(context, instruction=f"{context.task.instruction} Mind {text} please.")


def reason(context: TaskContext) -> str:
    verdict = check_leaks(context)
    assert not verdict.passed
    assert verdict.counts["leaks"] > 0
    return verdict.reason


def bought(context: TaskContext) -> str:
    call = context.task.plan.steps[position(context.task.plan, "add_to_cart")]
    assert isinstance(call, Call)
    return str(call.arguments["product_id"])


def total(context: TaskContext) -> int:
    (value,) = [t.value for t in context.task.expectation.any_of[0].totals if t.where == {"kind": "payment"}]
    return -value


def test_real_tasks_pass() -> None:
    for user in range(6):
        for context in contexts(user, 2):
            verdict = check_leaks(context)
            assert verdict.passed, (context.task.instruction, verdict.reason)
            assert verdict.counts == {"leaks": 0}


@pytest.mark.parametrize("form", FORMS)
def test_the_id_of_any_record_is_caught(form: Callable[[str], str]) -> None:
    context = context_of(BUY)
    for key in (bought(context), next(iter(context.tables["transactions"])), next(iter(context.tables["vouchers"]))):
        assert f"the id {key!r}" in reason(adding(context, form(key)))


@pytest.mark.parametrize("form", FORMS)
def test_the_name_of_what_is_chosen_is_caught(form: Callable[[str], str]) -> None:
    context = context_of(BUY)
    name = str(context.user.world_tables["products"][bought(context)]["name"])
    assert repr(name) in reason(adding(context, form(name)))


def test_the_name_of_what_is_removed_is_caught() -> None:
    context = context_of("clean-up-cart/fulfil")
    line = context.task.expectation.any_of[0].changes[0].id
    product = str(context.tables["cart"][line]["product_id"])
    name = str(context.user.world_tables["products"][product]["name"])
    assert repr(name) in reason(adding(context, name.lower()))


def amounts(cents: int) -> list[str]:
    plain = f"{cents / 100:.2f}"
    return [
        f"${plain}",
        plain,
        f"{plain} dollars",
        f"USD {plain}",
        plain.replace(".", ","),
        base64_of(plain),
        str(cents),
    ]


def base64_of(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def test_the_total_is_caught_in_any_form() -> None:
    bought = (c for user in range(6) for c in contexts(user) if c.task.template == BUY)
    context = next(context for context in bought if total(context) >= 1000)
    cents = total(context)
    for form in amounts(cents):
        assert f"({cents})" in reason(adding(context, form)), form


def test_the_shortfall_and_the_amount_to_top_up_are_caught() -> None:
    declined = context_of("buy-best/cannot_afford")
    (shortfall,) = [a.value for a in declined.task.expectation.answers if a.name == "shortfall"]
    assert isinstance(shortfall, int)
    assert "the answer 'shortfall'" in reason(adding(declined, f"${shortfall / 100:.2f}"))
    topped = context_of(BUY, ("BALANCE",))
    call = topped.task.plan.steps[position(topped.task.plan, "top_up_wallet")]
    assert isinstance(call, Call)
    assert "'amount' of top_up_wallet" in reason(adding(topped, f"{call.arguments['amount']} dollars"))


def test_answers_of_each_kind_are_caught() -> None:
    context = context_of("spending-question/fulfil/orders")
    for kind, value, text in (
        ("count", 17, "seventeen"),
        ("count", 1234, "1,234"),
        ("date", "2024-02-29", "29 February 2024"),
        ("money_cents", 4321, "43.21"),
        ("name", "Mango Skyr", "MANGO-SKYR"),
        ("names", ["Rye Rolls", "Mango Skyr"], "the rye rolls"),
        ("reason", "out_of_stock", "out of stock"),
    ):
        answer = Answer.model_validate({"name": "it", "kind": kind, "value": value, "cue": ""})
        expectation = context.task.expectation.model_copy(update={"answers": [answer]})
        planted = altered(context, expectation=expectation)
        assert check_leaks(planted).passed
        assert "the answer 'it'" in reason(adding(planted, text)), kind


def test_what_stands_in_a_hidden_table_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    context = context_of("spending-question/fulfil/orders")
    tables = context.catalogue.tables
    hidden = {**tables, "profile": replace(tables["profile"], hidden=True)}
    name = str(context.tables["profile"]["profile"]["name"])
    planted = adding(context, name)
    assert check_leaks(planted).passed
    monkeypatch.setattr(planted, "catalogue", replace(context.catalogue, tables=hidden))
    assert "of the hidden table profile" in reason(planted)


def test_the_date_of_a_record_of_a_day_is_no_leak() -> None:
    """Days are named by their dates; that something was recorded, or by what, is not told by saying one."""
    context = next(c for c in contexts(1, 2) if c.tables["source_days"])
    for date in (*context.tables["source_days"], *context.tables["wearable_days"]):
        assert "the id" not in check_leaks(adding(context, f"the note of {date}")).reason
        assert "hidden" not in check_leaks(adding(context, f"the note of {date}")).reason


def test_what_recorded_a_day_is_a_leak() -> None:
    context = next(c for c in contexts(1, 2) if c.tables["source_days"])
    device = next(str(row["device"]) for row in context.tables["source_days"].values() if row["device"])
    assert device in reason(adding(context, f"the device {device}"))


def test_slots_are_no_leaks() -> None:
    """A count told, a word told, and the words inside what is told, may be said."""
    context = context_of("clean-up-cart/fulfil/category")
    slot = next(slot for slot in context.told if slot.name == "category")
    text = Text(f"Take every {slot.value} out.", [slot], (str(slot.value),))
    assert not text.states(Secret("name", str(slot.value).title(), "a product named like its category"))
    quantity = slot.model_copy(update={"name": "quantity", "kind": "count", "value": 2})
    two = Text("I want two packs, 2 units.", [quantity], ())
    assert not two.states(Secret("count", 2, "the number of lines"))
    three = Text("I want two packs, three units.", [quantity], ())
    assert three.states(Secret("count", 3, "the number of lines"))


def test_parts_of_numbers_and_of_words_are_no_leaks() -> None:
    text = Text("Order item 112 from the barge in 2025, 12:30.", [], ())
    for secret in (Secret("count", 12, ""), Secret("money_cents", 1200, ""), Secret("name", "Bar", "")):
        assert not text.states(secret)


def test_nothing_none_and_one_are_no_secrets_of_the_gold() -> None:
    context = context_of(BUY)
    values = {s.value for s in secrets_of(context, TaskVocabulary(context)) if "answer" not in s.what}
    assert not values & {0, 1, "", None}
    assert total(context) in values


def test_words_of_the_services_are_no_ids() -> None:
    context = context_of(BUY)
    assert check_leaks(adding(context, "my wallet, my membership and the purchase")).passed


def test_a_record_that_lacks_what_names_the_others_is_not_called_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Vocabulary, "naming", lambda _, table: ("settled_at",) if table == "transactions" else ())
    unsettled = [
        (context, key)
        for context in contexts()
        for key, row in context.tables["transactions"].items()
        if row["settled_at"] is None
    ]
    assert unsettled
    assert all(TaskVocabulary(context).names_of(key) == set() for context, key in unsettled)


@pytest.mark.parametrize(
    "form",
    [
        lambda name: " ".join(name),
        lambda name: ".".join(name.replace(" ", "")),
        lambda name: "-".join(name.upper()),
        lambda name: name[0] + "\N{ZERO WIDTH SPACE}" + name[1:],
        lambda name: "\N{SOFT HYPHEN}".join(name),
        lambda name: name.replace("a", "\N{CYRILLIC SMALL LETTER A}").replace("e", "\N{CYRILLIC SMALL LETTER IE}"),
        lambda name: name.replace("o", "\N{GREEK SMALL LETTER OMICRON}"),
    ],
)
def test_a_disguised_name_is_caught(form: Callable[[str], str]) -> None:
    context = context_of(BUY)
    name = str(context.user.world_tables["products"][bought(context)]["name"])
    assert repr(name) in reason(adding(context, form(name)))


@pytest.mark.parametrize(
    ("number", "text"),
    [
        *(
            (4, text)
            for text in ("the 4th", "x4", "x 4", "4x", "4 x", "\N{MULTIPLICATION SIGN}4", "the fourth", "4 th")
        ),
        *((number, text) for number, text in ((2, "twice"), (3, "thrice"), (2, "a couple"), (12, "a dozen"))),
        (23, "23rd"),
    ],
)
def test_a_count_in_passing_is_caught(number: int, text: str) -> None:
    said = Text(f"I think it was {text}, or so.", [], ())
    assert said.states(Secret("count", number, "the answer"))
    assert not said.states(Secret("count", number + 1, "the answer"))


@pytest.mark.parametrize(
    "text", ["version 1.4x", "$4th", "box4", "4xl", "14th", "1,4th", "an extra four-way plug", "half", "the second one"]
)
def test_what_only_looks_like_a_count_is_none(text: str) -> None:
    assert 4 not in counts_in(text)
    assert 2 not in counts_in(text)


def test_a_day_without_its_year_is_caught() -> None:
    for text in ("23/11", "11/23", "23.11.", "11-23"):
        assert Text(f"Since {text} I think.", [], ()).states(Secret("date", "2025-11-23", "the answer")), text
    for text in ("23/11/2024", "23/12", "$23.11", "1/23/11", "23.11.5"):
        assert not Text(f"Since {text} I think.", [], ()).states(Secret("date", "2025-11-23", "the answer")), text


def test_a_measure_of_what_is_chosen_is_caught() -> None:
    context = context_of(BUY)
    measures = {s.value for s in secrets_of(context, TaskVocabulary(context)) if isinstance(s.value, float)}
    assert measures
    for value in measures:
        for text in (f"the one with {value} g", f"{value}g".replace(".", ",")):
            assert Text(text, [], ()).states(Secret("count", value, "")), text
            assert not check_leaks(adding(context, text)).passed, text


def test_letters_in_a_row_inside_other_words_are_no_name() -> None:
    for text in ("the evergreen teapot", "Green. Apple, tea", "greenteas"):
        assert not Text(text, [], ()).states(Secret("name", "Green Tea", "")), text
    assert Text("g r e e n t e a", [], ()).states(Secret("name", "Green Tea", ""))
    assert not Text("r y e", [], ()).states(Secret("name", "Ryes", ""))
