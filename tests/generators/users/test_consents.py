"""A question for a consent is understood however it is put, by the user and by the score alike."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import product

import pytest

from generators.users.reading import asked_gates
from services.runtime.catalogue import installed_catalogue
from tests.generators.users import made
from tests.generators.users.at_home import BALANCE, GRANT, PURCHASE, talk
from tests.generators.users.consents import ACTS, DEEDS, DO, LEAVE, NO_CONSENTS, Act
from validators.scoring.outcome import Told, is_about_gate, took_as_asked

CATALOGUE = installed_catalogue()


def asked(frames: Sequence[str], things: Mapping[str, Sequence[Act]]) -> Iterator[tuple[str, str]]:
    """Each thing in each frame, with its gate."""
    for gate, acts in things.items():
        for frame, act in product(frames, acts):
            yield gate, frame.format(**act._asdict())


ASKED = [*asked(LEAVE, ACTS), *asked(DO, DEEDS)]


def alike(name: str) -> list[str]:
    """The gates about which one asks in the same words."""
    own = CATALOGUE.gates[name].gate
    return sorted(other for other, one in CATALOGUE.gates.items() if own.asking and one.gate.asking is own.asking)


@pytest.mark.parametrize("name", [*ACTS, *DEEDS])
def test_a_question_for_a_consent_is_understood_by_both_sides(name: str) -> None:
    said = [text for gate, text in ASKED if gate == name]
    assert len(said) >= 30
    wrong = [text for text in said if asked_gates(text, CATALOGUE) != alike(name)]
    unheard = [text for text in said if not is_about_gate(text, CATALOGUE.gates[name].gate)]
    assert (wrong, unheard) == ([], [])


@pytest.mark.parametrize("text", NO_CONSENTS)
def test_what_asks_for_no_consent_is_not_taken_for_it(text: str) -> None:
    assert asked_gates(text, CATALOGUE) == []


@pytest.mark.parametrize(
    ("text", "gate"),
    [
        ("Purchases are currently turned off in your account. Would you like to enable them?", "PURCHASE"),
        ("Would you switch purchases on for me?", "PURCHASE"),
        ("Could you activate purchases for me?", "PURCHASE"),
        ("Please unlock purchases, so that I can go on.", "PURCHASE"),
        ("Can you unlock your notes for me?", "NOTES"),
        ("Could you share your raw data with me?", "RAW"),
    ],
)
def test_what_is_off_or_locked_is_asked_for(text: str, gate: str) -> None:
    assert asked_gates(text, CATALOGUE) == alike(gate)
    assert is_about_gate(text, CATALOGUE.gates[gate].gate)


def test_enough_is_looked_at() -> None:
    assert len(set(NO_CONSENTS)) >= 20
    assert len(set(ASKED)) == len(ASKED) >= 30 * len([*ACTS, *DEEDS])


SHUT = [
    ("Your purchase permission is off.", "PURCHASE"),
    ("It looks like the purchase permission is currently disabled. What would you like to do?", "PURCHASE"),
    ("I don't have permission to make purchases. How would you like to proceed?", "PURCHASE"),
    ("Your wallet is $5.20 short. What would you like to do?", "BALANCE"),
    ("The total is $15.20 but you have $10.00, so you're $5.20 short.", "BALANCE"),
    ("Sorry, your balance isn't enough: $5.20 is missing. What should I do?", "BALANCE"),
]


@pytest.mark.parametrize(("text", "gate"), SHUT)
def test_who_hears_only_that_something_is_off_or_short_decides_about_it(text: str, gate: str) -> None:
    one = talk(made.buying(consents=[PURCHASE, BALANCE]))
    reply = one.say(text)
    assert (reply.answered, reply.stop) == ({gate: True}, False)
    assert one.acts == [GRANT if gate == "PURCHASE" else ("top_up_wallet", {"amount": 5.2})]
    declared = one.env.catalogue.gates[gate].gate
    assert took_as_asked(Told(0, text, dict(reply.answered), {}, (), (), frozenset()), declared)


@pytest.mark.parametrize(("text", "gate"), SHUT)
def test_what_is_decided_or_unknown_is_not_decided_again_by_a_statement(text: str, gate: str) -> None:
    del gate
    one = talk(made.buying())
    assert one.say(text.partition(" What")[0].partition(" How")[0]).stop
    assert one.acts == []


@pytest.mark.parametrize(
    "text",
    [
        "I couldn't order it: the purchase permission is off.",
        "Your balance isn't enough, so nothing was bought. $5.20 is missing.",
        "I've ordered it. No purchase permission is needed any more.",
        "I've ordered it. Your purchase permission is on.",
    ],
)
def test_a_report_that_says_why_is_a_report(text: str) -> None:
    one = talk(made.buying(consents=[PURCHASE, BALANCE]))
    assert one.say(text).stop
    assert one.acts == []


def test_other_questions_are_answered_before_what_is_closed() -> None:
    one = talk(made.buying(consents=[PURCHASE]))
    reply = one.say("Your purchase permission is off. How many packs do you want?")
    assert (one.acts, reply.answered) == ([], {})
    assert list(reply.told) == ["quantity"] or "7" in reply.text
