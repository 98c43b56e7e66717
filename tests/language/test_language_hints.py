"""What lets a reader pass over a text never hides a value from it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from hypothesis import example, given
from hypothesis import strategies as st

from language.matching import _NUMERIC, writings  # pyright: ignore[reportPrivateUsage]
from language.relative import relative_readers
from language.spans import claims

TODAY = "2025-05-14"
READERS = (*relative_readers(TODAY), *_NUMERIC)
EVERYWHERE = tuple(replace(reader, hints=("",), digits=False) for reader in READERS)
_FORMS = (
    *(form for n in (0, 1, 2, 13, 40, 100, 1_250, 2_000, 90_000) for form in writings("count", n)),
    *(form for n in (1, 15, 12.5, 100) for form in writings("percent", n)),
    *(form for n in (5, 100, 1_250, -999, 1_234_500) for form in writings("money_cents", n)),
    *(form for day in ("2025-05-13", "1999-12-31") for form in writings("date", day, TODAY)),
    *(
        form
        for period in (("2025-05-01", "2025-05-14"), ("2024-02-03", "2025-01-10"), ("2024-01-01", "2024-12-31"))
        for form in writings("period", period, TODAY)
    ),
    *(
        "3k",
        "a million",
        "two dozen",
        "half a dozen",
        "one",
        "7:30 pm",
        "8 a.m.",
        "the 3rd",
        "1.2.3",
        "3/4",
        "31.01.2024",
    ),
    *("1/31/2024", "from 3 to 9 May", "May 3 until 9", "from March to June 2025", "\u0663 kg", "\u0661\u0662%"),
)


def _as_is(text: str) -> str:
    return text


def _long_s(text: str) -> str:
    return text.replace("s", "\u017f").replace("S", "\u017f")


def _other_i(text: str) -> str:
    return text.replace("i", "\u0130").replace("I", "\u0131")


def _kelvin(text: str) -> str:
    return text.replace("k", "\u212a")


_LOOKS = st.sampled_from([_as_is, str.upper, str.title, _long_s, _other_i, _kelvin])
_TEXTS = st.lists(st.one_of(st.sampled_from(_FORMS), st.text(max_size=6)), max_size=4).map(" ".join)


@given(_TEXTS, _LOOKS)
@example("\u017fep 3, 2025", _as_is)
@example("f\u0130ve and \u017feven", _as_is)
def test_readers_find_what_they_would_without_hints(text: str, look: Callable[[str], str]) -> None:
    written = look(text)
    assert claims(READERS, written) == claims(EVERYWHERE, written)


def test_every_form_is_found_without_hints_too() -> None:
    for form in _FORMS:
        for look in (_as_is, str.upper, _long_s, _other_i, _kelvin):
            assert claims(READERS, look(form)) == claims(EVERYWHERE, look(form))


def test_letters_that_look_like_others_are_read_as_those() -> None:
    (found,) = claims(READERS[-len(_NUMERIC) :], "\u017fep 3, 2025 is when")[:1]
    assert found.mention.value == "2025-09-03"
    assert (found.mention.start, found.mention.end) == (0, 11)
