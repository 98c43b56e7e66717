"""What kind of sentence something is: a question, a request, an offer at the end, a promise, or a plain statement."""

from __future__ import annotations

import re
from functools import lru_cache

from language.asking import sentences, without_quotes

_MARKS = " *_`\"')\u201d>#-"


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(patterns), re.IGNORECASE)


_CLOSER = _any(
    r"\b(?:is|was) there (?:anything|something) (?:else|more)(?! (?:i should know|about))",
    r"\b(?:anything|something) else (?:i|that i|we) (?:can|could|may) (?:help|do|assist|get)",
    r"\bneed (?:anything|something|any) (?:else|further|more)",
    r"\b(?:anything|something) else (?:you'd|you would|you) (?:like|need|want)",
    r"\b(?:help|assist)(?: you)? with (?:anything|something) else",
    r"^(?:anything|something) else\b",
    r"\bhow else (?:can|may) i\b",
    r"\bany (?:other|further|more) questions?\b",
    r"\bhave (?:any )?questions?\b",
    r"\bfeel free\b",
    r"\bdon't hesitate\b|\bdo not hesitate\b",
    r"\bhope (?:this|that) helps\b",
    r"\b(?:i'm|i am) (?:always )?here (?:to help|if)",
    r"\b(?:happy|glad) to (?:help|assist)\b",
    r"^enjoy\b",
    r"\bhave a (?:nice|great|good|lovely|wonderful)\b",
    r"^you're welcome\b|^you are welcome\b",
)
_OFFER = _any(r"^(?:\W*)(?:if you(?:'d| would)? (?:later |ever )?(?:like|want|wish|prefer|change|decide|need)\b)")
_CONDITION = _any(
    r"^\W*(?:if|once|when|as soon as|after|until|unless) you(?:'d|'ve|'re)?\b",
    r"\b(?:if|until|unless|once|as soon as|before) you(?:'ve| have)? "
    r"(?:do\b|top|allow|grant|add|give|enable|turn|switch|permit|change|authori[sz]e|approve)",
)
_REQUEST = _any(
    r"^\W*(?:\d+[.)]\s*)?(?:so |then |and |also |next |first,? |to proceed,? |to continue,? |if so,? )?"
    r"(?:kindly|pls|could you|can you|would you|will you|may i|might i|can i|could i|shall i|should i|shall we"
    r"|do you|are you|is it|is that|would it|tell me|let me know(?! if (?:you|there))|reply|confirm|go ahead and)\b",
    r"\bplease,?\s+(?=\w)(?!(?:note|see|find|be aware|remember|keep in mind|wait|hold|bear|stand by))",
    r"\blet me know (?:how|what|which|when|whether|once|your|the|who|where|if (?:you(?:'d| would)? (?:like|want) me"
    r"|i (?:should|may|can)|that|this|it|you (?:agree|approve|are (?:ok|fine)|confirm|want to (?:proceed|go))))",
    r"\b(?:could|can|would|will) you (?:please |kindly )?(?:tell|confirm|specify|clarify|share|provide|give|let|allow"
    r"|grant|enable|turn|switch|top|add|authori[sz]e|approve|connect)",
    r"\bi(?:'ll| will|'d| would| do)? (?:still |first |also |just |only )?(?:need|require)s? (?:to know|to ask"
    r"|to confirm|you to|your|the (?:purchase|note|raw|medical|permission|exact|name|date|quantity|following|number"
    r"|amount|count|product|category|brand|period|month|label|limit|budget|day|voucher)|permission|access|authori[sz]ation"
    r"|consent|some (?:more )?(?:information|details|clarification)|a (?:few|little|bit)|more (?:information|details)"
    r"|one more)",
    r"\byou(?:'ll| will|'d| would)? (?:just |first |still )?(?:need|have) to (?:top|allow|grant|add|give|enable|turn"
    r"|switch|authori[sz]e|approve|connect|confirm|tell|let|put|refill|load|fund|send|bring|chip|deposit|get a"
    r"|become|sign|join|upgrade|link|pair|sync|hook)",
    r"\bi(?:'d| would) (?:like|love) to (?:know|ask|confirm|clarify|request)\b",
    r"\bwaiting for your (?:confirmation|approval|answer|reply|permission|consent|go)",
    r"\bi(?:'m| am) (?:asking (?:you )?(?:for|to)|requesting)\b",
    r"\bif (?:that|this|it)(?:'s| is| would be) (?:ok|okay|fine|all right|alright|acceptable)\b",
)
_PROMISE = _any(
    r"\b(?:i'll|i will|i'm going to|i am going to|i shall|we'll|let's)\b(?! (?:be (?:here|happy|glad)|need|require|not"
    r"|never|leave|have to ask))",
    r"\blet me\b(?! know)",
    r"\b(?:one|just a|a) (?:moment|second|sec|minute|bit)\b",
    r"\b(?:hold on|hang on|bear with me|stand by|please wait|give me a)\b",
    r"\b(?:i'm|i am|currently|now) (?:now |just |still |currently )?(?:checking|looking|working|preparing|searching"
    r"|going|processing|placing|fetching|reviewing|gathering|proceeding|comparing)\b",
    r"^\W*(?:checking|looking|working|searching|processing|proceeding|fetching|reviewing)\b",
)
_BACK = _any(
    r"\b(?:it|that|this|these|those|them|so|proceed|go ahead|go on|continue|ok|okay|fine|all right|alright|agree|allow"
    r"|confirm|approve|yes|grant|enable|authori[sz]e|switch|settings?|do i|are you|shall i"
    r"|should i|may i|please|would you|permission|consent|amount|one|do you)\b"
)
_DONE = _any(
    r"\b(?:already|successfully|thanks|thank you|now (?:enabled|granted|allowed|given|active|on))\b",
    r"\b(?:has|have) been (?:granted|enabled|allowed|given|paid|placed|completed|deleted|topped|added|authori[sz]ed)\b",
)
_UNDONE = _any(r"\b(?:not|no|off|without|needs?|required?|requires|denied|disabled|missing|lacks?|short)\b|n't\b")
_OPEN_STATE = (
    r"(?:on|enabled|granted|given|allowed|active|connected|linked|valid|set|switched|turned|enough|sufficient"
    r"|high enough)"
)
_SHUT_STATE = (
    r"(?:off|disabled|inactive|missing|closed|blocked|denied|required|needed|necessary|disconnected|unlinked|offline|short"
    r"|lacking|insufficient|expired|too (?:low|small|little))"
)
_BY_NOW = r"(?:(?:currently|still|now|also|just|yet|unfortunately|at the moment|set to|switched|turned) )*"
_SHUT = _any(
    rf"(?:\b(?:is|are)|'s|'re) {_BY_NOW}(?:{_SHUT_STATE}|not {_BY_NOW}{_OPEN_STATE})\b",
    rf"\b(?:isn't|aren't) {_BY_NOW}{_OPEN_STATE}\b",
    r"\b(?:this|that|it) (?:needs|requires)\b(?! no\b)",
    r"\b(?:lacks|falls short|comes up short)\b|[\d.,]+ (?:is |are )?(?:short|missing|lacking)\b",
    r"\b(?:doesn't|does not|don't|do not|won't) (?:quite )?(?:cover|suffice|stretch|reach|(?:have|hold) enough)\b",
    r"\bi (?:don't|do not) have (?:the |your |any )?(?:permission|access|consent)\b",
)
_NOT_SHUT = _any(r"\bno (?:\w+ ){1,3}(?:is|are)\b", r"\bno longer\b")
_LEADS = r"^\W*(?:so,? |and |then )?"
_WHAT_NOW = _any(
    rf"{_LEADS}what (?:would|do) you (?:like|want|wish|prefer)(?: (?:me |us )?to do\b|\W*$)",
    rf"{_LEADS}what do you want (?:me|us)?\W*to do\b",
    rf"{_LEADS}what (?:should|shall|can) (?:i|we) do\b(?: (?:now|next|about (?:it|that|this)))?\W*$",
    rf"{_LEADS}how (?:would you like|do you want|do you wish|would you prefer|should i|should we|shall i|shall we)"
    r"(?: me| us)?(?: to)? (?:proceed|continue|go on|go ahead|(?:handle|deal with) (?:it|this|that))\b",
    rf"{_LEADS}(?:what now|what next|any (?:ideas?|thoughts|suggestions|preferences?)|what do you think)\W*$",
    r"^\W*please (?:advise|let me know (?:how (?:to|you)|what (?:to|you)))\b",
)
_DECLINED = _any(
    r"\b(?:can't|cannot|can not|unable|not able|sorry|declin\w+|impossible|failed|stopped|left)\b",
    r"\b(?:(?:could|wo|did|have|has|was|were)n't|won't|(?:could|will|did|have|has|was|were) not)\b",
    r"\b(?:nothing|no \w+) (?:was|were|has|have)\b",
)
_WH = _any(
    r"^\W*(?:\d+[.)]\s*)?(?:(?:and|so|also|but|or|now|first|then|ok|okay|sure|great|thanks|well|just|to [a-z]+)\b\W*)*"
    r"(?:(?:for|of|in|on|at|by|from|to|with|above|until|since|as to)\W+)?"
    r"(?:what|which|how|when|where|who|whose|why)\b(?! about)",
    r"\b(?:tell|know|specify|clarify|confirm|provide|share|say|remember|recall|ask)\b(?: me| us)?"
    r"(?: (?:about|for|of|in|on))? (?:what|which|how|when|where|who|whose|why)\b",
    r"[,:;\u2013\u2014-]\s+(?:what|which|how|when|where|who|whose|why)\b",
)
_GO = _any(
    r"\b(?:shall|should|may|can|could|do) (?:i|we)\b",
    r"\b(?:do|would) you (?:want|like|prefer|wish) (?:me|us|to)\b",
    r"\b(?:go[ -]ahead|proceed|continue|go on|move forward|sound (?:good|right|ok)|sounds (?:good|right|ok))\b",
    r"\b(?:is|are|does|would) (?:this|that|it|these|everything|all) (?:all |be |look |sound )?(?:right|ok|okay|correct"
    r"|fine|good|alright|all right)\b",
    r"\b(?:are you (?:sure|ok|okay|fine|happy|ready)|confirm|agree|approve|right\?|ok\?|okay\?|correct\?|yes\?)",
    r"\b(?:would|do) you mind (?:if|me)\b",
    r"\b(?:is|would) (?:it|that) (?:be )?(?:ok|okay|fine|all right|alright) (?:if|for|to)\b",
    r"\bam i (?:right|correct|allowed)\b|\bthen\?|\bso (?:it|that)(?:'s| is)\b",
    r"\blet me know if (?:you(?:'d| would)? (?:like|want) me|i (?:should|may|can)|that|this|it|you agree)",
)
_BESIDE = _any(r"\b(?:can|could|may|might) (?:also|additionally|instead|even)\b|\balso (?:offer|have|book|arrange)\b")
_THAT = _any(
    r"\bwould you (?:like|want) (?:that|this|it|one|me to)\b|\b(?:do you want|interested in) (?:that|this|it|one)\b"
)
_PERMISSION = _any(
    r"\b(?:permissions?|consents?|authori[sz]ation|access|rights)\b.*\b(?:grant|give|need|require|enable)\b",
    r"\b(?:grant|give|need|require|enable|allow)\b.*\b(?:permissions?|consents?|authori[sz]ation|access|rights)\b",
    r"^\W*(?:please |could you |can you )?(?:enable|allow|grant) (?:it|that|everything|all)\b",
)
_REVOKES = _any(
    r"\b(?:revoke|withdraw|take back|disable|deactivate|remove)\b(?! (?:the )?(?:block|restriction))",
    r"\b(?:turn|switch)\b(?: \w+){0,5} off\b",
)
_OPENS = _any(r"\b(?:allow|grant|enable|give|activate|(?:turn|switch)(?: \w+){0,5} on)\b")
_EXTRA = _any(
    r"\b(?:also|additionally|instead|alternatives?|another|as well|other|different|similar|substitute|extra|too|more of"
    r"|further|else|add on|in addition|upgrade|rather)\b"
)
_OPEN = _any(
    r"\bmore (?:details?|information|info|specific|context)\b",
    r"\b(?:clarify|clarification|specify|elaborate|specifics|be specific|narrow (?:it|this|that)? ?down)\b",
    r"\bwhat (?:exactly|precisely|specifically)\b|\bwhat do you (?:need|want|mean|have in mind)\b",
    r"\bwhat (?:would you like|are you looking for|can i|did you have in mind|else do (?:you|i))\b",
    r"\bwhich (?:one|ones|of (?:these|them|those|the))\b|\bwhich do you (?:mean|want)\b",
    r"\b(?:tell me|know) (?:a bit |a little |some )?more\b",
    r"\bfurther (?:details?|information)\b|\bmissing (?:information|details?)\b",
    r"\banything else (?:i should know|about)\b",
    r"\bhow can i help\b|\bcould you describe\b|\bany preferences?\b|\bwhat else\b|\bwhat you (?:need|want|mean)\b",
)


