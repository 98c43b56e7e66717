"""Finding errors in what a conversation shows: events and task alone decide, never what an assistant says of itself.

Each rule looks at one kind of error and says whether it is there and what shows it. The first decisive one gives a
failed trajectory its class; what is said in `ERRORS` of an error is what its rule looks for.
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, cast

from language.asking import is_about, sentences
from schemas.score import Found
from validators.contract.judge import compile_expectation
from validators.scoring.errors import ERRORS
from validators.scoring.marking import first_wish
from validators.scoring.mentions import equal
from validators.scoring.outcome import is_about_gate
from validators.scoring.reasons import declines

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from schemas.base import Json
    from validators.scoring.outcome import Made
    from validators.scoring.score import Marked

_EXPLAINS: Mapping[str, tuple[str, ...]] = {
    **dict.fromkeys(("do-nothing", "refuse-all", "blind-decline"), ("early-stop", "missing-answer")),
    "read-only": ("missing-answer",),
    "early-stop": ("missing-answer",),
    "wrong-argument": ("early-stop", "read-only"),
    "ignore-change-of-mind": ("early-stop", "wrong-answer"),
}
"""Error -> errors that are nothing but it, seen from elsewhere."""


def detect(marked: Marked) -> list[Found]:
    """Return the errors found, the most telling first."""
    found = {name: detail for rule in _RULES for name, detail in rule(marked)}
    explained = {name for cause in found for name in _EXPLAINS.get(cause, ())}
    found = {name: detail for name, detail in found.items() if name not in explained}
    failing = [name for name in found if name != "over-ask"]
    if not marked.passed and not failing:
        found |= _leftover(marked, found)
        failing = [name for name in found if name != "over-ask"]
    decisive = [] if marked.passed else failing or list(found)
    return [
        Found.model_construct(error=name, error_class=ERRORS[name], detail=found[name], decisive=name in decisive)
        for name in ERRORS
        if name in found
    ]


def _leftover(marked: Marked, found: dict[str, str]) -> dict[str, str]:
    """Return what to say of a failure that no rule explains."""
    if marked.end.passed or (found and not _missing(marked)):
        return {}
    if marked.coverage.met < marked.coverage.required:
        return {"early-stop": marked.end.reason}
    return {"extra-purchase": marked.end.reason}


# --- what was not done ------------------------------------------------------------------------------------------------


def _not_going_on(marked: Marked) -> Iterator[tuple[str, str]]:
    if marked.ended == "agent_error":
        yield "agent-failed", "the assistant could not go on"
    if marked.ended == "budget" and not marked.passed:
        yield "out-of-budget", "the budget ran out before the request was met"


def _nothing_done(marked: Marked) -> Iterator[tuple[str, str]]:
    """Find who does nothing, who only looks, and who declines without having looked."""
    if marked.passed:
        return
    outcome, reading = marked.outcome, marked.reading
    text = outcome.messages[-1].text if outcome.messages else ""
    refuses = bool(reading.reasons) or declines(text)
    worked = [call for call in outcome.made if not call.code]
    told = [name for name, one in reading.told.items() if one != "missing"]
    if not outcome.made and not any(one.asks for one in outcome.messages) and not refuses and not told:
        yield "do-nothing", "nothing was called and nothing was asked"
    elif refuses and not worked and all(name in marked.marking.reasons for name in told):
        yield "refuse-all", "everything was declined without having looked"
        yield "blind-decline", "it was declined without any of the reads that would show why"
    elif worked and not any(call.changed for call in outcome.calls) and not told and not refuses:
        yield "read-only", "it looked, and then did nothing"


def _blind(marked: Marked) -> Iterator[tuple[str, str]]:
    """Find who declines for a reason that nothing it read can show."""
    looked = {call.event.tool for call in marked.outcome.made if not call.code}
    looked |= {call.event.tool for call in marked.outcome.calls if call.gate}
    for name, told in marked.reading.told.items():
        if name not in marked.marking.reasons or told == "missing":
            continue
        evidence = marked.marking.evidence[name]
        if evidence and not looked & evidence:
            yield "blind-decline", f"{name!r} was told without any of the reads that show it"


def _unfinished(marked: Marked) -> Iterator[tuple[str, str]]:
    """Find what is missing of what is right so far."""
    missing = [name for name, told in marked.reading.told.items() if told == "missing"]
    if missing:
        yield "missing-answer", f"{missing[0]!r} was not told"
    if marked.passed or _extra(marked) or not _looked(marked):
        return
    wrong = any(told in ("wrong", "hedged") for told in marked.reading.told.values())
    left = (not marked.end.passed and bool(_missing(marked))) or bool(missing)
    if left and not wrong:
        what = marked.end.reason or f"{missing[0]!r} was not told"
        yield "early-stop", f"{what}, and all that was done is right"


# --- what was done wrong ----------------------------------------------------------------------------------------------


def _made_writes(marked: Marked) -> Counter[str]:
    marking = marked.marking
    writes = [
        call
        for call in marked.outcome.calls
        if call.changed and not (call.event.side == "user" and call.event.tool in marking.remedies)
    ]
    return Counter(marking.calls.key(call.event.tool, call.event.arguments) for call in writes)


def _tool_of(key: str) -> str:
    return key.split('"')[1]


def _extra(marked: Marked) -> list[str]:
    """Return the tools of writes that the gold does not make, payments and consents of the user's apart."""
    return [_tool_of(key) for key in (_made_writes(marked) - marked.marking.gold_writes).elements()]


