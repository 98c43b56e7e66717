"""How people write values: what is read, and what looks like a value and is none."""

from __future__ import annotations

import pytest

from language.matching import agree, find, mentions, plain_value, write
from language.spans import Kind, Value
from language.terms import singular

READ: list[tuple[Kind, str, list[Value]]] = [
    ("money_cents", "$12.50, 12.5 dollars, USD 3, 50 cents and 7$", [1250, 1250, 300, 50, 700]),
    ("money_cents", "twelve dollars fifty", [1250]),
    ("money_cents", "twelve dollars and three bars", [1200]),
    ("money_cents", "12 dollars and 50 cents", [1250]),
    ("money_cents", "from $5-$10", [500, 1000]),
    ("money_cents", "-$5.00, then \u2212$6.00, then minus 7 dollars", [-500, -600, -700]),
    ("money_cents", "The total is 12.50.", [1250]),
    ("money_cents", "12.50 g of sugar, 12.50%, 12.505, 3.12.50", []),
    ("money_cents", "$12.505", []),
    ("money_cents", "$2k, 1.5k dollars", [200_000, 150_000]),
    ("count", "one bag, order one, three of them", [1, 1, 3]),
    ("count", "the cheapest one, another one, this one, no one, one by one", []),
    ("count", "a less bright one (really), a brighter one, a two-piece black one, the old one, one-way, one-time", [2]),
    ("count", "the cart holds one, a bag and one bar, a home that counts one adult, only one left", [1, 1, 1, 1]),
    ("count", "1,234 and 1\u202f234 and 3 200 g packs", [1234, 1234, 3, 200]),
    ("count", "10k steps", [10_000]),
    ("count", "between one hundred and two hundred", [100, 200]),
    ("count", "a hundred and twenty", [120]),
    ("count", "one or two, twenty five, five-pack, 5-pack", [1, 2, 25, 5, 5]),
    ("count", "a dozen eggs, half a dozen rolls, 3 dozen, two dozen", [12, 6, 36, 24]),
    ("count", "25.0", [25]),
    ("count", "2.5 kg, 14:30, 7 pm, 3rd, 24/7, u000017, p_12, #5, omega-3, v1.2.3, $5, 5%, 2025-05-03", []),
    ("count", "someone, often, weight, tonight", []),
    ("percent", "15%, 15 %, 12.5 percent, fifteen per cent", [15, 15, 12.5, 15]),
    ("date", "3 May 2025; May 3rd, 2025; the 3rd of May 2025; Sat, 3 May 2025; 2025/05/03", ["2025-05-03"] * 5),
    ("date", "2025-05-03T10:00:00", ["2025-05-03"]),
    ("date", "on May 3rd and on 4 June", ["--05-03", "--06-04"]),
    ("date", "You may 5 times", []),
    ("date", "may 3rd", ["--05-03"]),
    ("date", "05/13/2025, 13/05/2025, 3.5.2025", ["2025-05-13", "2025-05-13", "2025-05-03"]),
    ("date", "05/06/2025, 31 February 2025, 2025-13-01", []),
    ("date", "3 May and 4 May 2025", ["--05-03", "2025-05-04"]),
    ("date", "between 3 May and 17 May 2025", []),
    ("period", "between 3 May and 17 May 2025", [("2025-05-03", "2025-05-17")]),
    ("period", "from 3 to 17 May 2025, 3-17 May 2025, May 3-17, 2025", [("2025-05-03", "2025-05-17")] * 3),
    ("period", "2025-05-03 to 2025-05-17", [("2025-05-03", "2025-05-17")]),
    ("period", "from 20 December to 5 January 2026", [("2025-12-20", "2026-01-05")]),
    ("period", "from 20 December 2025 to 5 January", [("2025-12-20", "2026-01-05")]),
    ("period", "in May 2025, and in 2024", [("2025-05-01", "2025-05-31"), ("2024-01-01", "2024-12-31")]),
    ("period", "from 17 May 2025 to 3 May 2025", []),
    ("bool", "Yes. No, thanks; no sugar", [True, False]),
]


@pytest.mark.parametrize(("kind", "text", "values"), READ)
def test_reading(kind: Kind, text: str, values: list[Value]) -> None:
    assert [mention.value for mention in find(kind, text)] == values


VOCABULARY = ("low_sugar", "biscuit", "nuts", "gluten", "gluten_free", "type_2_diabetes", "diabetes")


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Low-Sugar biscuits, low sugar, LOW_SUGAR", ["low_sugar", "biscuit", "low_sugar", "low_sugar"]),
        ("a nut", ["nuts"]),
        ("gluten-free and gluten free", ["gluten_free", "gluten_free"]),
        ("nut-free, nut free, non-gluten, contains_nuts, slow sugar, low. Sugar", []),
        ("type 2 diabetes", ["type_2_diabetes"]),
        ("the biscuit's taste", ["biscuit"]),
    ],
)
def test_terms(text: str, values: list[str]) -> None:
    assert [mention.value for mention in find("term", text, VOCABULARY)] == values


def test_a_term_is_not_half_of_its_opposite() -> None:
    assert not mentions("It is gluten-free.", "term", "gluten")
    assert not mentions("It is gluten free.", "term", "gluten")
    assert mentions("It has gluten, free of charge.", "term", "gluten")


def test_the_longest_name_is_meant() -> None:
    names = ("Cocoa Oat", "Cocoa Oat Bar", "Oat Bar")
    assert [mention.value for mention in find("name", "two cocoa oat bars", names)] == ["Cocoa Oat Bar"]
    assert not mentions("two cocoa oat bars", "name", "Oat Bar", names)


def test_numbers_inside_vocabulary_are_no_counts() -> None:
    text = "I have type 2 diabetes and 3 children"
    assert [mention.value for mention in find("count", text, VOCABULARY)] == [3]
    assert [mention.value for mention in find("count", text)] == [2, 3]


def test_mentions_report_their_place() -> None:
    text = "It cost $12.50 in all"
    (mention,) = find("money_cents", text)
    assert text[mention.start : mention.end] == "$12.50"


@pytest.mark.parametrize(
    ("one", "many"),
    [("cookie", "cookies"), ("berry", "berries"), ("peach", "peaches"), ("tomato", "tomatoes"), ("cheese", "cheeses"),
     ("calorie", "calories"), ("glass", "glasses"), ("quiche", "quiches"), ("box", "boxes"), ("bar", "bars")],
)  # fmt: skip
def test_singular_and_plural_share_a_stem(one: str, many: str) -> None:
    assert singular(one) == singular(many)


def test_agreement() -> None:
    assert agree("date", "--05-03", "2025-05-03")
    assert not agree("date", "--05-03", "2025-05-04")
    assert agree("period", ["2025-05-01", "2025-05-31"], ("2025-05-01", "2025-05-31"))
    assert agree("count", 25.0, 25)
    assert not agree("bool", True, 1)
    assert agree("term", "Low Sugar", "low_sugar")
    assert not agree("name", "Oat Bar", "Oat Bread")


def test_values_no_text_can_state_are_refused() -> None:
    with pytest.raises(ValueError, match="no text states"):
        plain_value({"a": 1})
    with pytest.raises(ValueError, match="cannot end before"):
        write("period", ("2025-05-17", "2025-05-03"))