def _bare(sentence: str) -> str:
    return without_quotes(sentence).replace("\u2019", "'").strip(_MARKS)


@lru_cache(maxsize=4096)
def is_closer(sentence: str) -> bool:
    """Return whether a sentence only offers further help, as reports end."""
    bare = _bare(sentence)
    return bool(_CLOSER.search(bare) or (_OFFER.search(bare) and not bare.endswith("?") and not _asks_you(bare)))


def _asks_you(bare: str) -> bool:
    return re.search(r"\bplease (?!let me know)", bare, re.IGNORECASE) is not None


@lru_cache(maxsize=4096)
def asks(sentence: str) -> bool:
    """Return whether a sentence wants an answer or an act of the reader."""
    bare = _bare(sentence)
    return not is_closer(sentence) and bool(bare.endswith("?") or _REQUEST.search(bare))


@lru_cache(maxsize=4096)
def is_condition(sentence: str) -> bool:
    """Return whether a sentence says what happens when the reader does something."""
    return _CONDITION.search(_bare(sentence)) is not None


@lru_cache(maxsize=4096)
def refers_back(sentence: str) -> bool:
    """Return whether a sentence may be about what the sentences before it say."""
    return _BACK.search(_bare(sentence)) is not None


@lru_cache(maxsize=4096)
def is_done(sentence: str) -> bool:
    """Return whether a statement says that something is so already, and so asks for nothing."""
    bare = _bare(sentence)
    return _DONE.search(bare) is not None and _UNDONE.search(bare) is None


