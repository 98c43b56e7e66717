"""A narrative in other words is taken when it states the same facts in words that add nothing, and only then."""

from __future__ import annotations

import re

import pytest

from generators.profiles import make_profile
from generators.profiles.narrative import narrative_data
from schemas.profile import Profile
from tests.validators.test_profile_checks import GOOD, failed
from validators.profiles import ProfileContext, check_profile
from validators.profiles.duplicates import NEAR, similarity
from validators.profiles.narrative import VOCABULARY
from validators.profiles.rewording import REWORDING_CHECKS
from validators.profiles.words import neutral_words, plain_words, stem, strange_words

PROFILE = Profile.model_validate(GOOD)
REWORDED = (
    "Meet Astrid Vargholm, a 40-year-old woman who is lightly active in a typical week. Swimming and yoga are the "
    "sports that she prefers, and every day she wants to get to 8,500 steps. Tofu and lentil soup are the dishes she "
    "likes. Her meals stay low-sodium and vegetarian. For her health, she has to manage hypertension and migraine. "
    "There are two adults and one child at home. Standing 165 cm tall, she weighs 60 kg. Each day she intends to eat "
    "1,750 kcal. The weekly budget for food comes to $200. Her budget for a month of wellness is $45.00."
)


def faults(text: str, profile: Profile = PROFILE) -> dict[str, str]:
    found = {name: "; ".join(check(profile, text)) for name, check in REWORDING_CHECKS}
    return {name: reason for name, reason in found.items() if reason}


def test_other_words_for_the_same_are_taken() -> None:
    record = {**GOOD, "narrative": REWORDED}
    assert faults(str(record["narrative"])) == {}
    assert failed(record) == {}
    assert similarity(PROFILE, Profile.model_validate(record)) < NEAR


@pytest.mark.parametrize("index", range(40))
def test_what_is_made_says_what_it_says(index: int) -> None:
    profile = make_profile(5, index)
    assert faults(profile.narrative, profile) == {}


