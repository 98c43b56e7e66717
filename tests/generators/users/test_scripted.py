"""The scripted user: each rule once, with its own tools in a real environment."""

from __future__ import annotations

import pytest

from generators.users.replies import load_replies
from generators.users.scripted import MOST_DECLINES, MOST_IDLE, MOST_REPLIES, MOST_WAITS
from language import find
from schemas.plan import Call
from schemas.task import Change, Consent, Task
from tests.generators.users import made
from tests.generators.users.at_home import (
    BALANCE,
    GRANT,
    LIMITED,
    MAY_I,
    ONCE,
    PURCHASE,
    REFUSED,
    STYLES,
    TERSE,
    balance,
    talk,
)
from tests.generators.users.talks import Talk, Wanting
from tests.validators import tasks_support

# --- consents -----------------------------------------------------------------------------------------------------


def test_a_consent_is_given_with_the_users_own_tool() -> None:
    one = talk(made.buying(consents=[PURCHASE]))
    reply = one.say(MAY_I)
    assert one.acts == [GRANT]
    assert reply.answered == {"PURCHASE": True}
    assert not reply.stop


def test_a_consent_that_the_script_refuses_is_refused_without_an_act() -> None:
    one = talk(made.buying(consents=[REFUSED]))
    assert one.say(MAY_I).answered == {"PURCHASE": False}
    assert one.acts == []


def test_a_consent_that_the_script_does_not_know_is_refused() -> None:
    one = talk(made.buying(consents=[PURCHASE]))
    assert one.say("May I use your notes for this?").answered == {"NOTES": False}
    assert one.acts == []


def test_what_is_so_already_is_no_matter_of_a_consent() -> None:
    one = talk(made.buying())
    assert one.say("May I use your notes for this?").text in TERSE.only_asked
    one.stage.call("user", "set_user_notes_permission", {"allow": True})
    reply = one.say("Mind if I take a look at your notes?")
    assert (reply.text in TERSE.already, reply.answered, reply.stop) == (True, {"NOTES": True}, False)
    assert one.acts == []


def test_two_consents_are_given_at_once() -> None:
    one = talk(made.buying(consents=[PURCHASE, Consent(gate="NOTES", granted=True)]))
    reply = one.say("Could you allow purchases? May I also use your notes?")
    assert reply.answered == {"PURCHASE": True, "NOTES": True}
    assert GRANT in one.acts
    assert ("set_user_notes_permission", {"allow": True}) in one.acts


def test_what_was_given_once_is_taken_back_with_the_last_message() -> None:
    one = talk(made.buying(consents=[ONCE]))
    one.say(MAY_I)
    assert one.say("I've ordered it.").stop
    assert one.acts == [GRANT, ("set_purchase_permission", {"allow": False})]


def test_what_was_not_given_is_not_taken_back() -> None:
    one = talk(made.buying(consents=[ONCE]))
    assert one.say("I've ordered it.").stop
    assert one.acts == []


def test_what_could_be_allowed_is_decided_once() -> None:
    one = talk(made.buying(consents=[REFUSED]))
    text = "If you allow purchases, I can place the order."
    assert one.say(text).answered == {"PURCHASE": False}
    assert one.say(text).stop


@pytest.mark.parametrize(
    "text", ["Could you revoke the purchase permission?", "Please turn off the purchase permission."]
)
def test_who_is_asked_to_take_a_permission_back_gives_none(text: str) -> None:
    one = talk(made.buying(consents=[PURCHASE]))
    reply = one.say(text)
    assert (one.acts, reply.answered, reply.stop) == ([], {}, False)


@pytest.mark.parametrize("text", ["Could you grant me the necessary permission?", "I need a permission. Is that okay?"])
def test_who_is_asked_for_some_permission_asks_which(text: str) -> None:
    assert talk(made.buying(consents=[PURCHASE])).say(text).text in TERSE.which


@pytest.mark.parametrize(
    "text",
    [
        "Purchase permission is off. Once you enable it, I'll go on.",
        "Purchasing is off. I can't go on until you allow it.",
    ],
)
def test_a_condition_may_name_what_is_closed_in_the_sentence_before(text: str) -> None:
    assert talk(made.buying(consents=[PURCHASE])).say(text).answered == {"PURCHASE": True}


def test_what_the_request_permits_is_not_refused_in_other_words() -> None:
    one = talk(made.buying(permits=["membership"]))
    reply = one.say("Would you like to become a member?")
    assert (reply.text in TERSE.as_said, reply.answered) == (True, {})


# --- amounts ------------------------------------------------------------------------------------------------------


def test_an_amount_that_is_asked_for_is_put_in() -> None:
    one = talk(made.buying(consents=[BALANCE]))
    before = balance(one)
    reply = one.say("The total is $15.20 and your balance is $10.00. Would you like to add $5.20 to your wallet?")
    assert one.acts == [("top_up_wallet", {"amount": 5.2})]
    assert reply.answered == {"BALANCE": True}
    assert balance(one) == before + 520
    assert [mention.value for mention in find("money_cents", reply.text)] in ([520], [])


