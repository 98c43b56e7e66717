"""What a user understands of a message: which consents, facts, confirmations and payments it asks for."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Literal, NamedTuple

from generators.users.facts import Facts, facts_of
from generators.users.identity import Same
from generators.users.sentences import (
    asks,
    asks_what_now,
    declines,
    is_condition,
    is_done,
    is_extra,
    is_wh,
    refers_back,
    says_shut,
)
from language import find
from language.asking import Cues, is_about, sentences, without_quotes
from language.leave import asks_leave, seeks_leave
from schemas.goal import Const
from services.runtime.catalogue import installed_catalogue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from generators.users.facts import Fact
    from language.leave import Leave
    from schemas.task import Task
    from services.runtime.catalogue import Catalogue
    from services.runtime.declare import Gate
    from services.runtime.tools import Tool

LOOK_BACK = 3
"""Sentences before a question in which the user looks for what it is about."""
_APPROVAL = re.compile(r"authori[sz](?!e me\b|ation to\b)|approv", re.IGNORECASE)
_LIMIT = re.compile(r"\b(?:most|max(?:imum)?|limit|budget|tell me)\b", re.IGNORECASE)
_WANTING = re.compile(r"\b(?:need|know|missing|tell|unclear|unsure|sure|wonder|specif|question)\w*\b", re.IGNORECASE)
"""A statement without any of these leaves no fact open."""
_NUMBER_OF = re.compile(
    r"\b(?:quantit(?:y|ies)|amounts?|numbers?|counts?|how (?:much|many)|some|units?|pieces?|more)\b", re.IGNORECASE
)
_PRICED = re.compile(r"\b(?:price|cost|pay|spend|budget|stock|worth)\w*\b", re.IGNORECASE)
_BRIEF = 5
"""Words of a question that only names what it is about."""
_PRIVATE = tuple(
    "passport|phone|telephone|mobile|card|account|address|street|zip|postal|email|e-mail|password|pin|birthday|birth|age"
    "|weight|height|wallet|balance|people|persons|guests|children|family|calories|watch|device|doctor|insurance|licence"
    "|license|social security|transaction|order number|number of your order|number of the order|tracking number"
    "|house number|room number|member number|hours|minutes".split("|")
)
"""What an assistant may ask a person for that no fact of a request is, unless its own cues say so."""
_ID = re.compile(r"\b[a-z]+_[0-9a-z]{6,}\b")


@dataclass(frozen=True)
class Asked:
    """One question or request of a message, and what it is about."""

    sentence: str
    context: tuple[str, ...] = ()
    """The sentences before it, the nearest first."""
    gates: tuple[str, ...] = ()
    conditional: bool = False
    """Whether it only says what would be possible if the user opened these gates."""
    confirmations: tuple[str, ...] = ()
    """Tools that it asks the user to say yes to."""
    payments: tuple[str, ...] = ()
    """Tools that it asks the user to pay with."""
    slots: tuple[str, ...] = ()

    @property
    def about_nothing(self) -> bool:
        """Whether it names nothing that the user knows."""
        return not (self.gates or self.confirmations or self.payments or self.slots)


@dataclass(frozen=True)
class _Topics:
    gates: tuple[str, ...] = ()
    confirmations: tuple[str, ...] = ()
    payments: tuple[str, ...] = ()
    slots: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.gates or self.confirmations or self.payments or self.slots)


Kind = Literal["gate", "confirmation", "payment"]


class _Name(NamedTuple):
    kind: Kind
    name: str


@dataclass(frozen=True)
class Ears:
    """What a user can be asked beside facts, by the words by which they know."""

    cues: Cues[_Name]
    remedies: dict[str, str]
    """Gate -> the tool that opens it."""
    leaves: tuple[tuple[str, Leave], ...]
    """Gates with what leave may be asked for."""
    closed: Cues[_Name]
    """Gates by what is said of them when they are closed."""


def ears_of(catalogue: Catalogue) -> Ears:
    """Return what users of a catalogue can be asked; it is kept."""
    return _ears(Same(catalogue))


@lru_cache(maxsize=8)
def _ears(catalogue: Same[Catalogue]) -> Ears:
    gates = [compiled.gate for _, compiled in sorted(catalogue.thing.gates.items())]
    tools = [tool for _, tool in sorted(catalogue.thing.tools.items())]
    heard = [
        *((_Name("gate", gate.name), _gate_cues(gate)) for gate in gates if gate.remedy is not None),
        *((_Name("confirmation", tool.name), _tool_cues(tool)) for tool in tools if tool.confirm),
        *((_Name("payment", tool.name), _tool_cues(tool)) for tool in tools if tool.side == "user" and tool.approval),
    ]
    opened = {gate.name: gate.remedy.tool for gate in gates if gate.remedy is not None}
    asking = [(gate.name, gate.asking) for gate in gates if gate.name in opened and gate.asking is not None]
    leaves = tuple((name, one.leave) for name, one in asking if one.leave is not None)
    return Ears(Cues(heard), opened, leaves, Cues((_Name("gate", name), one.closed) for name, one in asking))


def _gate_cues(gate: Gate) -> tuple[str, ...]:
    """Return the cues of a gate: those declared, the tool that opens it and the permission that it needs, by name."""
    declared = () if gate.asking is None else gate.asking.cues
    permission = gate.details.get("permission")
    named = (str(permission.value),) if isinstance(permission, Const) else ()
    # Paying opens some gates; what is paid for says which.
    own = () if gate.remedy is None or gate.remedy.prepare is not None else (gate.remedy.tool,)
    return (*declared, *own, *named)


def _tool_cues(tool: Tool) -> tuple[str, ...]:
    return (*(() if tool.asking is None else tool.asking.cues), tool.name)


def read(text: str, facts: Facts, ears: Ears) -> list[Asked]:
    """Return what a message asks for, in its order."""
    found: list[Asked] = []
    before: list[str] = []
    for sentence in sentences(text):
        context = tuple(reversed(before[-LOOK_BACK:]))
        if asks(sentence):
            topics = _topics(sentence, facts, ears)
            if not topics and refers_back(sentence):
                topics = next((said for past in context if (said := _mentioned(past, sentence, facts, ears))), topics)
            found.append(_asked(sentence, context, topics))
        elif is_condition(sentence) and (gates := _conditional(sentence, context, ears)):
            found.append(Asked(sentence, context, gates, conditional=True))
        before.append(sentence)
    return [*found, *_shut(before, found, ears)]


def _shut(said: Sequence[str], found: Sequence[Asked], ears: Ears) -> list[Asked]:
    """Return the gates that a message only says to be closed, where it asks what to do about it, or nothing.

    Who says so and asks nothing waits for the user, unless they tell that they did not do it: then they have given up.
    """
    asking = [one.sentence for one in found]
    waits = all(one.about_nothing and asks_what_now(one.sentence) for one in found)
    if not waits:
        return []
    closed = [
        Asked(sentence, tuple(reversed(said[max(0, at - LOOK_BACK) : at])), gates, conditional=not asking)
        for at, sentence in enumerate(said)
        # which gates it is about is found sooner than how that is said
        if sentence not in asking and (gates := _heard_shut(without_quotes(sentence), ears)) and says_shut(sentence)
    ]
    gave_up = bool(closed) and not asking and any(declines(sentence) for sentence in said)
    return [] if gave_up else closed


def _heard_shut(bare: str, ears: Ears) -> tuple[str, ...]:
    """Return the gates that a statement is about."""
    named = {name for (_, name), _ in ears.closed.found(bare)}
    return tuple(sorted(named.union(_heard(bare, ears).gates)))


def _conditional(sentence: str, context: Sequence[str], ears: Ears) -> tuple[str, ...]:
    """Return the gates of which a condition speaks, or the sentence before it if that says that they are closed."""
    gates = _heard(without_quotes(sentence), ears).gates
    if gates or not context or is_done(context[0]):
        return gates
    return _heard(without_quotes(context[0]), ears).gates


def _asked(sentence: str, context: tuple[str, ...], about: _Topics) -> Asked:
    return Asked(sentence, context, about.gates, False, about.confirmations, about.payments, about.slots)


def _mentioned(statement: str, question: str, facts: Facts, ears: Ears) -> _Topics:
    """Return what a statement before a question makes it about; nothing where it is so already."""
    if statement.endswith("?") or is_done(statement):
        return _Topics()
    bare = f"{without_quotes(statement)} {without_quotes(question)}"
    together = _heard(bare, ears)
    if together.gates or together.confirmations:
        return _Topics(together.gates, together.confirmations)
    if together.payments and _is_payment(bare, other=False):
        return _Topics(payments=together.payments)
    about = _topics(statement, facts, ears)
    return about if _WANTING.search(statement) else _Topics(about.gates, about.confirmations, about.payments)


def _topics(sentence: str, facts: Facts, ears: Ears) -> _Topics:
    bare = without_quotes(sentence)
    heard, slots = _heard(bare, ears), _slots(sentence, bare, facts)
    payments = heard.payments
    if payments and not _is_payment(bare, other=bool(heard.gates or slots or heard.confirmations)):
        payments = ()
    # A membership that is to be paid for is asked about by its payment.
    gates = tuple(name for name in heard.gates if ears.remedies[name] not in payments)
    return _Topics(gates, heard.confirmations, payments, slots)


def _heard(bare: str, ears: Ears) -> _Topics:
    """Return what a sentence is about; of confirmations, those of which the cue lies in no longer one."""
    found = list(ears.cues.found(bare))
    cues = [set(cue) for (kind, _), cue in found if kind == "confirmation"]
    names: dict[Kind, set[str]] = {"gate": set(), "confirmation": set(), "payment": set()}
    for (kind, name), cue in found:
        if kind != "confirmation" or not any(set(cue) < other for other in cues):
            names[kind].add(name)
    if asks_leave(bare):
        names["gate"].update(name for name, leave in ears.leaves if seeks_leave(bare, leave))
    return _Topics(*(tuple(sorted(names[kind])) for kind in ("gate", "confirmation", "payment")))


def _is_payment(bare: str, *, other: bool) -> bool:
    """Return whether words of payment ask for one, where the sentence may be about something `other` as well."""
    if _APPROVAL.search(bare) or _ID.search(bare):
        return not (other and is_wh(bare))
    return not other and not is_wh(bare) and _LIMIT.search(bare) is None


def _slots(sentence: str, bare: str, facts: Facts) -> tuple[str, ...]:
    """Return the facts that a sentence asks for: of several of a kind those it names, else what is kept back."""
    hit = [fact for fact in facts.all if fact.tellable and is_about(bare, fact.cues)]
    if is_about(bare, _PRIVATE):
        strange = [thing for thing in _PRIVATE if is_about(bare, (thing,))]
        hit = [f for f in hit if f.slot.kind == "term" or any(is_about(cue, strange) for cue in f.cues)]
    else:
        hit = hit or _named(sentence, bare, facts)
    found: list[Fact] = []
    for base in dict.fromkeys(fact.base for fact in hit):
        found += _meant([fact for fact in hit if fact.base == base], sentence, facts)
    hidden = [fact for fact in found if fact.kept_back]
    return tuple(fact.name for fact in hidden or found)


def _named(sentence: str, bare: str, facts: Facts) -> list[Fact]:
    """Return the numbers kept back of what a sentence names, if it asks how many of it or asks nothing else."""
    counts = [fact for fact in facts.all if fact.kept_back and fact.slot.kind == "count"]
    brief = len(bare.split()) <= _BRIEF and bare.rstrip().endswith("?") and not find("count", bare, facts.words)
    if not counts or _PRICED.search(bare) or not (brief or (_NUMBER_OF.search(bare) and not is_extra(bare))):
        return []
    return [
        fact
        for fact in counts
        if facts.named(sentence, fact)
        or (brief and is_about(bare, [name.split()[-1] for name in facts.companions(fact)]))
    ]


def _meant(alike: Sequence[Fact], sentence: str, facts: Facts) -> list[Fact]:
    if len(alike) == 1:
        return list(alike)
    named = [fact for fact in alike if facts.named(sentence, fact)]
    return named or [fact for fact in alike if fact.kept_back] or list(alike)


# --- one thing at a time ------------------------------------------------------------------------------------------

NO_FACTS = Facts(())


def asked_gates(text: str, catalogue: Catalogue) -> list[str]:
    """Return the gates whose consent a message asks for, by name."""
    asked = read(text, NO_FACTS, ears_of(catalogue))
    return sorted({name for one in asked if not one.conditional for name in one.gates})


def asked_slots(text: str, task: Task, catalogue: Catalogue | None = None) -> list[str]:
    """Return the slots of a task that a message asks for, in the order in which they come up."""
    asked = read(text, facts_of(task), ears_of(catalogue or installed_catalogue()))
    return list(dict.fromkeys(name for one in asked for name in one.slots))


def asked_confirmations(text: str, catalogue: Catalogue | None = None) -> list[str]:
    """Return the tools that a message asks the user to say yes to, by name."""
    asked = read(text, NO_FACTS, ears_of(catalogue or installed_catalogue()))
    return sorted({name for one in asked for name in one.confirmations})


def asked_to_pay(text: str, catalogue: Catalogue | None = None) -> bool:
    """Return whether a message asks the user to pay something."""
    return any(one.payments for one in read(text, NO_FACTS, ears_of(catalogue or installed_catalogue())))