TOLD: list[tuple[str, str, str, str]] = [
    (
        "rewrite.words",
        "Meet Astrid",
        "On the beach with a brother named Tom, meet Astrid",
        "beach, brother, named, tom",
    ),
    ("rewrite.words", "are the dishes", "are spicy dishes", "spicy"),
    ("rewrite.words", "she likes", "she liked", "liked"),
    ("rewrite.words", "a typical week", "a stressful week at the office", "stressful, office"),
    ("rewrite.words", "prefers", "often prefers", "often"),
    ("rewrite.facts", " and yoga are", " are", "lacks 'yoga'"),
    ("rewrite.facts", "hypertension and migraine", "hypertension", r"lacks 'migraine' \(health_risks\)"),
    ("rewrite.facts", "8,500 steps", "many steps", "lacks '8,500'"),
    ("rewrite.facts", "8,500 steps", "8,600 steps", "lacks '8,500'.*states '8,600'"),
    ("rewrite.facts", " a 40-year-old woman", " aged 40,", "lacks 'woman'"),
    ("rewrite.facts", "yoga are", "yoga, 25 active zone minutes are", "states '25'"),
    ("rewrite.facts", "and one child", "and no children", "lacks 'one'.*states 'no children'"),
    ("rewrite.facts", "The weekly budget for food comes to", "For food a week there is up to", "states 'up to"),
    ("rewrite.sense", "stay low-sodium", "do not stay low-sodium", "says 'not'"),
    ("rewrite.sense", "wants to get to", "wants no more than", "says 'no'.*says 'more'"),
    ("rewrite.sense", "she likes", "she doesn\u2019t like", "says 'n\u2019t'"),
    ("rewrite.sense", "intends to eat", "intends to eat under", "says 'under'"),
    ("rewrite.sense", "Her meals stay", "If at all, her meals stay", "says 'if'"),
    ("rewrite.sense", "For her health, she has to manage", "She stays in shape with", "what 'hypertension' is"),
    ("rewrite.sense", "Swimming and yoga are the sports", "Hypertension, swimming and yoga are", "sentence of its own"),
    ("rewrite.sense", "one child at home", "one child at home who enjoy swimming", "'adults' stands beside 'swimming'"),
    ("rewrite.sense", "are the dishes she likes", "are the dishes of every day", "'every' says how often"),
    ("rewrite.sense", "wants to get to 8,500", "gets to 8,500", "nothing in the sentence tells what '8,500' is"),
    (
        "rewrite.sense",
        "The weekly budget for food comes to",
        "For food she gets each week",
        r"nothing .* what '\$200' is",
    ),
    ("rewrite.sense", "she weighs 60 kg", "she weighs 60 kg at home", "'home' stands beside '165'"),
    ("rewrite.sense", "Meet Astrid", "She shares meals with a person. Meet Astrid", "states no fact of the narrative"),
    ("rewrite.sense", "There are two", "She lives at home with two", "counts the user beside the adults"),
    (
        "rewrite.sense",
        "There are two adults and",
        "She shares a home with one child, two adults and",
        "counts the user",
    ),
    ("rewrite.sense", "There are two", "At home there are her, two", "counts the user beside the adults"),
    ("rewrite.sense", "one child at home", "one child aged 40 at home", "'child aged' may tell the age of somebody"),
    ("rewrite.sense", "and every day she wants", "and every week she wants", "say that '8,500' is the goal of a day"),
    ("rewrite.sense", "Each day she intends", "Each month she intends", "say that '1,750' is the goal of a day"),
    (
        "rewrite.sense",
        "yoga are the sports that she prefers,",
        "yoga are her sports each week,",
        "'each' says how often",
    ),
    ("rewrite.sense", "she weighs 60 kg", "she wants to weigh 60 kg", "'wants' makes a goal of how the user is"),
    ("rewrite.sense", "she weighs", "her target weight is", "'target' makes a goal of how the user is"),
    ("rewrite.sense", "who is lightly", "who aims to stay lightly", "'aims' makes a goal of how the user is"),
    ("rewrite.sense", "she weighs 60 kg", "she weighs 60 kg and needs to get in shape", "'needs' makes a goal"),
    ("rewrite.sense", "60 kg", "a normal 60 kg", "'normal' judges the body"),
    (
        "rewrite.sense",
        "the dishes she likes",
        "the dishes she likes in good health",
        "'good health' judges health or body",
    ),
    ("rewrite.sense", "60 kg", "60 kg, which is a concern", "'concern' adds something"),
    ("rewrite.sense", "she has to manage", "she lives with a person who has to manage", "'person' stands beside"),
    ("rewrite.sense", "the dishes she likes", "the dishes she likes and has to eat", "'has to' makes a goal or a duty"),
    ("rewrite.sense", "Her meals stay", "She likes her meals", "makes a wish of what the user has to keep to"),
    ("rewrite.sense", "The weekly", "For each child the weekly", "'each child' divides a budget otherwise"),
    ("rewrite.sense", "The weekly", "Each day the weekly", "'day' divides a budget otherwise"),
    ("rewrite.sense", "Meet Astrid", "Why not meet? Astrid", "signs that no narrative has"),
    ("rewrite.sense", "Her budget", "\U0001f600 Her budget", "signs that no narrative has"),
    ("rewrite.sense", "lentil soup", "lentil_soup", "signs that no narrative has: _"),
]


@pytest.mark.parametrize(("check", "old", "new", "reason"), TOLD)
def test_what_says_more_or_less_is_refused(check: str, old: str, new: str, reason: str) -> None:
    assert old in REWORDED
    found = faults(REWORDED.replace(old, new))
    assert re.search(reason, found.get(check, "")), found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("There are two adults and one child at home", "She lives in a household with two adults and one child"),
        ("There are two adults and one child at home", "With two adults and one child, her home is full"),
        ("she weighs 60 kg", "she weighs 60 kg and each day wants to get to 8,500 steps"),
        ("Her meals stay", "Her diet has to be"),
    ],
)
def test_what_says_the_same_otherwise_is_taken(old: str, new: str) -> None:
    assert faults(REWORDED.replace(old, new)) == {}


def test_who_lives_alone_does_so_in_a_sentence_of_its_own() -> None:
    alone = PROFILE.model_copy(update={"narrative": PROFILE.narrative.replace("in a household of two adults", "alone")})
    told = REWORDED.replace("There are two adults and one child at home.", "").replace("yoga are", "yoga alone are")
    assert "'alone' stands beside '8,500'" in faults(told, alone)["rewrite.sense"]


