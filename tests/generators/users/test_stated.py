"""What is stated back to a scripted user: agreed to where it is right, and corrected where it is not."""

from __future__ import annotations

import pytest

from language import find
from schemas.task import Change
from tests.generators.users import made
from tests.generators.users.at_home import MAY_I, PURCHASE, TERSE, talk


@pytest.mark.parametrize(
    "text",
    [
        "I will order 11 Max Lime Energizers and 5 Cherry Jam for $50. Shall I go ahead?",
        "Just to confirm: 11 Max Lime Energizers and 1 Cherry Jam. Correct?",
        "So:\n\n| Product | Qty |\n|---|---|\n| Max Lime Energizer | 11 |\n| Cherry Jam | 4 |\n\nIs that right?",
        "I assume you'd like 2 Cherry Jams. Is that fine?",
        "Would you like 3 Cherry Jams?",
        "Is it 10 or 12 jams?",
        "I'll order 11 Max Lime Energizers and 10 Cherry Jam. Is that right?",
    ],
)
def test_a_guess_at_what_is_kept_back_is_answered_with_the_fact(text: str) -> None:
    reply = talk(made.listing()).say(text)
    assert [mention.value for mention in find("count", reply.text)] == [10]
    assert reply.told == {"quantity_2": "active"}


@pytest.mark.parametrize(
    "text",
    [
        "I'll order 10 of it. Shall I go ahead?",
        "Quantity: 10\n\nIs that correct?",
        "So 10, right?",
        "I will buy 3 of the Oat Cookies for $12, shall I go ahead?",
    ],
)
def test_a_wrong_value_is_not_agreed_to(text: str) -> None:
    """The fact was told before, so it is no news that it is told again."""
    reply = talk(made.buying("upfront")).say(text)
    assert [mention.value for mention in find("count", reply.text)] == [7]
    assert reply.told == {}


@pytest.mark.parametrize(
    "text",
    [
        "I'll order 7 of it. Shall I go ahead?",
        "So 7, right?",
        "There are 10 left in stock. Shall I go ahead?",
        "I'll order 2 packs of 3 and a single one. Shall I go ahead?",
        "The total for 7 is $19.20. Shall I proceed?",
        "You bought 12 of it last time. Is that fine?",
    ],
)
def test_what_is_right_or_about_something_else_is_agreed_to(text: str) -> None:
    assert talk(made.buying("upfront")).say(text).text in TERSE.go_ahead


def test_after_a_change_of_mind_the_old_value_is_wrong() -> None:
    change = Change(gate="PURCHASE", first={"quantity": 5}, message="OK, but make it 7.")
    one = talk(made.buying("upfront", consents=[PURCHASE], change=change))
    assert one.say("I'd order 5 of it. Is that right?").text in TERSE.go_ahead
    one.say(MAY_I)
    assert [m.value for m in find("count", one.say("So I'll order 5 of it. Is that right?").text)] == [7]


def test_a_total_above_the_limit_is_not_agreed_to() -> None:
    task = made.task_of(
        "buy-best", made.slot("category", "term", "cereal"), made.slot("max_total", "money_cents", 2000)
    )
    for text in ("The total is $25.00. Shall I go ahead?", "I stay within your budget of $30. Is that right?"):
        assert [m.value for m in find("money_cents", talk(task).say(text).text)] == [2000]
    for text in ("The total is $19.00. Shall I go ahead?", "That's $19.00, within your $20 budget. Is that right?"):
        assert talk(task).say(text).text in TERSE.go_ahead


def test_another_product_than_the_one_that_was_named_is_not_agreed_to() -> None:
    task = made.task_of("use-voucher", made.slot("product", "name", "Cherry Jam"), made.slot("quantity", "count", 4))
    assert "Cherry Jam" in talk(task).say("I'd order 4 Oat Cookies with it. Shall I go ahead?").text
    assert talk(task).say("I'd order 4 Cherry Jams with it. Shall I go ahead?").text in TERSE.go_ahead


def test_another_day_or_month_than_the_one_that_was_named_is_not_agreed_to() -> None:
    noted = made.task_of("saved-rule", made.slot("note_date", "date", "2025-06-08"), variant="date")
    for text in ("I found a note of 9 June 2025. Is that the one you mean?", "Should I use the note of June 9, 2025?"):
        assert [m.value for m in find("date", talk(noted).say(text).text)] == ["2025-06-08"]
    assert talk(noted).say("I found a note of 8 June 2025. Is that the one you mean?").text in TERSE.go_ahead
    counted = made.task_of("spending-question", made.slot("period", "period", ["2025-03-01", "2025-03-31"]))
    assert "March" in talk(counted).say("Shall I count the orders of April 2025?").text
    assert talk(counted).say("Shall I count the orders of March 2025?").text in TERSE.go_ahead


def test_a_user_does_not_say_yes_to_a_thing_that_they_have_not_named_yet() -> None:
    task = made.task_of("finish-pending", made.slot("product", "name", "Cherry Jam", "on_request"), variant="product")
    reply = talk(task).say("I found a pending order with Oat Cookies. Is that the one you mean?")
    assert "Cherry Jam" in reply.text
    assert reply.told == {"product": "active"}


def test_a_guess_at_what_to_go_by_is_answered_with_it() -> None:
    task = made.task_of(
        "compare-products",
        made.slot("product_1", "name", "Cherry Jam"),
        made.slot("product_2", "name", "Plum Jam"),
        made.slot("objective", "term", "least_sugar", "on_request"),
        variant="nutrition",
    )
    reply = talk(task).say("Shall I take the one with the fewest calories?")
    assert reply.told == {"objective": "active"}
    assert find("term", reply.text, ("least_sugar",))


def test_what_is_offered_beside_the_request_is_declined() -> None:
    reply = talk(made.buying()).say("I can also book you a flight to Paris. Would you like that?")
    assert reply.text in TERSE.only_asked