def test_an_amount_that_is_not_said_is_asked_for() -> None:
    one = talk(made.buying(consents=[LIMITED]))
    reply = one.say("Could you top up your wallet?")
    assert reply.text.endswith("?")
    assert (one.acts, reply.answered) == ([], {})
    assert one.say("Please top up by $5.20.").answered == {"BALANCE": True}


def test_a_limit_is_for_all_amounts_together_and_is_not_told() -> None:
    one = talk(made.buying(consents=[LIMITED]))
    assert one.say("Would you top up your wallet by $10?").answered == {"BALANCE": True}
    reply = one.say("Would you top up your wallet by $5.01?")
    assert reply.answered == {"BALANCE": False}
    assert not find("money_cents", reply.text)
    assert one.say("Would you top up your wallet by $5.00?").answered == {"BALANCE": True}
    assert one.acts == [("top_up_wallet", {"amount": 10}), ("top_up_wallet", {"amount": 5})]


def test_within_its_limit_a_refusal_of_more_is_a_yes() -> None:
    """The shortfall of the task is above the limit; less than it would have been given."""
    one = talk(made.buying(consents=[Consent(gate="BALANCE", granted=False, up_to_cents=900)]))
    assert one.say("Would you top up your wallet by $9.43?").answered == {"BALANCE": False}
    assert one.acts == []


def test_who_refuses_to_top_up_need_not_know_how_much() -> None:
    one = talk(made.buying(consents=[Consent(gate="BALANCE", granted=False)]))
    assert one.say("Could you top up your wallet?").answered == {"BALANCE": False}


def test_an_error_of_the_users_tool_is_told_as_it_is() -> None:
    one = talk(made.buying(consents=[BALANCE]))
    reply = one.say("Would you top up your wallet by $20,000?")
    assert "at most 10000" in reply.text
    assert reply.answered == {}
    assert one.say("Would you top up your wallet by $20?").answered == {"BALANCE": True}


# --- facts --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("style", STYLES)
def test_a_fact_is_told_when_it_is_asked_for_and_again(style: str) -> None:
    one = talk(made.buying(style=style))
    for _ in range(2):
        reply = one.say("How many would you like?")
        assert reply.told == {"quantity": "active"}
        assert [mention.value for mention in find("count", reply.text)] == [7]


def test_several_facts_are_told_at_once() -> None:
    task = made.buying(style="chatty")
    reply = talk(task).say("How many would you like? And which category was it again?")
    assert reply.told == {"quantity": "active", "category": "active"}
    assert [mention.value for mention in find("count", reply.text)] == [7]
    assert [mention.value for mention in find("term", reply.text, ("cereal",))] == ["cereal"]


def test_a_question_that_names_nothing_gets_the_next_fact() -> None:
    one = talk(made.buying())
    assert one.say("Could you give me more details?").told == {"quantity": "passive"}
    assert one.say("Could you give me more details?").told == {}


def test_what_the_user_does_not_know_they_do_not_tell() -> None:
    reply = talk(made.buying()).say("Which flavour do you prefer?")
    assert reply.told == {}
    assert not find("count", reply.text)
    assert not reply.stop


def test_one_of_a_list_is_told_by_its_name() -> None:
    one = talk(made.listing())
    assert one.say("How many Cherry Jam would you like?").told == {"quantity_2": "active"}
    assert one.say("And how many Max Lime Energizers?").told == {"quantity_1": "active"}


@pytest.mark.parametrize("style", STYLES)
def test_a_text_is_told_word_for_word(style: str) -> None:
    text = 'Ask Aunt May {x} about 3 keys; "maybe" later.'
    task = made.task_of("add-note", made.slot("text", "text", text, "on_request"), style=style)
    assert f'"{text}"' in talk(task).say("What should the note say?").text


# --- a change of mind ---------------------------------------------------------------------------------------------


def _changing() -> Task:
    change = Change(gate="PURCHASE", first={"quantity": 4}, message="Yes, but make it 7.")
    return made.buying("upfront", consents=[PURCHASE], change=change)


def test_a_change_of_mind_comes_with_the_first_answer_about_its_gate() -> None:
    one = talk(_changing())
    assert "4" in one.say("How many did you want?").text
    reply = one.say(MAY_I)
    assert reply.text == "Yes, but make it 7."
    assert reply.told == {"quantity": "change"}
    assert one.acts == [GRANT]
    assert "7" not in one.say(MAY_I).text
    assert "7" in one.say("How many did you want?").text


# --- paying and confirming ----------------------------------------------------------------------------------------


def test_a_user_pays_the_order_that_was_prepared() -> None:
    context = tasks_support.context_of("buy-best/fulfil", ())
    one = Talk(context.task, context.open(), Wanting())
    calls = [step for step in context.task.plan.steps if isinstance(step, Call) and step.side == "assistant"]
    prepared = [one.call(step.tool, step.arguments) for step in calls if step.tool != "authorize_checkout"]
    result = next(result for result in prepared if "transaction_id" in result)
    key = str(result["transaction_id"])
    waiting = [record.id for record in one.env.state_.all("transactions") if record.status == "pending"]  # type: ignore[attr-defined]  # pyright: ignore
    reply = one.say("The order is ready. Would you authorize the payment?")
    if waiting != [key]:
        assert reply.text in load_replies()[context.task.script.style].which
        reply = one.say(f"The order {key} is ready. Would you authorize the payment?")
    assert one.acts == [("authorize_checkout", {"transaction_id": key})]
    assert not reply.stop


