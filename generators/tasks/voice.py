"""How one request is said: a sentence form filled with fragments and values, in the manner of one writer."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from generators.tasks.phrases import PLACE, forms_for
from language.manner import SPELLED, Manner, say
from language.terms import plural

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from generators.tasks.compose import Bound
    from generators.tasks.intent import Binding
    from generators.tasks.phrases import Style
    from schemas.task import Slot
    from services.runtime.streams import Stream


class WriterError(Exception):
    """The sentence forms do not cover a binding: a defect of a data file, naming the key that is missing."""


_SENTENCE_START = re.compile(r"(?:[.?!] +|\n)$")
_FIGURES_BEFORE, _FIGURES_BEHIND = ("(",), (" x ",)
"""Beside these a count stands in digits: 3 x."""
_MANY = "_s"
"""Ends a place that takes a slot's value for several of its things: three bars."""
_ATTRIBUTES = ("tag", "tag_2")
"""Slots that say how a thing is: only these are hyphened."""
_TELLING = ("category", "brand", "spend", "percent", "product_3")
"""Slots that decide between fragments by being there."""
_NUMBER = "quantity"
"""The slot that decides where none of these does, by being said: order it, order three."""
_COUNTED = re.compile(r"\{(quantity(?:_\d+)?)\}(?: of the)? \{(product(?:_\d+)?)_s\}")
"""A number of a product: of what is neither plural nor counted one by one, it is a number of units."""


def draw_manner(style: Style, slots: Sequence[Slot], stream: Stream) -> Manner:
    """Return the manner of a message that tells `slots`; counts are in words only where all of them can be."""
    small = all(slot.kind != "count" or (isinstance(slot.value, int) and slot.value <= SPELLED) for slot in slots)
    return Manner(
        words=stream.chance(style.words, 100) and small,
        money=stream.weighted(list(style.money.items())),
        day=stream.weighted(list(style.day.items())),
        relative=stream.chance(style.relative, 100),
        quoted=stream.chance(style.quoted, 100),
        hyphened=stream.chance(style.hyphened, 100),
        lower=stream.chance(style.lower, 100),
    )


def _pick(options: Mapping[str, list[str]], keys: list[str], stream: Stream) -> str:
    """Return one of the forms under the first key that there is."""
    for key in keys:
        if key in options:
            return stream.choice(options[key])
    msg = f"no sentence form under any of {', '.join(keys)}"
    raise WriterError(msg)


def _selector(binding: Binding) -> Callable[[str], list[str]]:
    """Return what gives the keys under which a fragment is looked for, the most special one first."""
    values = binding.values()
    given = "+".join(name for name in _TELLING if name in values)
    special = [f"{binding.variant}+{given}", binding.variant, given, str(values.get("objective", ""))]
    special += [slot.name for slot in binding.slots if slot.name == _NUMBER and slot.told == "upfront"]

    def keys(name: str) -> list[str]:
        own = [str(values[name])] if name in values else special
        return [*(f"{name}={key}" for key in own if key.strip("+")), name]

    return keys