def test_the_person_who_speaks_stays() -> None:
    told = REWORDED.replace("she has", "I have").replace("she", "I").replace("her", "my").replace("Her", "My")
    assert "not written in third person" in faults(told)["rewrite.sense"]
    own = PROFILE.model_copy(update={"narrative": told})
    assert "not written in first person" in faults(REWORDED, own)["rewrite.sense"]
    assert "person" not in faults(told, own).get("rewrite.sense", "")


def test_a_limit_stays_with_its_number() -> None:
    limited = PROFILE.model_copy(update={"narrative": PROFILE.narrative.replace("$45.00", "up to $45.00")})
    assert faults(limited.narrative, limited) == {}
    assert "lacks 'up to $45.00'" in faults(REWORDED, limited)["rewrite.facts"]
    assert faults(REWORDED.replace("$45.00", "up to $45.00"), limited) == {}
    elsewhere = REWORDED.replace("$45.00", "up to $45.00").replace("to 8,500", "to up to 8,500")
    assert "says 'up to'" in faults(elsewhere, limited)["rewrite.sense"]


def test_what_is_denied_stays_denied_in_any_of_its_forms() -> None:
    childless = PROFILE.model_copy(update={"narrative": PROFILE.narrative.replace("one child", "no children")})
    told = REWORDED.replace("one child", "no children")
    assert faults(told, childless) == {}
    assert faults(REWORDED.replace("and one child", "without any children"), childless) == {}
    assert "lacks 'no children'" in faults(REWORDED.replace(" and one child", ""), childless)["rewrite.facts"]
    assert "says 'no'" in faults(told.replace("Her meals", "With no doubt her meals"), childless)["rewrite.sense"]


def test_neutral_words_state_nothing() -> None:
    """No term, number, denial or past is among them, and no word of a sentence form is needed to be."""
    words = neutral_words()
    assert not {part for term in VOCABULARY for part in re.findall("[a-z]+", term)} & words - {"table"}
    assert set(plain_words(" ".join(sorted(words)))) == words
    assert not {word for word in words if word.endswith("ed") and word not in {"aged", "need"}}
    forms = " ".join(form for forms in narrative_data()["forms"].values() for form in forms)
    assert {"kitchen", "nobody", "plate"} <= set(re.findall("[a-z]+", forms))
    assert not {"kitchen", "nobody", "busy"} & words


def test_every_word_of_a_made_narrative_is_known_and_no_other_one() -> None:
    """Whoever adds a sentence form adds its words to `made.yaml`."""
    forms = " ".join(form for forms in narrative_data()["forms"].values() for form in forms)
    words = re.sub(r"[\[\]|]", " ", re.sub(r"\{\w+\}", " ", forms))
    assert strange_words(PROFILE.model_copy(update={"narrative": words})) == []
    assert strange_words(PROFILE.model_copy(update={"narrative": REWORDED})) == []
    told = REWORDED + " Sometimes chess with a brother is on the menu."
    assert strange_words(PROFILE.model_copy(update={"narrative": told})) == ["sometimes", "chess", "brother"]


def test_a_stem_joins_inflections_and_not_the_past() -> None:
    assert len({stem(word) for word in ("live", "lives", "living")}) == 1
    assert len({stem(word) for word in ("set", "sets", "setting")}) == 1
    assert len({stem(word) for word in ("aim", "aims", "aiming", "Aims")}) == 1
    assert len({stem(word) for word in ("dish", "dishes")}) == 1
    assert len({stem(word) for word in ("like", "liked", "likely")}) == 3


def test_a_word_that_opens_a_sentence_is_no_name_when_it_is_neutral_or_a_term() -> None:
    assert failed({**GOOD, "narrative": REWORDED}) == {}
    assert (
        "may be a name"
        in failed({**GOOD, "narrative": REWORDED.replace("Standing", "Ingrid, standing")})["profile.narrative"]
    )
    own = REWORDED.replace("Her meals", "Astrid's meals")
    assert failed({**GOOD, "narrative": own}) == {}
    assert check_profile({**GOOD, "narrative": own}, ProfileContext())
