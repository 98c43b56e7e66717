"""A description of a person gives the facts it says plainly, and a profile that keeps to them and to every rule."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from generators.inputs import InputError
from generators.profiles import NOBODY, Persona, facts_from_description, make_profile, persona_of, read_personas
from generators.profiles.personas import facts_of, fitting
from schemas.base import canonical
from schemas.profile import Profile
from schemas.profile_facts import DIETS, FOODS, RISKS, SPORTS
from tests.effort import amount
from validators.profiles import ProfileContext, check_profile

LINES: list[tuple[str, dict[str, Any]]] = [
    (
        "A 34-year-old marketing manager from Ohio who loves hiking and follows a vegan diet.",
        {"ages": (34, 34), "sports": ("hiking",), "diets": ("vegan",)},
    ),
    (
        "I am Maria Lopez, a 41-year-old nurse with asthma. I live with my husband and two kids.",
        {"given": "Maria", "family": "Lopez", "ages": (41, 41), "risks": ("asthma",), "adults": 2, "children": 2},
    ),
    (
        "Maria Lopez is a 52-year-old teacher who has type 2 diabetes and enjoys swimming, yoga and gardening.",
        {
            "given": "Maria",
            "family": "Lopez",
            "ages": (52, 52),
            "risks": ("type_2_diabetes",),
            "sports": ("swimming", "yoga"),
        },
    ),
    (
        "My name is Thomas. I'm 28, I play tennis every weekend and I'm allergic to nuts.",
        {"given": "Thomas", "ages": (28, 28), "sports": ("tennis",), "diets": ("nut_free",)},
    ),
    (
        "I\u2019m a vegetarian woman in my early thirties. I love pasta and Greek yogurt, but my son hates running.",
        {"gender": "female", "ages": (30, 33), "diets": ("vegetarian",), "foods": ("pasta", "greek_yogurt")},
    ),
    ("A single mother of two young children who works nights at a hospital.", {"gender": "female"}),
    ("A retired engineer who spends his days restoring clocks.", {"gender": "male"}),
    (
        "I live alone in a small flat in Leeds and keep kosher.",
        {"adults": 1, "children": 0, "diets": ("kosher",)},
    ),
    (
        "Jamal, 36, was diagnosed with celiac disease and avoids dairy.",
        {"given": "Jamal", "ages": (36, 36), "risks": ("celiac_disease",), "diets": ("lactose_free",)},
    ),
    (
        "A 63-year-old man with high blood pressure who enjoys golf and walking.",
        {"ages": (63, 63), "gender": "male", "risks": ("hypertension",), "sports": ("golf", "walking")},
    ),
    (
        "Ana Silva, a 47-year-old lawyer, lives with her wife. She loves sushi and pizza and hates mushrooms.",
        {"given": "Ana", "family": "Silva", "ages": (47, 47), "adults": 2, "foods": ("sushi", "pizza")},
    ),
    (
        "I have no dietary restrictions. My favourite foods are salmon and sweet potatoes.",
        {"no_diets": True, "foods": ("salmon", "sweet_potatoes")},
    ),
    ("An elderly woman in her late seventies.", {"gender": "female", "ages": (77, 79)}),
    ("Peter is 31 years old, male, and lives on his own.", {"given": "Peter", "ages": (31, 31), "gender": "male"}),
    ("A yoga teacher who enjoys pilates on weekends.", {"sports": ("pilates",)}),
    ("I am thirty-four years old and I go for walks.", {"ages": (34, 34), "sports": ("walking",)}),
    (
        "She is a strict vegetarian. She practises tai chi.",
        {"gender": "female", "diets": ("vegetarian",), "sports": ("tai_chi",)},
    ),
    ("I eat low-sodium and gluten-free.", {"diets": ("low_sodium", "gluten_free")}),
    # What is denied, wished, past, conditional, quoted, or said of somebody or something else is no fact.
    ("I used to be vegan, but now I eat everything. I have never had migraines.", {}),
    ("I am not vegetarian. I do not enjoy running or swimming, and I no longer play tennis.", {}),
    ("I'd like to become vegan and start running. I hope to enjoy yoga.", {}),
    ("If I am vegan, I love tofu.", {}),
    ('"I am vegan and 40 years old," says the waiter.', {}),
    ("My daughter is a vegan and plays volleyball. My wife is 44 years old and has gout.", {}),
    ("We are vegan and love hiking.", {}),
    ("A chef who runs a vegan bakery and teaches yoga to seniors.", {}),
    ("A dietitian who advises patients with type 2 diabetes to eat low-sodium meals.", {}),
    ("A football fan who loves watching tennis and coaching basketball.", {}),
    ("A startup founder whose mother has hypertension and loves walking.", {}),
    ("I eat vegan on Mondays. I enjoy cooking pasta and pizza. I love running a bakery.", {}),
    ("I am Mexican American. Running is a 20-year-old habit of mine.", {}),
    ("He is a nutritionist. She is his patient and has gout.", {}),
    ("A professor of heart disease and asthma in women, known for a study of obesity.", {}),
    ("A female fashion designer of gluten-free cakes for vegan brides.", {}),
    ("My friends and family love pizza, and our dog is 12 years old.", {}),
    ("I manage a team of people with arthritis. I follow football and vegan cooking shows.", {}),
    ("A vegan, gluten-free baker. A vegetarian restaurant owner.", {}),
    ("I have asthma medication in my bag. I keep vegan snacks at work and like golf carts.", {}),
    ("A man-made lake and a 30-year-old bridge stand near the house of the painter.", {}),
    ("I was 34 when I enjoyed boxing. I am 20 minutes from town, and I am one of five.", {}),
    # What is said in two ways is not taken.
    ("I am 34. Actually, I am 43.", {"left_out": ("age: said as 34 and as 43",)}),
]


@pytest.mark.parametrize(("text", "facts"), LINES, ids=[text[:40] for text, _ in LINES])
def test_a_description_gives_what_it_says_plainly_and_nothing_else(text: str, facts: dict[str, Any]) -> None:
    found = facts_from_description(text)
    assert found == Persona(**{name: value for name, value in facts.items() if name != "left_out"})
    assert found.left_out == facts.get("left_out", ())


def test_no_fact_is_invented_from_a_narrative() -> None:
    """Our own narratives say much that is not read; whatever is read must be so."""
    read = 0
    for index in range(250):
        profile = make_profile(3, index)
        facts = facts_of(facts_from_description(profile.narrative))
        claimed = profile.model_copy(update={"stated": facts})
        assert faults(claimed) == {}
        read += len(facts)
    assert read > 250 * 4


def test_what_does_not_fit_gives_way_and_is_told() -> None:
    said = Persona(
        ages=(27, 27),
        risks=("osteoporosis", "prediabetes", "type_2_diabetes", "low_back_pain"),
        diets=("lactose_free", "vegan", "halal", "nut_free"),
        sports=("running", "yoga"),
        foods=("cheese", "tofu", "walnuts", "hummus"),
    )
    kept = fitting(said)
    assert (kept.risks, kept.diets) == (("prediabetes", "low_back_pain"), ("vegan", "nut_free"))
    assert (kept.sports, kept.foods) == (("yoga",), ("tofu", "hummus"))
    assert {line.rpartition(": ")[0] for line in kept.left_out} == {
        "health_risks: osteoporosis",
        "health_risks: type_2_diabetes",
        "dietary_restrictions: lactose_free",
        "dietary_restrictions: halal",
        "preferences.sport: running",
        "preferences.food: cheese",
        "preferences.food: walnuts",
    }


def test_a_person_of_few_years_has_no_children_and_one_with_a_need_keeps_it() -> None:
    assert fitting(Persona(ages=(19, 19), adults=2, children=1)).children is None
    celiac = fitting(Persona(risks=("celiac_disease",), no_diets=True, foods=("pasta", "tofu")))
    assert (celiac.no_diets, celiac.foods) == (False, ("tofu",))
    assert "gluten_free" in make_profile(1, 1, celiac).dietary_restrictions


def faults(profile: Profile) -> dict[str, str]:
    return {v.check: v.reason for v in check_profile(profile, ProfileContext()) if not v.passed}


def some(values: list[Any], most: int) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(st.sampled_from(values), max_size=most).map(tuple)


PERSONAS = st.builds(
    Persona,
    given=st.sampled_from(["", "Maria", "Robin", "Quentin"]),
    family=st.sampled_from(["", "Lopez"]),
    ages=st.none() | st.tuples(st.integers(18, 90), st.integers(0, 9)).map(lambda a: (a[0], min(90, sum(a)))),
    gender=st.sampled_from([None, "female", "male", "non_binary"]),
    adults=st.none() | st.integers(1, 4),
    children=st.none() | st.integers(0, 4),
    risks=some(list(RISKS), 5),
    diets=some(list(DIETS), 5),
    sports=some(list(SPORTS), 5),
    foods=some(list(FOODS), 6),
)


@settings(max_examples=amount(37, 150))
@given(said=PERSONAS, index=st.integers(0, 500))
def test_every_profile_keeps_to_its_persona_and_passes_every_check(said: Persona, index: int) -> None:
    persona = fitting(said)
    assert fitting(persona) == persona
    profile = make_profile(5, index, persona)
    assert faults(profile) == {}
    assert persona_of(profile) == persona
    assert canonical(make_profile(5, index, persona_of(profile))) == canonical(profile)


def test_without_a_persona_nothing_changes() -> None:
    for index in range(20):
        profile = make_profile(11, index)
        assert profile == make_profile(11, index, NOBODY)
        assert profile.stated == []
        assert persona_of(profile) == NOBODY


def test_what_is_open_is_drawn_from_the_stream_of_the_user() -> None:
    persona = facts_from_description("A woman who enjoys rowing.")
    profiles = [make_profile(7, index, persona) for index in range(40)]
    assert {profile.gender for profile in profiles} == {"female"}
    assert {tuple(profile.preferences.sport) for profile in profiles} == {("rowing",)}
    assert len({profile.age for profile in profiles}) > 15
    assert len({profile.activity for profile in profiles}) == 3


def test_a_known_given_name_goes_with_its_gender() -> None:
    persona = facts_from_description("My name is Astrid.")
    assert {make_profile(7, index, persona).gender for index in range(30)} == {"female"}


def write(folder: Path, *lines: object) -> Path:
    path = folder / "personas.jsonl"
    path.write_text("".join(f"{line if isinstance(line, str) else json.dumps(line)}\n" for line in lines), "utf-8")
    return path


def test_user_i_takes_line_i(tmp_path: Path) -> None:
    path = write(
        tmp_path, {"persona": "I am 34."}, {"description": "I am 43.", "persona_id": 7}, {"persona": "I\u2028am."}
    )
    assert [persona.ages for persona in read_personas(path, 3)] == [(34, 34), (43, 43), None]
    assert len(read_personas(path, 2)) == 2


GOOD = {"persona": "I am 34."}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("", "line 2: is empty; give one object per line"),
        ("{", "line 2: is no JSON; "),
        ("[" * 50_000, "line 2: is no JSON; "),
        ([1], "line 2: [1] is no object; "),
        ({"text": "I am 34."}, "line 2: persona: is missing; give one of persona and description"),
        ({"persona": "a", "description": "b"}, "line 2: description: stands beside another text; "),
        ({"persona": 34}, "line 2: persona: 34 is no text; "),
        ({"description": " "}, "line 2: description: ' ' is no text; "),
        ({"persona": "x" * 30_000}, "line 2: persona: 30000 characters; give at most 20000"),
        ({"persona": "A 12-year-old boy."}, "line 2: persona: says an age of 12; users are 18 to 90; leave it out"),
        ({"persona": "I am 95 years old."}, "line 2: persona: says an age of 95; "),
    ],
)
def test_a_bad_line_is_named_with_its_field(tmp_path: Path, line: object, message: str) -> None:
    path = write(tmp_path, GOOD, line, GOOD)
    with pytest.raises(InputError) as caught:
        read_personas(path, 3)
    assert str(caught.value).startswith(f"{path}: {message}")
    assert "\n" not in str(caught.value)
    # Lines of users that are not asked for are not read.
    assert len(read_personas(path, 1)) == 1


def test_more_users_than_lines_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"2 personas for 3 users; add lines, or ask for fewer users"):
        read_personas(write(tmp_path, GOOD, GOOD), 3)
    with pytest.raises(InputError, match="0 personas for 1 users"):
        read_personas(write(tmp_path), 1)
    with pytest.raises(InputError, match="No such file"):
        read_personas(tmp_path / "none.jsonl", 1)
    (tmp_path / "latin.jsonl").write_bytes(b"\xe4")
    with pytest.raises(InputError, match="no UTF-8"):
        read_personas(tmp_path / "latin.jsonl", 1)