class Voice:
    """How the slots of one request are said."""

    def __init__(self, part: Bound, manner: Manner, wording: Mapping[str, str], today: str, stream: Stream) -> None:
        """Speak of `part` on the day `today`; `wording` says how words of the forms are put."""
        self.phrases = part.intent.phrases
        self.binding = part.binding
        self.slots = {slot.name: slot for slot in part.binding.slots if slot.told == "upfront"}
        self.kept_back = [slot.name for slot in part.binding.slots if slot.told == "on_request"]
        self.names: set[str] = set()
        """The proper names that were said, as they were."""
        self._keys = _selector(part.binding)
        self._manner = manner
        self._wording = wording
        self._today = today
        self._stream = stream

    def request(self) -> str:
        """Return the request, without what is kept back."""
        for slot in self.binding.slots:
            if slot.told == "by_part":
                return self.message(forms_for(self.phrases.by_part, slot.name, self.binding))
        unsaid = [name for name in self.kept_back if name not in self.phrases.extras]
        if unsaid:
            return self.message(self._unsaid(unsaid[0]))
        cell, variant = self.binding.cell, self.binding.variant
        return self.message([_pick(self.phrases.sentences, [cell.form, variant, "any"], self._stream)])

    def message(self, forms: Sequence[str]) -> str:
        """Return one of the forms filled, with a capital first unless this writer uses none."""
        text = self._fill(self._stream.choice(forms))
        return text if self._manner.lower else capital(text)

    def _fill(self, text: str) -> str:
        """Replace every place by a fragment or a slot's value. Data of the task is written, never read as a form."""
        text = _COUNTED.sub(self._in_units, text)
        said = ""
        end = 0
        for place in PLACE.finditer(text):
            said += self._own(text[end : place.start()])
            end = place.end()
            figures = said.endswith(_FIGURES_BEFORE) or text.startswith(_FIGURES_BEHIND, end)
            piece = self._said(place.group(1), figures)
            said += capital(piece) if _SENTENCE_START.search(said) and not self._manner.lower else piece
        return said + self._own(text[end:])

    def _in_units(self, places: re.Match[str]) -> str:
        """Return the places of a number of a product as they go with its name: 8 units of Farm Milk."""
        number, thing = places.groups()
        name = str(self.slots[thing].value) if thing in self.slots else ""
        bare = not name.lower().endswith("s") and plural(name) == name and not self._is_single(thing)
        return f"{{{number}}} units of {{{thing}}}" if name and bare else places[0]

    def _own(self, text: str) -> str:
        """Return words of a form as this writer puts them."""
        for words, put in self._wording.items():
            if words in text:
                text = re.sub(rf"(?<!\w){re.escape(words)}(?!\w)", put, text)
        return text.lower() if self._manner.lower else text

    def _said(self, name: str, figures: bool) -> str:
        """Return what stands at a place."""
        if name == "extras":
            return "".join(self._extra(name) for name in self.phrases.extras)
        if name == "tags":
            return " and ".join(self._value(self.slots[tag]) for tag in _ATTRIBUTES if tag in self.slots)
        if name in self.slots:
            return self._value(self.slots[name], figures=figures)
        thing = name.removesuffix(_MANY)
        if thing != name and thing in self.slots:
            said = self._value(self.slots[thing])
            return said if self.slots[thing].kind == "name" and self._is_single(thing) else plural(said)
        return self._fragment(name)

    def _value(self, slot: Slot, *, figures: bool = False) -> str:
        manner = replace(
            self._manner,
            words=self._manner.words and not figures,
            hyphened=self._manner.hyphened and slot.name in _ATTRIBUTES,
        )
        said = say(slot.kind, slot.value, manner, self._today)
        if slot.kind == "name":
            self.names.add(said)
        return said

    def _is_single(self, thing: str) -> bool:
        """Return whether one of a thing is asked for: by the count of its number, where things have numbers."""
        number = re.search(r"(?:_\d+)?$", thing)
        ending = number[0] if number else ""
        counts = [s.value for s in self.slots.values() if s.kind == "count" and s.name.endswith(ending)]
        return counts == [1]

    def _extra(self, name: str) -> str:
        """Return what is added for a slot: how it is worked in, that it is still to be asked for, or nothing."""
        if name in self.slots:
            return self._fragment(name)
        return self._fill(self._stream.choice(self._unsaid(name))) if name in self.kept_back else ""

    def _unsaid(self, name: str) -> list[str]:
        """Return the forms that do without a slot which is kept back."""
        return forms_for(self.phrases.hidden, name, self.binding)

    def _fragment(self, name: str) -> str:
        """Return a fragment with its own places filled."""
        return self._fill(_pick(self.phrases.fragments, self._keys(name), self._stream))


def capital(text: str) -> str:
    """Return a text with a capital first."""
    return text[:1].upper() + text[1:]
