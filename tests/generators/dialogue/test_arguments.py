"""Arguments as models write them."""

from __future__ import annotations

import pytest

from generators.dialogue.arguments import InvalidArguments, read_arguments


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("  \n", "empty"),
        ("null", "null"),
        ("true", "true or false"),
        ("3", "a number"),
        ('"page"', "a text"),
        ('[{"page": 1}]', "a list"),
        ('{"page": 1', "no JSON"),
        ('{"page": 1}}', "no JSON"),
        ("{'page': 1}", "no JSON"),
        ("page=1", "no JSON"),
        ('{"page": 1, "page": 2}', "'page' more than once"),
        ('{"a": {"b": 1, "b": 1}}', "'b' more than once"),
        ('{"amount": NaN}', "NaN"),
        ('{"amount": -Infinity}', "Infinity"),
        ('{"amount": 1e999}', "1e999"),
        ('{"amount": -2.5e400}', "too large"),
        ('{"note": "\\ud800"}', "carry exactly"),
        ('{"amount": 123456789012345678901234567890}', "carry exactly"),
        ('{"a": ' + "[" * 200_000 + "]" * 200_000 + "}", "nested too deeply"),
    ],
)
def test_what_is_no_object_is_refused_and_named(text: str, says: str) -> None:
    with pytest.raises(InvalidArguments, match=says):
        read_arguments(text)


def test_an_object_is_read_as_it_is() -> None:
    text = ' {"page": 1, "size": "pack_5", "of": {"a": [1.5, null, true]}}\n'
    assert read_arguments(text) == {"page": 1, "size": "pack_5", "of": {"a": [1.5, None, True]}}
    assert read_arguments("{}") == {}