def test_a_payment_that_nobody_wants_is_declined() -> None:
    task = made.buying()
    one = talk(task, Wanting(accepted=False))
    keys = [record.id for record in one.env.state_.all("transactions")]
    reply = one.say(f"Please authorize the checkout of {keys[0]}.")
    assert (one.acts, reply.stop) == ([], False)


def test_a_call_that_waits_is_confirmed_if_it_is_wanted() -> None:
    one = talk(made.task_of("delete-note", made.slot("note_date", "date", "2025-02-22")))
    one.call("delete_daily_reminder", {"reminder_id": "rem_0123456789"})
    assert len(one.stage.pending) == 1
    reply = one.say("Shall I delete the reminder?")
    assert one.acted
    assert one.stage.pending == []
    assert not reply.stop


def test_a_call_that_waits_is_not_confirmed_if_it_is_not_wanted() -> None:
    one = talk(made.buying(), Wanting(accepted=False))
    one.call("delete_daily_reminder", {"reminder_id": "rem_0123456789"})
    one.say("Shall I delete the reminder?")
    assert len(one.stage.pending) == 1


def test_a_yes_in_words_is_good_for_one_call() -> None:
    one = talk(made.buying())
    arguments = {"reminder_id": "rem_0123456789"}
    assert not one.user.agrees("delete_daily_reminder", arguments, None)  # type: ignore[arg-type]  # pyright: ignore
    keys = [record.id for record in one.env.state_.all("reminders")]
    one.say(f"Shall I delete the reminder {keys[0] if keys else 'at seven'}?")
    if keys:
        assert one.user.agrees("delete_daily_reminder", arguments, None)  # type: ignore[arg-type]  # pyright: ignore
    assert not one.user.agrees("delete_daily_reminder", arguments, None)  # type: ignore[arg-type]  # pyright: ignore


# --- the rest, and the end ----------------------------------------------------------------------------------------


def test_going_ahead_is_welcome_and_more_than_asked_for_is_not() -> None:
    one = talk(made.buying())
    assert one.say("I have added it to your cart. Shall I place the order?").text in TERSE.go_ahead
    assert one.say("Would you also like a bag of chips?").text in TERSE.only_asked


def test_what_the_request_permits_on_a_condition_is_left_to_the_request() -> None:
    one = talk(made.buying(permits=["voucher"]))
    assert one.say("There's a voucher for 10% off. Shall I use it?").text in TERSE.as_said


def test_another_choice_is_left_to_a_request_that_speaks_of_one() -> None:
    task = made.task_of("substitute", made.slot("quantity", "count", 4), instruction="If that's out, take another.")
    assert talk(task).say("It's out of stock. Would you like the oat one instead?").text in TERSE.as_said


def test_a_promise_is_waited_for_twice() -> None:
    one = talk(made.buying())
    for _ in range(MOST_WAITS):
        assert not one.say("I'll look into it.").stop
    last = one.say("I'll look into it.")
    assert (last.stop, last.gave_up) == (True, True)


def test_a_report_ends_the_conversation() -> None:
    last = talk(made.buying()).say("You spent $45.10 on yogurt. Is there anything else I can help you with?")
    assert (last.stop, last.gave_up) == (True, False)
    assert last.text


def test_who_only_says_no_stops_in_the_end() -> None:
    one = talk(made.buying(consents=[REFUSED]))
    replies = [one.say(MAY_I) for _ in range(MOST_DECLINES)]
    assert [reply.stop for reply in replies] == [False] * (MOST_DECLINES - 1) + [True]
    assert replies[-1].gave_up


def test_who_hears_nothing_new_stops_in_the_end() -> None:
    one = talk(made.buying())
    replies = [one.say("Shall I go on?") for _ in range(MOST_IDLE)]
    assert [reply.stop for reply in replies] == [False] * (MOST_IDLE - 1) + [True]


def test_even_who_is_asked_for_money_again_and_again_stops() -> None:
    one = talk(made.buying(consents=[BALANCE]))
    replies = [one.say("Please top up your wallet by $0.01.") for _ in range(MOST_REPLIES + 1)]
    assert [reply.stop for reply in replies] == [False] * MOST_REPLIES + [True]


def test_all_styles_say_different_things() -> None:
    said = {talk(made.buying(style=style, consents=[PURCHASE])).say(MAY_I).text for style in STYLES}
    assert len(said) == len(STYLES)


def test_forms_are_drawn_by_task_and_turn() -> None:
    one = talk(made.buying(style="chatty"))
    said = {one.say("Shall I go on?").text for _ in range(6)}
    assert len(said) > 1
