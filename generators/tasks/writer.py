"""The offline writer: a first-person request from hand-written sentence forms, by persona style.

One message has one manner: numbers, amounts, dates, names and capitals are put the same way throughout.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from generators.tasks.phrases import forms_for, load_styles
from generators.tasks.voice import Voice, WriterError, draw_manner
from language.terms import words

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.tasks.compose import Bound
    from generators.tasks.phrases import Style
    from language import Manner
    from services.runtime.streams import Stream

__all__ = ["WriterError", "write_change", "write_instruction"]

_STOP = (".", "?", "!", '"')


def write_instruction(parts: Sequence[Bound], style: str, stream: Stream, today: str = "") -> str:
    """Return the requests of a task's intents as one message of a user of this style, written on the day `today`."""
    ways = load_styles()[style]
    manner, wording = _profile(ways, parts, stream.child("manner"))
    message = ""
    used: set[str] = set()
    for part in parts:
        voice = Voice(part, manner, wording, today, stream.child(part.index))
        request = voice.request()
        if message:
            joint = _draw_joint(ways, manner, used, stream)
            message = _closed(message) + joint + (_inside(request, voice.names) if _goes_on(joint) else request)
        else:
            message = request
    opening = stream.weighted(list(ways.openings.items()))
    # Who greets does not thank as well: both together read like a form letter.
    closing = "" if opening else stream.weighted(list(ways.closings.items()))
    return opening + (message.removesuffix(".") if manner.lower else message) + closing


def write_change(part: Bound, slot: str, style: str, stream: Stream, today: str = "") -> str:
    """Return what the user says who wants another value of a slot than at first: the one that the part holds.

    With the stream of the instruction it is said in the same manner.
    """
    manner, wording = _profile(load_styles()[style], [part], stream.child("manner"))
    voice = Voice(part, manner, wording, today, stream.child("change"))
    message = voice.message(forms_for(voice.phrases.changes, slot, part.binding))
    return message.removesuffix(".") if manner.lower else message


def _profile(ways: Style, parts: Sequence[Bound], stream: Stream) -> tuple[Manner, Mapping[str, str]]:
    """Return the manner of a message, and how it puts the words of the forms: not every writer shortens them."""
    slots = [slot for part in parts for slot in part.binding.slots if slot.told == "upfront"]
    manner = draw_manner(ways, slots, stream)
    return manner, ways.wording if stream.chance(2, 3) else {}


def _draw_joint(ways: Style, manner: Manner, used: set[str], stream: Stream) -> str:
    """Return what stands before a further request; no words that stood there before."""
    free = [(joint, weight) for joint, weight in ways.joints.items() if used.isdisjoint(words(joint))]
    joint = stream.weighted(free)
    used.update(words(joint))
    return joint.lower() if manner.lower else joint


def _goes_on(joint: str) -> bool:
    """Return whether what follows a joint belongs to its sentence."""
    return bool(joint.strip()) and not joint.rstrip().endswith(_STOP)


def _inside(request: str, names: set[str]) -> str:
    """Return a request as it stands behind a joint: a small first letter, unless it is the word I or a proper name."""
    if re.match(r"I\b", request) or any(request.startswith(name) for name in names):
        return request
    return request[0].lower() + request[1:]


def _closed(message: str) -> str:
    """Return a message whose last sentence ends in a stop."""
    return message if message.endswith(_STOP) else f"{message}."
