"""Is there anything of a real person in the profile?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import cast

from schemas.profile import Profile
from validators.profiles.context import ProfileContext

_NAME = re.compile(r"[A-Z][a-z]{2,19}")
"""Shape of our invented names: one capitalised word of plain letters, so no title, initial, number or handle."""
_STREETS = "street|st|avenue|ave|road|rd|lane|ln|drive|dr|boulevard|blvd|court|ct|square|way|close|terrace"
_PERSONAL = {
    "an e-mail address": re.compile(r"[\w.+-]+\s?(?:@|\(at\)|\[at\])\s?[\w-]+\.?\w*", re.IGNORECASE),
    "a web address": re.compile(r"\b(?:https?://|www\.)\S+|\b[\w-]+\.(?:com|net|org|io|eu|co\.uk)\b", re.IGNORECASE),
    "a phone, card or identity number": re.compile(r"\+?\d(?:[ ()./-]{0,2}\d){6,}"),
    "an identity number": re.compile(
        r"\b\d{3}-\d{2}-\d{4}\b|\b[A-Z]{2}\s?\d{6,}\b|\b(?:SSN|passport|IBAN)\b", re.IGNORECASE
    ),
    "a street address": re.compile(
        rf"\b\d+[a-z]? (?:[A-Z]\w+ ){{1,3}}(?:{_STREETS})\b|\bP\.? ?O\.? Box\b", re.IGNORECASE
    ),
    "a postal code": re.compile(r"\b[A-Z]{1,2}\d[A-Z\d]? ?\d[A-Z]{2}\b|\b[A-Z]{2} \d{5}\b"),
    "a date of birth": re.compile(r"\b(?:born|birthday|date of birth)\b", re.IGNORECASE),
}
_OURS = frozenset({"user_id"})
"""Fields that hold our own identifiers."""


def name_faults(profile: Profile, _: ProfileContext) -> Iterator[str]:
    """Yield names that have not the shape of our invented ones."""
    for part, name in (("given", profile.name.given), ("family", profile.name.family)):
        if not _NAME.fullmatch(name):
            yield f"name.{part} is {name!r}, not one capitalised word of 3 to 20 letters"
    if profile.name.given == profile.name.family:
        yield f"given and family name are both {profile.name.given!r}"


def privacy_faults(profile: Profile, _: ProfileContext) -> Iterator[str]:
    """Yield contact data, addresses and identity numbers in any text of the profile."""
    for path, text in _texts(profile.model_dump(mode="json"), ""):
        for what, pattern in _PERSONAL.items():
            found = pattern.search(text)
            if found:
                yield f"{path} holds {what}: {found[0]!r}"


def _texts(value: object, path: str) -> Iterator[tuple[str, str]]:
    """Yield every text in a JSON value with its path, our own identifiers left out."""
    if isinstance(value, str):
        yield path, value
    elif isinstance(value, dict):
        for key, item in cast("dict[str, object]", value).items():
            if key not in _OURS:
                yield from _texts(item, f"{path}.{key}" if path else key)
    elif isinstance(value, list):
        for place, item in enumerate(cast("list[object]", value)):
            yield from _texts(item, f"{path}[{place}]")
