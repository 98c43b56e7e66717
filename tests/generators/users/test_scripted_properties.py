"""What holds of the scripted user whatever an assistant says."""

from __future__ import annotations

from functools import cache

from hypothesis import given, settings
from hypothesis import strategies as st

from generators.dialogue.parts import UserReply
from generators.dialogue.starts import Starts
from generators.users.reading import asked_confirmations, asked_gates, asked_slots, asked_to_pay
from generators.users.scripted import MOST_REPLIES
from generators.users.sentences import is_promise, is_question
from language import find
from schemas.task import Consent, Task
from services.payments.records import LedgerEntry
from services.runtime.catalogue import installed_catalogue
from tests.effort import amount
from tests.generators.tasks import scenes
from tests.generators.users import made, paraphrases
from tests.generators.users.talks import Talk

LIMIT = 1500
TASK = made.buying(
    consents=[
        Consent(gate="PURCHASE", granted=True, once=True),
        Consent(gate="BALANCE", granted=True, up_to_cents=LIMIT),
        Consent(gate="NOTES", granted=False),
    ]
)
SAID = [
    *(heard.text for heard in paraphrases.ALL),
    *(text for _, text, _ in paraphrases.FACTS),
    *(text for text, _ in paraphrases.AMOUNTS),
    *paraphrases.PROMISES,
    *paraphrases.REPORTS,
    "Could you give me more details?",
    "Shall I go on?",
    "",
]
MESSAGES = st.one_of(
    st.sampled_from(SAID), st.text(max_size=60), st.lists(st.sampled_from(SAID), max_size=3).map(" ".join)
)


@cache
def starts() -> Starts:
    return Starts(scenes.user(0)[1], scenes.world())


@cache
def at_rest() -> Task:
    """A task that starts where the environment stands."""
    return Task.model_construct(task_id="u000000-t00000", setup=[], start_hash=scenes.user(0)[1].state_hash)


def hold(messages: list[str]) -> tuple[Talk, list[tuple[UserReply, bool]]]:
    """Say messages until the user stops; return the answers, each with whether the user acted."""
    talk = Talk(TASK, starts().open(at_rest()))
    replies: list[tuple[UserReply, bool]] = []
    for message in messages:
        reply = talk.say(message)
        replies.append((reply, talk.acted))
        if reply.stop:
            break
    return talk, replies


@settings(max_examples=amount(25, 100))
@given(st.lists(MESSAGES, max_size=8))
def test_nothing_is_told_that_was_not_asked_for_and_is_not_next(messages: list[str]) -> None:
    _, replies = hold(messages)
    for message, (reply, _) in zip(messages, replies, strict=False):
        passive = [name for name, how in reply.told.items() if how == "passive"]
        assert set(reply.told) - set(passive) <= set(asked_slots(message, TASK))
        assert passive in ([], ["quantity"])
        if "quantity" not in reply.told:
            assert 7 not in [mention.value for mention in find("count", reply.text)]


@settings(max_examples=amount(25, 100))
@given(st.lists(MESSAGES, max_size=8))
def test_the_user_keeps_to_the_limit_and_never_leaves_right_after_an_act(messages: list[str]) -> None:
    talk, replies = hold(messages)
    added = [e for e in talk.env.state_.all("ledger") if isinstance(e, LedgerEntry) and e.kind == "top_up"]
    before = [e for e in starts().open(at_rest()).state_.all("ledger") if isinstance(e, LedgerEntry)]
    new = [entry for entry in added if entry not in before]
    assert sum(entry.amount_cents for entry in new) <= LIMIT
    assert "set_user_notes_permission" not in {tool for tool, _ in talk.acts}
    for reply, acted in replies:
        if reply.stop and acted:
            assert talk.acts[-1] == ("set_purchase_permission", {"allow": False})


@settings(max_examples=amount(15, 60))
@given(st.lists(MESSAGES, max_size=6))
def test_the_same_messages_get_the_same_answers(messages: list[str]) -> None:
    one, first = hold(messages)
    other, second = hold(messages)
    assert first == second
    assert one.acts == other.acts
    assert one.env.state_hash() == other.env.state_hash()


@settings(max_examples=amount(8, 25))
@given(MESSAGES)
def test_every_conversation_ends(message: str) -> None:
    _, replies = hold([message] * (MOST_REPLIES + 1))
    assert replies[-1][0].stop


@settings(max_examples=amount(75, 300))
@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=200))
def test_any_text_can_be_read(text: str) -> None:
    catalogue = installed_catalogue()
    assert set(asked_gates(text, catalogue)) <= catalogue.gates.keys()
    assert set(asked_confirmations(text)) <= catalogue.tools.keys()
    assert set(asked_slots(text, TASK)) <= {"quantity", "objective", "category", "tag"}
    assert not (asked_to_pay(text) and not is_question(text))
    assert not (is_promise(text) and is_question(text))