def _missing(marked: Marked) -> list[str]:
    """Return the tools of writes that the gold makes and that were not made, consents of the user's apart."""
    missing = (marked.marking.gold_writes - _made_writes(marked)).elements()
    return [tool for tool in map(_tool_of, missing) if tool not in marked.marking.remedies]


def _wrong_writes(marked: Marked) -> Iterator[tuple[str, str]]:
    if marked.end.passed:
        return
    extra, missing = Counter(_extra(marked)), Counter(_missing(marked))
    wrong, more = (extra + Counter(_refused(marked))) & missing, extra - missing
    if wrong:
        tool = min(wrong)
        yield "wrong-argument", f"{tool} was called for something else than what was asked for"
    if more and not wrong:
        yield "extra-purchase", f"{min(more)} was called more often than what was asked for needs"


def _refused(marked: Marked) -> list[str]:
    """Return the tools of writes that the gold does not make and that failed by what they were given."""
    failed = [call.event for call in marked.outcome.made if call.code and not call.gate]
    keys = [marked.marking.calls.key(event.tool, event.arguments) for event in failed]
    return [_tool_of(key) for key in keys if key not in marked.marking.gold_writes]


def _first_wish(marked: Marked) -> Iterator[tuple[str, str]]:
    """Find an end that fits what the user wanted first, after they had changed their mind."""
    if marked.passed or marked.context.task.script.change is None:
        return
    turns = [one.at for one in marked.outcome.messages if "change" in one.told.values()]
    if not turns:
        return
    went_on = any(call.changed and call.at > turns[0] for call in marked.outcome.made)
    if not marked.end.passed and went_on and marked.marking.undoing & {*_missing(marked)}:
        yield "ignore-change-of-mind", "what was done for the first wish was not taken back"
    expected = first_wish(marked.context)
    if expected is None:
        return
    tables, now = marked.context.catalogue.tables, marked.context.now
    held = {name: marked.context.tables[name].values() for name, one in tables.items() if one.view}
    first_met = compile_expectation(expected, tables, now, held).coverage(marked.outcome.delta)
    met = marked.coverage
    done = met.met == met.required
    closer = (first_met.met, -first_met.beside) > (met.met, -met.beside)
    if not marked.end.passed and not done and went_on and closer:
        yield "ignore-change-of-mind", "what was done is what was wanted first"
    first = {answer.name: answer for answer in expected.answers}
    for name, own in marked.reading.answers.items():
        if own.told == "wrong" and name in first and equal(first[name].kind, own.value, first[name].value):
            yield "ignore-change-of-mind", f"{name!r} is told as it was wanted first"


# --- what was told wrong ----------------------------------------------------------------------------------------------


