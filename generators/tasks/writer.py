"""The offline writer: a first-person request from hand-written sentence forms, by persona style."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.tasks.phrases import PLACE, load_styles
from language import write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generators.tasks.compose import Bound
    from generators.tasks.intent import Binding, Intent
    from generators.tasks.phrases import Phrases
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


def _selector(intent: Intent, binding: Binding) -> dict[str, list[str]]:
    """Return, for fragments that depend on the binding, the keys to try in order."""
    values = binding.values()
    kinds = "+".join(name for name in ("category", "brand") if name in values)
    variant = f"{binding.variant}+{kinds}" if kinds and binding.variant in {"total", "units"} else binding.variant
    keys = {"what": [f"what={variant}"], "goods": [f"goods={values.get('objective')}", "goods"]}
    for name, value in values.items():
        keys.setdefault(name, [f"{name}={value}", name])
    return keys


def _value(slot: Slot, stream: Stream) -> str:
    return write(slot.kind, slot.value, stream.below(6))


def _fill(text: str, phrases: Phrases, keys: dict[str, list[str]], slots: dict[str, Slot], stream: Stream) -> str:
    """Replace every place by a fragment or a slot's value. Data of the task is written, never read as a form."""
    pieces: list[str] = []
    end = 0
    for place in PLACE.finditer(text):
        pieces.append(text[end : place.start()])
        end = place.end()
        name = place.group(1)
        if name == "extras":
            given = [extra for extra in phrases.extras if extra in slots]
            forms = [_pick(phrases.fragments, keys[extra], stream) for extra in given]
            pieces += [_fill(form, phrases, keys, slots, stream) for form in forms]
        elif name == "tags":
            pieces.append(" and ".join(_value(slots[tag], stream) for tag in ("tag", "tag_2") if tag in slots))
        elif name in slots:
            pieces.append(_value(slots[name], stream))
        else:
            form = _pick(phrases.fragments, keys.get(name, [name]), stream)
            pieces.append(_fill(form, phrases, keys, slots, stream))
    return "".join(pieces) + text[end:]


def write_instruction(parts: Sequence[Bound], style: str, stream: Stream) -> str:
    """Return the requests of a task's intents as one message of a user of this style."""
    styles = load_styles()
    message = ""
    for part in parts:
        request = _request(part.intent, part.binding, stream.child(part.index))
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


def _request(intent: Intent, binding: Binding, stream: Stream) -> str:
    phrases = intent.phrases
    slots = {slot.name: slot for slot in binding.slots if slot.told == "upfront"}
    form = _pick(phrases.sentences, [binding.cell.form, binding.variant, "any"], stream)
    return _fill(form, phrases, _selector(intent, binding), slots, stream)
