"""One message has one manner: numbers, names, capitals and joints as one person would put them."""

from __future__ import annotations

import re

import pytest

from generators.tasks.compose import Bound
from generators.tasks.intent import Binding, Cell
from generators.tasks.phrases import Phrases, load_styles
from generators.tasks.writer import write_instruction
from language import Kind
from schemas.task import Slot
from services.runtime.streams import Stream
from tests.generators.tasks.test_writer import with_phrases

STYLES = sorted(load_styles())
MESSAGES = 60


def slot(name: str, kind: Kind, value: object) -> Slot:
    return Slot.model_validate({"name": name, "kind": kind, "value": value})


def parts(form: str, *slots: Slot, count: int = 1) -> list[Bound]:
    """Return a request that is made `count` times in one message."""
    intent = with_phrases(Phrases(sentences={"any": [form]}))
    return [Bound(index, "", intent, Binding(Cell("fulfil"), slots)) for index in range(count)]


def messages(style: str, requests: list[Bound]) -> list[str]:
    return [write_instruction(requests, style, Stream(7, number), "2026-03-15") for number in range(MESSAGES)]


@pytest.mark.parametrize("style", STYLES)
def test_counts_are_all_in_digits_or_all_in_words(style: str) -> None:
    form = "Get {quantity} now and {quantity_2} later."
    small = messages(style, parts(form, slot("quantity", "count", 4), slot("quantity_2", "count", 9)))
    assert {("4" in text, "9" in text) for text in small} == {(True, True), (False, False)}
    large = messages(style, parts(form, slot("quantity", "count", 4), slot("quantity_2", "count", 19)))
    assert all("4" in text and "19" in text for text in large)


def test_beside_a_times_sign_counts_are_in_digits() -> None:
    for text in messages("formal", parts("Get {quantity} x {product}.", *_bought(5, "Rye Rolls"))):
        assert "5 x " in text


@pytest.mark.parametrize(
    ("number", "name", "said"),
    [
        (5, "Farm Milk", "5 units of Farm Milk"),
        (5, "Oat Bar", "5 Oat Bars"),
        (5, "Natural Almonds", "5 Natural Almonds"),
    ],
)
@pytest.mark.parametrize("form", ["Get {quantity} {product_s}.", "Get {quantity} of the {product_s}."])
def test_what_is_not_counted_one_by_one_is_asked_for_in_units(form: str, number: int, name: str, said: str) -> None:
    texts = {
        text.replace('"', "").replace("of the ", "") for text in messages("terse", parts(form, *_bought(number, name)))
    }
    assert any(said in text for text in texts)
    assert all("units of" not in text.lower() for text in texts) == ("units" not in said)


@pytest.mark.parametrize("style", STYLES)
def test_names_are_quoted_all_or_none(style: str) -> None:
    form = "Get {product} or {product_2}."
    names = (slot("product", "name", "Rye Rolls"), slot("product_2", "name", "Oat Bar"))
    assert {text.count('"') for text in messages(style, parts(form, *names))} <= {0, 4}


def test_careless_messages_have_no_capitals_but_in_what_is_kept_word_for_word() -> None:
    form = "I want to note {text} for {product}."
    said = (slot("text", "text", "Call Ann."), slot("product", "name", "Rye Rolls"))
    for text in messages("careless", parts(form, *said)):
        assert '"Call Ann."' in text
        assert not re.search("[A-Z]", text.replace('"Call Ann."', ""))


@pytest.mark.parametrize("style", STYLES)
def test_no_joint_comes_twice(style: str) -> None:
    for text in messages(style, parts("Zip.", count=4)):
        between = text.lower().partition("zip")[2].rpartition("zip")[0]
        words = re.findall(r"\w+", between.replace("zip", ""))
        assert len(words) == len(set(words)), text


@pytest.mark.parametrize("style", STYLES)
def test_nobody_greets_and_thanks(style: str) -> None:
    ways = load_styles()[style]
    found = messages(style, parts("Zip it."))
    greeted = [text for text in found if any(o and text.startswith(o) for o in ways.openings)]
    assert not any(text.endswith(c) for text in greeted for c in ways.closings if c)
    plain = [text for text in found if text.lower().removesuffix(".") == "zip it"]
    assert len(plain) > MESSAGES // 3


def test_a_name_behind_a_joint_keeps_its_capital() -> None:
    for text in messages("chatty", parts("{product} please.", slot("product", "name", "Rye Rolls"), count=3)):
        assert text.count("Rye Rolls") + text.count('"Rye Rolls"') >= 3


def test_several_of_a_thing() -> None:
    form = "Get {quantity} {product_s}."
    several = [text.lower() for text in messages("terse", parts(form, *_bought(2, "Oat Bar"))) if '"' not in text]
    assert several
    assert all("oat bars" in text for text in several)
    assert not any("bars" in text.lower() for text in messages("terse", parts(form, *_bought(1, "Oat Bar"))))


def test_a_value_at_the_start_of_a_sentence_has_a_capital() -> None:
    for text in messages("formal", parts("Get bread. {quantity} will do.", slot("quantity", "count", 5))):
        assert "Five will do" in text or "5 will do" in text


def _bought(quantity: int, product: str) -> tuple[Slot, Slot]:
    return slot("quantity", "count", quantity), slot("product", "name", product)