@lru_cache(maxsize=4096)
def says_shut(sentence: str) -> bool:
    """Return whether a statement says that something is off, short or missing right now."""
    bare = _bare(sentence)
    return _SHUT.search(bare) is not None and _NOT_SHUT.search(bare) is None


def asks_what_now(sentence: str) -> bool:
    """Return whether a question leaves it to the reader what is done about what was said before it."""
    return _WHAT_NOW.search(_bare(sentence)) is not None


def declines(text: str) -> bool:
    """Return whether a message says that something was not, or cannot be, done: a report, where it asks nothing."""
    return any(_DECLINED.search(_bare(sentence)) is not None for sentence in sentences(text))


def is_wh(sentence: str) -> bool:
    """Return whether a question asks for more than yes or no."""
    return _WH.search(_bare(sentence)) is not None


def is_go_ahead(sentence: str) -> bool:
    """Return whether a question asks whether to do something."""
    return _GO.search(_bare(sentence)) is not None


def is_extra(sentence: str) -> bool:
    """Return whether a question offers something beside what was asked for."""
    return _EXTRA.search(_bare(sentence)) is not None


def is_offer_beside(sentence: str, before: str) -> bool:
    """Return whether a question asks if the reader wants what the statement before it offers beside the request."""
    return _THAT.search(_bare(sentence)) is not None and _BESIDE.search(_bare(before)) is not None


def is_for_permission(sentence: str) -> bool:
    """Return whether a request is for some permission, whichever."""
    return _PERMISSION.search(_bare(sentence)) is not None


def revokes(sentence: str) -> bool:
    """Return whether a request is to take a permission back, and not to give one."""
    bare = _bare(sentence)
    return _REVOKES.search(bare) is not None and _OPENS.search(bare) is None


def has_choice(request: str) -> bool:
    """Return whether a request says itself what to do where something is not to be had or does not hold."""
    return re.search(r"\b(?:if|unless|otherwise|instead|else|as long as|should)\b", request, re.IGNORECASE) is not None


def is_open(sentence: str) -> bool:
    """Return whether a question asks for more without naming what."""
    return _OPEN.search(_bare(sentence)) is not None


def is_question(text: str) -> bool:
    """Return whether a message wants an answer or an act; offers of further help do not count."""
    return any(asks(sentence) for sentence in sentences(text))


def is_promise(text: str) -> bool:
    """Return whether a message asks nothing and says that something is still to come."""
    said = [sentence for sentence in sentences(text) if not is_closer(sentence)]
    if not said:
        return not sentences(text)
    return not is_question(text) and _PROMISE.search(_bare(said[-1])) is not None