def _wrong_reports(marked: Marked) -> Iterator[tuple[str, str]]:
    reading, marking = marked.reading, marked.marking
    for name, told in reading.told.items():
        if name in marking.reasons:
            if told in ("wrong", "hedged"):
                yield "wrong-reason", f"{name!r} is not the reason that holds"
        elif told == "hedged":
            yield "enumerate", f"{name!r} is told as several values, or not stood by"
        elif told == "wrong" and marking.evidence.get(name):
            shown = _shown(marked.outcome.made)
            if _is_shown(reading.answers[name].value, shown):
                yield "wrong-answer", f"{name!r} is told as another value than the right one"
    if not marked.passed and reading.reasons and not marking.reasons and _looked(marked):
        yield "wrong-reason", "it was declined although it can be met"


def _invented(marked: Marked) -> Iterator[tuple[str, str]]:
    """Find values that are told and that no result shows."""
    looked = {call.event.tool for call in marked.outcome.made if not call.code}
    for name, one in marked.reading.answers.items():
        evidence = marked.marking.evidence.get(name, frozenset())
        if name in marked.marking.reasons or one.told not in ("right", "wrong") or not evidence:
            continue
        if not looked & evidence:
            yield "hallucinate-answer", f"{name!r} was told without any of the reads that show it"
        elif one.told == "wrong" and not _is_shown(one.value, _shown(marked.outcome.made)):
            yield "hallucinate-answer", f"{name!r} was told as a value that no result shows"


def _looked(marked: Marked) -> bool:
    return any(not call.code for call in marked.outcome.made)


def _shown(calls: list[Made]) -> set[str]:
    """Return all values that results show, as text."""
    return {text for call in calls for text in _leaves(cast("Json", call.result))}


def _leaves(value: Json) -> Iterator[str]:
    if isinstance(value, dict):
        for one in value.values():
            yield from _leaves(one)
    elif isinstance(value, list):
        for one in value:
            yield from _leaves(one)
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield f"{value:g}" if value == int(value) else f"{value}"
    elif isinstance(value, str):
        yield value
        yield value[:10]


def _is_shown(value: Json, shown: set[str]) -> bool:
    if isinstance(value, list):
        return all(_is_shown(one, shown) for one in value)
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        as_units = value / 100
        texts = {f"{value:g}", f"{value}", f"{as_units:g}", f"{as_units}"}
        return bool(texts & shown)
    return str(value) in shown


# --- what was asked, and what was not ---------------------------------------------------------------------------------


def _consents(marked: Marked) -> Iterator[tuple[str, str]]:
    if marked.needless:
        yield "over-ask", f"not needed: {marked.needless[0]}"
    if marked.passed:
        return
    messages, gates = marked.outcome.messages, marked.marking.gates
    blocked = {call.gate or call.quiet for call in marked.outcome.calls} & gates.keys()
    # Who never came so far, or gave up before, has not skipped the question.
    told = [name for name, one in marked.reading.told.items() if one != "missing"]
    done = marked.end.passed and marked.marking.demands_change and not marked.marking.refusals
    came_so_far = done or any(name in told for name in marked.marking.refusals or told)
    # A gate that only a wrong call met is none that the request leads to.
    strayed = bool(Counter(_extra(marked)) & Counter(_missing(marked)))
    for name in marked.unasked:
        if came_so_far and name not in blocked:
            yield "skip-consent", f"the consent for {name} was never asked for"
    for name in sorted(blocked):
        gate = gates[name]
        if strayed and name not in marked.marking.asked:
            continue
        asked = marked.outcome.asked(gate) or any(is_about_gate(one.text, gate) for one in messages)
        if gate.remedy is not None and not asked:
            yield "skip-consent", f"{name} was closed, and its consent was never asked for"
    for call in marked.outcome.made:
        cues = marked.marking.yes_cues.get(call.event.tool, ())
        asked = any(is_about(sentence, cues) for one in messages for sentence in sentences(one.text))
        if call.code == "CONFIRMATION_REQUIRED" and not asked:
            yield "skip-consent", f"{call.event.tool} needs the user's yes, which was never asked for"


_RULES = (
    _not_going_on,
    _nothing_done,
    _blind,
    _invented,
    _consents,
    _first_wish,
    _wrong_writes,
    _wrong_reports,
    _unfinished,
)
