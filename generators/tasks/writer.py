"""The offline writer: a first-person request from hand-written sentence forms, by persona style."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.phrases import PLACE, forms_for, load_styles
from language import write

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from generators.tasks.compose import Bound
    from generators.tasks.intent import Binding
    from schemas.task import Slot
    from services.runtime.streams import Stream


class WriterError(Exception):
    """The sentence forms do not cover a binding: a defect of a data file, naming the key that is missing."""


def _pick(options: dict[str, list[str]], keys: list[str], stream: Stream) -> str:
    """Return one of the forms under the first key that there is."""
    for key in keys:
        if key in options:
            return stream.choice(options[key])
    msg = f"no sentence form under any of {', '.join(keys)}"
    raise WriterError(msg)


_TELLING = ("category", "brand", "spend", "percent", "product_3")
"""Slots that decide between fragments by being there."""


def _selector(binding: Binding) -> Callable[[str], list[str]]:
    """Return what gives the keys under which a fragment is looked for, the most special one first."""
    values = binding.values()
    given = "+".join(name for name in _TELLING if name in values)
    special = [f"{binding.variant}+{given}", binding.variant, given, str(values.get("objective", ""))]

    def keys(name: str) -> list[str]:
        own = [str(values[name])] if name in values else special
        return [*(f"{name}={key}" for key in own if key.strip("+")), name]

    return keys


_NAMES = {"careless": (0, 0, 2)}
"""Forms of proper names by style: as they are, now and then in quotes; who writes carelessly leaves out capitals."""


class _Voice:
    """How the slots of one request are said."""

    def __init__(self, part: Bound, style: str, today: str, stream: Stream) -> None:
        self.phrases = part.intent.phrases
        self.binding = part.binding
        self.slots = {slot.name: slot for slot in part.binding.slots if slot.told == "upfront"}
        self.kept_back = [slot.name for slot in part.binding.slots if slot.told == "on_request"]
        self.keys = _selector(part.binding)
        self.style = style
        self.today = today
        self.stream = stream

    def value(self, slot: Slot) -> str:
        """Return a slot's value as text."""
        names = _NAMES.get(self.style, (0, 0, 0, 1))
        form = self.stream.choice(names) if slot.kind == "name" else self.stream.below(6)
        return write(slot.kind, slot.value, form, self.today)

    def fill(self, text: str) -> str:
        """Replace every place by a fragment or a slot's value. Data of the task is written, never read as a form."""
        pieces: list[str] = []
        end = 0
        for place in PLACE.finditer(text):
            pieces += [text[end : place.start()], self.said(place.group(1))]
            end = place.end()
        return "".join(pieces) + text[end:]

    def said(self, name: str) -> str:
        """Return what stands at a place."""
        if name == "extras":
            return "".join(self.extra(name) for name in self.phrases.extras)
        if name == "tags":
            return " and ".join(self.value(self.slots[tag]) for tag in ("tag", "tag_2") if tag in self.slots)
        return self.value(self.slots[name]) if name in self.slots else self.fragment(name)

    def extra(self, name: str) -> str:
        """Return what is added for a slot: how it is worked in, that it is still to be asked for, or nothing."""
        if name in self.slots:
            return self.fragment(name)
        return self.fill(self.stream.choice(self.unsaid(name))) if name in self.kept_back else ""

    def unsaid(self, name: str) -> list[str]:
        """Return the forms that do without a slot which is kept back."""
        return forms_for(self.phrases.hidden, name, self.binding)

    def fragment(self, name: str) -> str:
        """Return a fragment with its own places filled."""
        return self.fill(_pick(self.phrases.fragments, self.keys(name), self.stream))


def write_instruction(parts: Sequence[Bound], style: str, stream: Stream, today: str = "") -> str:
    """Return the requests of a task's intents as one message of a user of this style, written on the day `today`."""
    styles = load_styles()
    message = ""
    for part in parts:
        request = _request(part, style, today, stream.child(part.index))
        if message:
            joint = stream.choice(styles.joints)
            message = (
                f"{message.removesuffix('.') + '.' if message[-1].isalnum() else message}{joint}{_inside(request)}"
            )
        else:
            message = request
    if style == "careless":
        message = message[0].lower() + message[1:].removesuffix(".")
    return stream.choice(styles.openings[style]) + message + stream.choice(styles.closings[style])


def _inside(request: str) -> str:
    """Return a request as it stands behind a joint: a small first letter, unless it is the word I."""
    return request if request[:2] in {"I ", "I'"} else request[0].lower() + request[1:]


def _request(part: Bound, style: str, today: str, stream: Stream) -> str:
    cell, variant = part.binding.cell, part.binding.variant
    voice = _Voice(part, style, today, stream)
    unsaid = [name for name in voice.kept_back if name not in voice.phrases.extras]
    if unsaid:
        return voice.fill(stream.choice(voice.unsaid(unsaid[0])))
    return voice.fill(_pick(voice.phrases.sentences, [cell.form, variant, "any"], stream))


def write_change(part: Bound, slot: str, style: str, stream: Stream, today: str = "") -> str:
    """Return what the user says who wants another value of a slot than at first: the one that the part holds."""
    voice = _Voice(part, style, today, stream)
    message = voice.fill(stream.choice(forms_for(voice.phrases.changes, slot, part.binding)))
    return message[0].lower() + message[1:].removesuffix(".") if style == "careless" else message
