"""The offline writer: enough sentence forms, complete data files, and every slot in the text."""

from __future__ import annotations

import dataclasses
import re
from collections import Counter

import pytest

from generators.tasks.compose import Bound
from generators.tasks.intent import Binding, Cell, Intent
from generators.tasks.intents.clean_up_cart.bind import RULES
from generators.tasks.phrases import PLACE, Phrases, load_styles
from generators.tasks.quota import installed_intents
from generators.tasks.writer import WriterError, write_instruction
from language import Kind, find
from schemas.task import Slot
from services.runtime.streams import Stream
from tests.generators.tasks.test_rounds import candidates

INTENTS = installed_intents()
SLOT = re.compile(r"Slot\(op='slot', name='([a-z0-9_]+)'\)")


def written(intent: Intent, binding: Binding, stream: Stream) -> str:
    """Return the request of one bound intent in the plainest style."""
    return write_instruction([Bound(0, "", intent, binding)], "terse", stream)


def with_phrases(phrases: Phrases) -> Intent:
    """Return an intent that speaks by these forms."""
    return dataclasses.replace(INTENTS[0], phrases=phrases)


LEAST_FORMS = 40
LEAST_OF_A_SLOT = 8
LEAST_OF_AN_EXTRA = 4
NUMBERS: tuple[Kind, ...] = ("count", "percent", "money_cents", "date", "period")


def openings(sentences: list[str]) -> Counter[tuple[str, ...]]:
    """Return how often each run of four words opens a sentence, a place counting as a word."""
    return Counter(tuple(re.findall(r"[\w'{}]+", sentence.lower())[:4]) for sentence in sentences)


@pytest.mark.parametrize("intent", INTENTS, ids=lambda intent: intent.name)
def test_forty_sentence_forms_that_begin_and_go_on_differently(intent: Intent) -> None:
    for key, sentences in intent.phrases.sentences.items():
        assert len(sentences) >= LEAST_FORMS, key
        assert len(set(sentences)) == len(sentences), key
        (opening, often), *_ = openings(sentences).most_common()
        assert often <= 2, (key, opening)


@pytest.mark.parametrize("intent", INTENTS, ids=lambda intent: intent.name)
def test_no_form_counts_or_names_a_number(intent: Intent) -> None:
    forms = [*intent.phrases.sentences.values(), *intent.phrases.fragments.values()]
    for form in (form for group in forms for form in group):
        words = PLACE.sub("", form)
        found = [mention.value for kind in NUMBERS for mention in find(kind, words, (), "2026-03-15")]
        # "One" stands for a thing.
        assert set(found) <= {1}, form


@pytest.mark.parametrize("intent", INTENTS, ids=lambda intent: intent.name)
def test_every_fragment_that_a_form_names_exists(intent: Intent) -> None:
    phrases = intent.phrases
    goal_slots = set(SLOT.findall(str([task.goals for task in candidates() if task.intents[0].intent == intent.name])))
    named = {name for key in phrases.fragments for name in key.partition("=")[2].split("+")}
    known = {key.partition("=")[0] for key in phrases.fragments} | named | goal_slots | {"extras", "tags", "period"}
    forms = [*phrases.sentences.values(), *phrases.fragments.values(), *phrases.hidden.values()]
    places = {place for group in forms for form in group for place in PLACE.findall(form)}
    assert {place.removesuffix("_s") for place in places} <= known


@pytest.mark.parametrize("intent", INTENTS, ids=lambda intent: intent.name)
def test_what_is_kept_back_and_what_changes_has_forms_enough(intent: Intent) -> None:
    phrases = intent.phrases
    for key, forms in [*phrases.hidden.items(), *phrases.changes.items()]:
        slot = key.partition(":")[0]
        extra = slot in phrases.extras and key in phrases.hidden
        assert len(forms) >= (LEAST_OF_AN_EXTRA if extra else LEAST_OF_A_SLOT), key
    for key, forms in phrases.hidden.items():
        hidden = key.partition(":")[0]
        assert all(hidden not in (place, place.removesuffix("_s")) for form in forms for place in PLACE.findall(form))
    for key, forms in phrases.changes.items():
        changed = key.partition(":")[0]
        assert all({place.removesuffix("_s") for place in PLACE.findall(form)} == {changed} for form in forms), key


def test_every_style_is_there() -> None:
    assert set(load_styles()) == {"terse", "chatty", "formal", "careless"}


def test_every_rule_of_the_cart_can_be_said() -> None:
    intent = next(intent for intent in INTENTS if intent.name == "clean-up-cart")
    values = {
        "price_over": 450,
        "brand": "Velmoru",
        "category": "soup",
        "tag": "low_sugar",
        "allergen": "contains_nuts",
    }
    kinds = {"price_over": "money_cents", "brand": "name"}
    for names in RULES:
        slots = tuple(
            Slot.model_validate({"name": name, "kind": kinds.get(name, "term"), "value": values[name]})
            for name in names
        )
        binding = Binding(cell=Cell("fulfil"), slots=slots, variant="+".join(names))
        text = written(intent, binding, Stream(1, *names))
        assert "{" not in text
        for slot in slots:
            assert [m.value for m in find(slot.kind, text, (str(slot.value),))] == [slot.value]


def test_values_are_written_and_never_read_as_forms() -> None:
    phrases = Phrases(sentences={"any": ["Buy {brand}."]}, fragments={"evil": ["no"]})
    intent = with_phrases(phrases)
    slot = Slot(name="brand", kind="name", value="{evil} Bakery")
    text = written(intent, Binding(Cell("fulfil"), (slot,)), Stream(1))
    assert "{evil} bakery" in text.lower()


def test_a_missing_form_is_named() -> None:
    intent = with_phrases(Phrases(sentences={"orders": ["x"]}))
    with pytest.raises(WriterError, match="fulfil"):
        written(intent, Binding(Cell("fulfil"), ()), Stream(1))
