"""Reads a description of a person, and takes from it only what it says plainly.

A fact is taken when a sentence speaks of the person (I, the name, the pronoun that fits, or the noun phrase that the
description opens with), its verb is one of a closed list, right after the subject, and what follows is word for word an
entry of a profile's vocabularies. So what is denied, wished, past, or said of somebody else is no fact: none of it has
that form. What follows the mention of another person in a sentence is not read. What is said in two different ways is
not taken.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import cast

from generators.profiles.personas import NONE, Persona, fitting
from generators.profiles.personas_words import NAME, NUMBER, Kind, diets_avoided, is_name, listed, number, words
from schemas.profile import Gender
from schemas.profile_facts import Diet, Food, Risk, Sport

_QUOTED = re.compile(r"[\"\u201c][^\"\u201d]*[\"\u201d]")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")
_CLAUSE = re.compile(r",? (?:but|although|though|while|whereas|because|since|if|unless|until|when) |, so ")
_ADVERBS = r"(?:(?:also|really|still|often|usually|regularly|currently|always|especially|particularly|just) ){0,2}"
_END = (
    r"(?=$|[,.!?;:)(]| (?:and|who|with|from|in|at|living|working|based|of|currently|by|on|for|to|looking|that|whose)\b)"
)
_AGED = rf"(?:(?P<years>{NUMBER})[ -]years?[ -]old|aged (?P<aged>{NUMBER}))"
_DECADES = ("twenties", "thirties", "forties", "fifties", "sixties", "seventies", "eighties")
_DECADE = re.compile(rf"\bin (?:my|her|his|their) (?:(early|mid|late)[ -])?({'|'.join(_DECADES)}|[2-8]0s)\b")
_OWNED = r"(age|diet|(?:known )?health risks|favou?rite (?:foods?|dish(?:es)?|sports?))"
_OWNERS = {"She": "Her", "He": "His"}
_PARTS = {"": (0, 9), "early": (0, 3), "mid": (4, 6), "late": (7, 9)}
_PRONOUNS: dict[str, Gender] = {"She": "female", "He": "male"}
_FORMS_OF = {"She": {"she", "her", "hers", "herself"}, "He": {"he", "him", "his", "himself"}}
_VERBS = (
    "am is are enjoys? loves? likes? adores? plays? practi[cs]es? do does go goes have has suffers? manages? lives? "
    "follows? keeps? eats? sticks? avoids? was were been"
).split()
_NEXT_VERB = re.compile(rf"(?:, and |, | and ){_ADVERBS}(?=(?:{'|'.join(_VERBS)}) )")
_NEXT_SUBJECT = re.compile(r",? and (?=(?:I|she|he)\b)|, (?=(?:I|she|he)\b)")
_MOST = 4
"""Adults, or children, that the household of a profile can have."""
_CONDITION = re.compile(r"(?:If|When|Unless|Before|Until|Whenever|Once|In case|Suppose)\b", re.IGNORECASE)


@dataclass(slots=True)
class _Said:
    """What was said, each thing in the order of the text."""

    pronouns: tuple[str, ...] = ()
    """Pronouns that stand for the person."""
    ages: list[tuple[int, int]] = field(default_factory=list[tuple[int, int]])
    genders: list[str] = field(default_factory=list[str])
    names: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    adults: list[int] = field(default_factory=list[int])
    children: list[int] = field(default_factory=list[int])
    risks: list[str] = field(default_factory=list[str])
    diets: list[str] = field(default_factory=list[str])
    sports: list[str] = field(default_factory=list[str])
    foods: list[str] = field(default_factory=list[str])


def facts_from_description(text: str) -> Persona:
    """Return what a description says plainly of a person, as far as it fits together."""
    plain = _QUOTED.sub(" ", text.replace("\u2019", "'").replace("\u2010", "-").replace("\u2011", "-"))
    sentences = [" ".join(part.split()).rstrip(".!?; ") for part in _SENTENCE.split(plain)]
    first_person = re.search(r"\b(?:I|[Mm]y)\b", plain) is not None
    said = _Said(pronouns=() if first_person else _meant(plain))
    for place, sentence in enumerate(part for part in sentences if part):
        _read(sentence, said, first_person, opens=place == 0)
    if said.pronouns and not said.genders and not _has_others(plain):
        said.genders.append(_PRONOUNS[said.pronouns[0]])
    return fitting(_persona(said))


def _meant(text: str) -> tuple[str, ...]:
    """Return the pronoun that can only mean the person, if the text has no other one."""
    used = {word.lower() for word in re.findall(r"[A-Za-z]+", text)}
    found = [pronoun for pronoun, forms in _FORMS_OF.items() if used & forms]
    return tuple(found) if len(found) == 1 else ()


def _persona(said: _Said) -> Persona:
    """Return the facts; those that are said in two ways are left out and told."""
    told: list[str] = []

    def only(what: str, found: Sequence[object]) -> object:
        different = list(dict.fromkeys(found))
        if len(different) > 1:
            told.append(f"{what}: said as {' and as '.join(map(_shown, different))}")
        return different[0] if len(different) == 1 else None

    names = [
        name
        for name in said.names
        if not any(name != other and name[0] == other[0] and other[1] for other in said.names)
    ]
    given, family = cast("tuple[str, str]", only("name", names) or ("", ""))
    exact = [ages for ages in said.ages if ages[0] == ages[1]]
    ages = cast("tuple[int, int] | None", only("age", exact or said.ages))
    none_of = {kind: found == [NONE] for kind, found in (("risks", said.risks), ("diets", said.diets))}
    for kind, found in (("health_risks", said.risks), ("dietary_restrictions", said.diets)):
        if NONE in found and found != [NONE]:
            told.append(f"{kind}: said to be none, and not")
    return Persona(
        given=given,
        family=family,
        ages=ages,
        gender=cast("Gender | None", only("gender", said.genders)),
        adults=cast("int | None", only("household.adults", said.adults)),
        children=cast("int | None", only("household.children", said.children)),
        risks=cast("tuple[Risk, ...]", _some(said.risks)),
        no_risks=none_of["risks"],
        diets=cast("tuple[Diet, ...]", _some(said.diets)),
        no_diets=none_of["diets"],
        sports=cast("tuple[Sport, ...]", _some(said.sports)),
        foods=cast("tuple[Food, ...]", _some(said.foods)),
        left_out=tuple(told),
    )


def _shown(value: object) -> str:
    """Return a value as text, a pair of equal ones as one."""
    parts = cast("tuple[object, ...]", value) if isinstance(value, tuple) else (value,)
    return " to ".join(dict.fromkeys(str(part) for part in parts if part))


def _some(found: list[str]) -> tuple[str, ...]:
    return () if NONE in found else tuple(dict.fromkeys(found))


def _read(sentence: str, said: _Said, first_person: bool, *, opens: bool) -> None:
    """Take what one sentence says."""
    rest = sentence
    if first_person:
        rest = _own_name(sentence, said)
    elif opens:
        rest = _opening(sentence, said)
    parts = [rest] if _CONDITION.match(rest) else _NEXT_SUBJECT.split(rest)
    for statement in (statement for part in parts for statement in _statements(part, said, first_person)):
        _household(statement, said)
        for predicate in _NEXT_VERB.split(_before_others(_CLAUSE.split(statement)[0])):
            for form, take in _FORMS:
                found = re.match(f"{_ADVERBS}{form}", predicate)
                if found:
                    take(found, said)


def _own_name(sentence: str, said: _Said) -> str:
    """Take the name that a person gives, and return the sentence without it."""
    found = re.match(
        rf"(?:My|You can call me {NAME}; my) (?:full )?name is (?P<given>{NAME})(?: (?P<family>{NAME}))?{_END}",
        sentence,
    )
    found = found or re.match(
        rf"(?:I am|I'm|This is) (?P<given>{NAME}) (?P<family>{NAME})(?: speaking)?{_END}", sentence
    )
    if not found or not is_name(found["given"]) or not is_name(found["family"] or found["given"]):
        return sentence
    said.names.append((found["given"], found["family"] or ""))
    return "I am" + re.sub(r"^(?:,| and) (?:I am )?", " ", sentence[found.end() :])


def _opening(sentence: str, said: _Said) -> str:
    """Take the name that a description opens with, and return the sentence about a pronoun that stands for it."""
    found = re.match(
        rf"(?:Meet |This is )?(?P<given>{NAME})(?: (?P<family>{NAME}))?"
        rf"(?: is |, who is |, )(?=(?:an? )?(?:[a-z]+ )?(?:{_AGED}|{NUMBER}(?=$|,)|(?:{'|'.join(words().people)})\b))",
        sentence,
    )
    if found and is_name(found["given"]) and is_name(found["family"] or found["given"]):
        said.names.append((found["given"], found["family"] or ""))
        return f"One is {sentence[found.end() :]}"
    article = re.match(r"(?:This is )?(?=[Aa]n? )", sentence)
    return f"One is a{sentence[article.end() + 1 :]}" if article else sentence


def _statements(sentence: str, said: _Said, first_person: bool) -> Iterator[str]:
    """Yield what a sentence says of the person, from the verb on."""
    lead = r"(?:(?:For|On|At|As for|To|In)\b[^,.;]{0,40}, |[A-Z][a-z]+, )?"
    given = {name for names in said.names for name in (names[0], " ".join(names).strip())}
    subjects = ["I"] if first_person else ["One", *said.pronouns, *given]
    start = re.match(rf"{lead}(?:{'|'.join(map(re.escape, subjects))})(?:'m\b| )", sentence, re.IGNORECASE)
    if start and not _has_others(sentence[: start.end()]):
        verb = sentence[start.end() :]
        statement = f"am {verb.strip()}" if start[0].endswith("'m") else verb
        yield statement
        yield from _about(statement)
    for owner in ["My"] if first_person else [_OWNERS[pronoun] for pronoun in said.pronouns]:
        owned = re.match(rf"{owner} {_OWNED} (?:is|are|include) ", sentence)
        if owned:
            verbs = {"age": "is", "diet": "follows", "risks": "has"}
            yield f"{verbs.get(owned[1].split()[-1], 'likes')} {sentence[owned.end() :]}"


def _about(statement: str) -> Iterator[str]:
    """Yield what a noun phrase says in a clause with `who`, and what follows it after a comma."""
    for link in (rf"[^;:]*?,? who (?={_ADVERBS}[a-z]+s )", rf"[\w '-]+, (?={_ADVERBS}(?:{'|'.join(_VERBS)}) )"):
        found = re.match(rf"(?:am|is) an? {link}", statement)
        if found and not _has_others(found[0]):
            yield statement[found.end() :]


def _has_others(text: str) -> bool:
    return _before_others(text) != text


def _before_others(text: str) -> str:
    """Return the text up to the first mention of somebody else after the phrase that says what the person is."""
    start = _identity_end(text)
    found = re.search(rf"\b(?:{'|'.join(words().others)})s?\b", text[start:], re.IGNORECASE)
    return text if found is None else text[: start + found.start()].rstrip(" ,")


def _identity_end(text: str) -> int:
    """Return where the noun phrase ends that says what the person is."""
    found = re.match(rf"(?:am|is) an? [\w '-]*?{_END}", text)
    return found.end() if found else 0


def _household(statement: str, said: _Said) -> None:
    """Take who lives together."""
    own = rf"(?:my|her|his|their) (?:{'|'.join(words().partners)})"
    alone = r"(?:alone|by (?:my|her|him)self|on (?:my|her|his) own)"
    small = r"(?:(?:our|my|her|his|their) )?(?P<children>\w+) (?:(?:small|young|little) )?(?:kids?|child(?:ren)?)"
    counted = r"(?P<adults>\w+) adults?(?: and (?P<minors>\w+) child(?:ren)?| with no children)"
    if re.match(rf"{_ADVERBS}lives? {alone}(?=$|[,;]| (?:in|and|with (?:my|her|his|a|two) (?:dog|cat))\b)", statement):
        said.adults.append(1)
        said.children.append(0)
    elif found := re.match(rf"{_ADVERBS}lives? with {own}(?: and {small})?(?=$|[,;]| in\b)", statement):
        said.adults.append(2)
        said.children += _counted(found["children"])
    elif found := re.match(rf"(?:lives?|shares? a home) (?:in a household of|that counts) {counted}$", statement):
        said.adults += [count for count in _counted(found["adults"]) if count]
        said.children += _counted(found["minors"] or "zero")


def _counted(text: str | None) -> list[int]:
    found = number(text) if text else None
    return [found] if found is not None and found <= _MOST else []


def _identity(found: re.Match[str], said: _Said) -> None:
    """Take age, gender, diet and health risks from what the person is said to be."""
    text = found["what"]
    phrase = re.match(rf"(?P<noun>[\w '-]+?){_END}", text)
    noun = phrase["noun"] if phrase else ""
    aged = re.match(rf"(?:[a-z]+ )?{_AGED}", noun) or re.match(rf"[\w '-]+?,? aged (?P<years>{NUMBER}){_END}", text)
    aged = aged or re.match(rf"(?:woman|man|person) of (?P<years>{NUMBER}) years", text)
    if aged:
        said.ages += _age(aged["years"] or aged["aged"])
    tokens = (noun[aged.end() :] if aged and noun.startswith(aged[0]) else noun).split()
    for gender, nouns, adjective in (("female", words().women, "female"), ("male", words().men, "male")):
        if tokens and (tokens[-1].lower() in nouns or (adjective in tokens[-2:] and len(tokens) <= 2)):
            said.genders.append(gender)
    if "non-binary" in tokens[:1]:
        said.genders.append("non_binary")
    described = tokens[:-1] if tokens and tokens[-1].lower() in words().plain else tokens
    # "a vegan, organic baker" may speak of what is baked
    if phrase and not text[phrase.end() :].startswith(","):
        said.diets += listed("diets", " ".join(described))
    if phrase and text[phrase.end() :].startswith(" with "):
        said.risks += listed("risks", text[phrase.end() + len(" with ") :].split(" who ")[0])
    _decade(text, said)


def _decade(text: str, said: _Said) -> None:
    found = _DECADE.search(text)
    if found:
        low, high = _PARTS[found[1] or ""]
        word = str(found[2])
        ten = int(word[:2]) if word[0].isdigit() else 20 + 10 * _DECADES.index(word)
        said.ages.append((ten + low, ten + high))


def _age(text: str) -> list[tuple[int, int]]:
    years = number(text)
    return [] if years is None else [(years, years)]


def _being(found: re.Match[str], said: _Said) -> None:
    """Take what stands after `am` or `is` without an article."""
    text = found["what"]
    years = re.match(
        rf"(?:aged )?(?P<years>{NUMBER})(?: years (?:old|of age))?(?=$|[,.;]| (?:and|living|from)\b)", text
    )
    if years:
        said.ages += _age(years["years"])
    adjective = re.match(r"(female|male|non-binary)(?=$|[,.;]| and\b)", text)
    if adjective:
        said.genders.append(adjective[1].replace("-", "_"))
    _decade(text if text.startswith("in ") else "", said)
    said.diets += listed("diets", text)
    said.risks += [risk for risk in listed("risks", text) if risk == "obesity"]


def _take(*kinds: Kind) -> Callable[[re.Match[str], _Said], None]:
    """Return a function that takes entries of these kinds from a list."""

    def take(found: re.Match[str], said: _Said) -> None:
        for kind in kinds:
            cast("list[str]", getattr(said, kind)).extend(listed(kind, found["what"]))

    return take


def _avoid(found: re.Match[str], said: _Said) -> None:
    said.diets += diets_avoided(found["what"])


def _nothing(kind: str) -> Callable[[re.Match[str], _Said], None]:
    def take(_: re.Match[str], said: _Said) -> None:
        cast("list[str]", getattr(said, kind)).append(NONE)

    return take


_WHAT = r"(?P<what>.+)"
_FORMS: tuple[tuple[str, Callable[[re.Match[str], _Said], None]], ...] = (
    (rf"(?:am|is) an? {_WHAT}", _identity),
    (rf"(?:am|is|are) (?!an? ){_WHAT}", _being),
    (
        rf"(?:enjoys?|loves?|likes?|adores?|(?:am|is|are) (?:fond of|keen on|passionate about)) {_WHAT}",
        _take("sports", "foods"),
    ),
    (rf"(?:plays?|practi[cs]es?|do|does|go|goes) {_WHAT}", _take("sports")),
    (rf"(?:have|has|suffers? from|lives? with|manages?) {_WHAT}", _take("risks")),
    (rf"(?:(?:was|am|is|were|are|has been|have been) )diagnosed with {_WHAT}", _take("risks")),
    (rf"(?:follows?|keeps?|eats?|sticks? to|(?:am|is|are) on) {_WHAT}", _take("diets")),
    (rf"(?:avoids?|(?:am|is|are) allergic to) {_WHAT}", _avoid),
    (r"(?:have|has) no (?:known )?health risks$", _nothing("risks")),
    (r"(?:have|has) no dietary restrictions$", _nothing("diets")),
)
