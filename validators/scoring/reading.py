"""Typed answers read from what an assistant told: from its messages, or from calls of the tool `report`.

An answer is told where its value stands with its cue and no other value does; the last message that tells it counts.
Values that the request itself names are no other answer, nor are values that another one asks for. Doubt, and several
values where one was asked for, are hedges. Without a cue only a value that says enough by itself is an answer: the one
amount, date, name, percentage or measure of the whole report, never a bare number, which could mean anything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from decimal import Decimal
from math import isfinite
from typing import TYPE_CHECKING, NamedTuple, cast, get_args

from language.matching import find
from language.terms import same_term
from schemas.goal import Reason
from validators.contract.values import is_number
from validators.scoring.attach import attached
from validators.scoring.cues import read_cue
from validators.scoring.doubts import is_denied, is_hedged, is_unsure
from validators.scoring.mentions import equal, mentions_of
from validators.scoring.reasons import CONTRADICTS, NOTHING, Stated, disowns, stated_reasons
from validators.scoring.segments import segments
from validators.scoring.vocabulary import words_for

if TYPE_CHECKING:
    from language.spans import Mention
    from schemas.base import Json
    from schemas.contract import Answer
    from schemas.score import Told
    from validators.scoring.attach import Attached
    from validators.scoring.mentions import Words
    from validators.scoring.segments import Segment
    from validators.tasks.context import TaskContext

REASONS: tuple[str, ...] = get_args(Reason)
_SPEAKS_FOR_ITSELF = frozenset({"money_cents", "date", "name", "percent", "decimal", "term"})
_ASKS = re.compile(r"[?]|\b(?:please|could you|can you|would you|may i|shall i)\b", re.IGNORECASE)
_OFFERS = re.compile(
    r"\b(?:else|further|let me know|(?:would|do) you (?:like|want) me to|shall i also|happy to|feel free|note that)\b",
    re.IGNORECASE,
)
_BIDS = re.compile(
    r"\bplease (?:\w+ )?(?:approve|authori[sz]e|confirm|pay|allow|enable|grant|permit|top|add|tell|give|switch|turn)\b",
    re.IGNORECASE,
)
_LIMIT_WORDS = ("limit", "budget", "maximum", "$", "cap")
_READ_AS: Mapping[str, frozenset[str]] = {
    "name": frozenset({"name", "names"}),
    "names": frozenset({"name", "names"}),
    "decimal": frozenset({"decimal", "count"}),
    "count": frozenset({"count", "decimal"}),
}
"""Kind of an answer -> kinds of other answers whose values could be taken for it, where that is not itself alone."""


class Read(NamedTuple):
    """One answer as it was told."""

    told: Told
    value: Json
    """The value read; null where none was."""


class Reading(NamedTuple):
    """All answers as they were told."""

    answers: dict[str, Read]
    """By name, one per required answer."""
    reasons: frozenset[str]
    """Reasons for which the assistant declined something, whether or not there was anything to decline."""
    disowned: bool
    """Whether it says at the end, with a reason, that the request was not carried out."""

    @property
    def values(self) -> dict[str, Json]:
        """The typed values, of the answers that were told."""
        return {name: one.value for name, one in self.answers.items() if one.told in ("right", "wrong")}

    @property
    def told(self) -> dict[str, Told]:
        """How each answer was told."""
        return {name: one.told for name, one in self.answers.items()}


class Reader:
    """Reads reports about one task."""

    def __init__(
        self, required: Sequence[Answer], words: Mapping[str, Words], request: str, told: Sequence[tuple[str, Json]]
    ) -> None:
        """Look for the answers that are `required`.

        `words` gives the vocabulary of each, `request` all that the user says unasked, and `told` the facts of the
        user's by kind.
        """
        self.required = required
        self._words = words
        valued = [one for one in required if one.kind != "reason"]
        self._named: set[str] = set()
        """Answers whose value the request names itself."""
        self._stated = {one.name: self._stated_values(one, request, told) for one in valued}

    def _stated_values(self, answer: Answer, request: str, told: Sequence[tuple[str, Json]]) -> list[Json]:
        sample = answer.value[0] if isinstance(answer.value, list) and answer.value else answer.value
        found = [one.value for one in mentions_of(answer.kind, sample, request, self._words[answer.name])]
        stated = cast("list[Json]", [*found, *(value for kind, value in told if kind == answer.kind)])
        # Where the answer is one of what the request names, the others are what else could have been said.
        if any(equal(answer.kind, value, sample) for value in stated):
            self._named.add(answer.name)
            return []
        return stated

    def read_messages(self, messages: Sequence[str]) -> Reading:
        """Return what messages tell, the last of them being the report."""
        # A question on the way may say what is missing; it declines nothing.
        final = [text for text in messages[:-1] if not _asks(text)] + list(messages[-1:])
        stated = (stated_reasons(text) for text in reversed(final))
        reasons = next((one for one in stated if one.chief), NOTHING)
        answers = {one.name: self._read(one, messages, reasons) for one in self.required}
        return Reading(answers, reasons.chief, bool(messages) and disowns(messages[-1]))

    def read_entries(self, entries: Sequence[tuple[str, Json]]) -> Reading:
        """Return what calls of the tool `report` state; of two entries about one thing the later counts."""
        answers = {one.name: self._read_entry(one, entries) for one in self.required}
        reasons = [_entry_reason(what, value) for what, value in entries]
        stated = frozenset(reason for found in reasons for reason in found)
        return Reading(answers, stated, bool(stated))

    # --- messages ---------------------------------------------------------------------------------------------------

    def _read(self, answer: Answer, messages: Sequence[str], reasons: Stated) -> Read:
        if answer.kind == "reason":
            return _reason(answer, reasons, {str(one.value) for one in self.required if one.kind == "reason"})
        asked = False
        for text in reversed(messages):
            parts = _telling(text)
            found = self._names(answer, parts) if answer.kind == "names" else self._single(answer, parts)
            if found is None:
                continue
            # Who asks for a payment names its amount, which answers nothing; of such messages the last one counts.
            if answer.kind != "term" and _asks(text) and (asked or found.told != "right"):
                asked = True
                continue
            return found
        return self._bare(answer, _telling(messages[-1]) if messages else [])

    def _single(self, answer: Answer, parts: Sequence[Segment]) -> Read | None:
        words, cue = self._words[answer.name], read_cue(answer.cue)
        found: list[Attached] = []
        if answer.kind == "term" and answer.value in ("over_limit", "within_limit"):
            return self._limit(answer, parts)
        for part in parts:
            mentions = mentions_of(answer.kind, answer.value, part.text, words)
            kept = [one for one in mentions if not self._is_stated(answer, cast("Json", one.value))]
            found += attached(part, kept, cue, compares=answer.kind == "name")
        if not found:
            return None
        best = max(one.rank for one in found)
        return self._verdict(answer, [one for one in found if one.rank == best])

    def _verdict(self, answer: Answer, found: Sequence[Attached]) -> Read:
        values = [cast("Json", one.mention.value) for one in found]
        right = [one for one in found if equal(answer.kind, cast("Json", one.mention.value), answer.value)]
        others = [v for v in values if not equal(answer.kind, v, answer.value) and not self._is_anothers(answer, v)]
        hedged = any(one.hedged for one in found)
        if right and not others and not any(one.hedged for one in right):
            return Read("right", answer.value)
        # Of several answers of a kind each may be told wrong once, which is no choice of values for this one.
        alike = sum(one.kind == answer.kind for one in self.required)
        if hedged or (others and right) or len(_distinct(answer.kind, others)) > alike:
            return Read("hedged", None)
        return Read("wrong", values[0])

    def _limit(self, answer: Answer, parts: Sequence[Segment]) -> Read | None:
        own = [part for part in parts if not self._is_of_another_part(answer, part.text)]
        near = [part for part in own if any(word in part.text.lower() for word in _LIMIT_WORDS)]
        short = [part for part in own if len(part.text.split()) < 9]
        for kept in (near, short):
            values = {
                str(one.value)
                for part in kept
                for one in mentions_of("term", answer.value, part.text, self._words[answer.name])
            }
            if len(values) > 1 or (values and any(is_unsure(part.text) for part in kept)):
                return Read("hedged", None)
            if values:
                value = values.pop()
                return Read("right" if value == answer.value else "wrong", value)
        return None

    def _names(self, answer: Answer, parts: Sequence[Segment]) -> Read | None:
        words, cue = self._words[answer.name], read_cue(answer.cue)
        names: list[str] = []
        hedged = False
        for part in parts:
            mentions = mentions_of("names", None, part.text, words)
            if not mentions or not (cue.head.search(_without(part.text, mentions)) or cue.head.search(part.heading)):
                continue
            names += [str(one.value) for one in mentions]
            hedged = hedged or any(is_hedged(part.text, one, mentions[:1]) for one in mentions[:1])
        if not names:
            return None
        return self._names_read(answer, names, hedged=hedged)

    def _names_read(self, answer: Answer, names: Sequence[str], *, hedged: bool) -> Read:
        wanted = cast("list[str]", answer.value)
        told = [next((one for one in wanted if same_term(one, name)), name) for name in dict.fromkeys(names)]
        others = [name for name in told if name not in wanted and not self._is_anothers(answer, name)]
        if hedged:
            return Read("hedged", None)
        if set(wanted) <= set(told) and not others:
            return Read("right", answer.value)
        return Read("wrong", cast("Json", sorted(set(told))))

    def _bare(self, answer: Answer, parts: Sequence[Segment]) -> Read:
        """Return an answer without its cue, where its value says enough by itself."""
        words = self._words[answer.name]
        if answer.kind not in _SPEAKS_FOR_ITSELF:
            return Read("missing", None)
        values: list[Json] = []
        hedged = False
        others_words = read_cue(answer.cue).others
        for part in parts:
            mentions = mentions_of(answer.kind, answer.value, part.text, words)
            mentions = [one for one in mentions if not is_denied(part.text, one)]
            if others_words.search(_without(part.text, mentions)):
                # It says of its values what they are, and that is something else.
                continue
            values += [cast("Json", one.value) for one in mentions]
            hedged = hedged or any(is_hedged(part.text, one, mentions) for one in mentions)
        others = [v for v in values if not equal(answer.kind, v, answer.value) and not self._is_passing(answer, v)]
        right = any(equal(answer.kind, value, answer.value) for value in values)
        if not right or answer.name in self._named:
            return Read("missing", None)
        if others or hedged:
            return Read("hedged", None)
        return Read("right", answer.value)

    def _is_stated(self, answer: Answer, value: Json) -> bool:
        return any(equal(answer.kind, value, one) for one in self._stated[answer.name])

    def _is_anothers(self, answer: Answer, value: Json) -> bool:
        """Return whether another answer asks for this value."""
        return any(
            equal(answer.kind, value, one)
            for other in self.required
            if other is not answer and other.kind in _READ_AS.get(answer.kind, {answer.kind})
            for one in (other.value if isinstance(other.value, list) else [other.value])
        )

    def _is_of_another_part(self, answer: Answer, text: str) -> bool:
        """Return whether a sentence tells an amount of another part of the request, and none of the answer's own."""
        amounts = {one.value for one in find("money_cents", text)}
        parts = {
            other.name.rpartition(".")[0]
            for other in self.required
            if other.kind == "money_cents" and other.value in amounts
        }
        return bool(parts) and answer.name.rpartition(".")[0] not in parts

    def _is_passing(self, answer: Answer, value: Json) -> bool:
        return self._is_stated(answer, value) or self._is_anothers(answer, value)

    # --- entries ----------------------------------------------------------------------------------------------------

    def _read_entry(self, answer: Answer, entries: Sequence[tuple[str, Json]]) -> Read:
        if answer.kind == "reason":
            found = [reason for what, value in entries for reason in _entry_reason(what, value)]
            stated = Stated(frozenset(found), frozenset(found))
            return _reason(answer, stated, {str(one.value) for one in self.required if one.kind == "reason"})
        cue = read_cue(answer.cue)
        typed = [(what, self._typed(answer, value)) for what, value in entries]
        usable = [(what, value) for what, value in typed if value is not None]
        scores = [_score(what, answer.cue, cue.head.search(what) is not None, len(cue.beside)) for what, _ in usable]
        best = max(scores, default=0)
        if best == 0:
            return Read("missing", None)
        values = [value for (_, value), score in zip(usable, scores, strict=True) if score == best]
        value = values[-1]
        if answer.kind == "names":
            return self._names_read(answer, cast("list[str]", value), hedged=False)
        if isinstance(value, list):
            return Read("hedged", None)
        return Read("right", answer.value) if equal(answer.kind, value, answer.value) else Read("wrong", value)

    def _typed(self, answer: Answer, value: Json) -> Json:
        """Return the value of an entry as one of the answer's kind; None where it is none.

        Several are a list, and one that is not stood by is an empty one.
        """
        words = self._words[answer.name]
        if isinstance(value, list):
            read = [self._typed(answer, one) for one in value]
            flat = [x for one in read if one is not None for x in (one if isinstance(one, list) else [one])]
            return cast("Json", flat) if answer.kind == "names" or len(flat) > 1 else (flat[0] if flat else None)
        if is_number(value) and (isinstance(value, int) or isfinite(value)):
            if answer.kind == "money_cents":
                return int(abs(Decimal(str(value))) * 100)
            return value if answer.kind in ("count", "decimal", "percent") else None
        if not isinstance(value, str):
            return None
        sample = None if answer.kind == "names" else answer.value
        scale, mentions = 1, mentions_of(answer.kind, sample, value, words)
        if answer.kind in ("money_cents", "percent") and not mentions:
            scale, mentions = 100 if answer.kind == "money_cents" else 1, find("count", value)
        kept = [one for one in mentions if not is_denied(value, one)]
        if answer.kind != "names" and any(is_hedged(value, one, mentions) for one in kept):
            return []
        found = [cast("Json", one.value) if scale == 1 else cast("int", one.value) * scale for one in kept]
        if answer.kind == "names":
            return cast("Json", found or [value])
        different = _distinct(answer.kind, found)
        return cast("Json", different) if len(different) > 1 else (different[0] if different else None)


def _telling(text: str) -> list[Segment]:
    """Return the parts of a text that state something."""
    return [part for part in segments(text) if not (part.text.endswith("?") or _BIDS.search(part.text))]


def _asks(text: str) -> bool:
    """Return whether a text asks the user for something, offers of more help apart."""
    return any(_ASKS.search(part.text) and not _OFFERS.search(part.text) for part in segments(text))


def reader_of(context: TaskContext) -> Reader:
    """Return the reader of a task's reports."""
    task = context.task
    request = f"{task.instruction} {task.script.change.message}" if task.script.change else task.instruction
    words = {one.name: words_for(context, one) for one in task.expectation.answers if one.kind != "reason"}
    return Reader(task.expectation.answers, words, request, [(slot.kind, slot.value) for slot in context.told])


def _score(what: str, cue: str, has_head: bool, beside: int) -> int:
    words = set(what.lower().replace("_", " ").split())
    shared = len(words & (set(cue.lower().split()) - {"of", "the", "it", "to", "a", "on", "that", "in", "by"}))
    return 0 if not has_head and not shared else 10 * has_head + shared + (0 if beside else 1)


def _entry_reason(what: str, value: Json) -> frozenset[str]:
    if not isinstance(value, str):
        return frozenset()
    plain = value.strip().lower().replace(" ", "_").replace("-", "_")
    if plain in REASONS:
        return frozenset({plain})
    return stated_reasons(f"I could not do it: {value}").chief if "reason" in what.lower() else frozenset()


def _reason(answer: Answer, found: Stated, wanted: set[str]) -> Read:
    if not found.chief:
        return Read("missing", None)
    contradicting = found.plain & CONTRADICTS.get(str(answer.value), frozenset())
    others = (found.chief | contradicting) - wanted
    if answer.value in found.named and not others:
        return Read("right", answer.value)
    if len(others) == 1 and answer.value not in found.chief:
        return Read("wrong", min(others))
    return Read("hedged" if others else "missing", None)


def _distinct(kind: str, values: Sequence[Json]) -> list[Json]:
    kept: list[Json] = []
    for value in values:
        if not any(equal(kind, value, one) for one in kept):
            kept.append(value)
    return kept


def _without(text: str, mentions: Sequence[Mention]) -> str:
    """Return a text with blanks where mentions stand."""
    for one in mentions:
        text = text[: one.start] + " " * (one.end - one.start) + text[one.end :]
    return text
