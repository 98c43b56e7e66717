"""The scripted user: answers by its script, acts with its own tools, and never says what is not in the script."""

from __future__ import annotations

from typing import TYPE_CHECKING

from generators.dialogue.parts import UserReply
from generators.users.acts import agree_to, confirm, pay
from generators.users.answer import Answer
from generators.users.card import card_of
from generators.users.consents import Consents
from generators.users.person import Person
from generators.users.reading import ears_of, read
from generators.users.replies import Speech
from generators.users.sentences import (
    has_choice,
    is_done,
    is_extra,
    is_for_permission,
    is_go_ahead,
    is_offer_beside,
    is_open,
    is_promise,
    is_wh,
    refers_back,
)
from generators.users.stated import Question, identifies
from generators.users.telling import Memory
from language.asking import is_about

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.dialogue.parts import Hands, Wish
    from generators.users.reading import Asked
    from schemas.base import Json
    from schemas.task import Task
    from services.runtime.catalogue import Catalogue

MOST_WAITS = 2
"""Promises that the user answers before they stop."""
MOST_DECLINES = 4
"""Answers in a row that only decline, after which the user stops."""
MOST_IDLE = 8
"""Answers in a row that bring nothing new, after which the user stops."""
MOST_REPLIES = 60


class ScriptedUser:
    """The user of one conversation. Implements `generators.dialogue.parts.User`."""

    def __init__(self, task: Task, now: str, catalogue: Catalogue, wish: Wish) -> None:
        """Play the user of `task`; `now` is the frozen time of the environment."""
        self.name = "scripted"
        self.prompt = ""
        self.parameters: Mapping[str, Json] = {}
        card = card_of(task, now)
        speech = Speech(card.task_id, card.script.style, [f.slot for f in card.facts.all if f.tellable], card.today)
        self._me = Person(card, speech, catalogue, wish)
        self._ears = ears_of(catalogue)
        self._memory = Memory(card, speech)
        self._consents = Consents(self._me)
        self._agreed: set[str] = set()
        """Tools of which the user said yes to one call in words; it has not been made yet."""
        self._replies = self._waits = self._declines = self._idle = 0

    async def reply(self, text: str, hands: Hands) -> UserReply:
        """Answer a message of the assistant."""
        self._replies += 1
        turn = self._replies
        if turn > MOST_REPLIES:
            return self._leave(Answer(turn), hands, gave_up=True)
        asked = [one for one in read(text, self._me.card.facts, self._ears) if self._is_open(one)]
        answer = Answer(turn)
        self._answer_topics(asked, text, hands, answer)
        if not answer.lines and asked:
            self._answer_rest(asked, text, hands, answer)
        if answer.lines:
            return self._go_on(answer, hands)
        if is_promise(text) and self._waits < MOST_WAITS:
            self._waits += 1
            answer.say(self._me.speech.say("wait", turn))
            return self._go_on(answer, hands)
        return self._leave(answer, hands, gave_up=is_promise(text))

    def agrees(self, tool: str, arguments: Mapping[str, Json], hands: Hands) -> bool:
        """Return whether a call that the user said yes to in words before is one that they want."""
        del hands
        if tool not in self._agreed or not self._me.wish.accepts(tool, arguments, "assistant"):
            return False
        self._agreed.remove(tool)
        return True

    # --- what is asked for ------------------------------------------------------------------------------------------

    def _is_open(self, asked: Asked) -> bool:
        """Return whether something is to be answered: what would be possible is, once, where the script knows it."""
        return not asked.conditional or any(self._consents.is_undecided(gate) for gate in asked.gates)

    def _answer_topics(self, asked: Sequence[Asked], text: str, hands: Hands, answer: Answer) -> None:
        """Answer everything that the message names."""
        self._consents.answer(asked, hands, answer, self._memory)
        for name in dict.fromkeys(name for one in asked for name in one.confirmations):
            self._confirm(name, text, hands, answer)
        for name in dict.fromkeys(name for one in asked for name in one.payments):
            pay(self._me.catalogue.tools[name], text, hands, self._me, answer)
        self._memory.tell(dict.fromkeys(name for one in asked for name in one.slots), answer)

    def _confirm(self, name: str, text: str, hands: Hands, answer: Answer) -> None:
        """Say yes to a call that waits for it or, where none does, to the tool, if the user wants it."""
        waiting = [arguments for tool, arguments in hands.pending if tool == name]
        if waiting:
            confirm(name, waiting[-1], hands, self._me, answer)
        elif agree_to(name, text, hands, self._me, answer):
            self._agreed.add(name)

    def _answer_rest(self, asked: Sequence[Asked], text: str, hands: Hands, answer: Answer) -> None:
        """Answer the last question of a message that names nothing, by the first rule that applies."""
        one = next((one for one in reversed(asked) if one.sentence.endswith("?")), asked[-1])
        if hands.pending and not is_wh(one.sentence) and is_go_ahead(one.sentence):
            confirm(*hands.pending[-1], hands, self._me, answer)
            return
        for rule in (self._permitted, self._more):
            if rule(one, answer):
                return
        self._correct(one, text, answer)
        if answer.lines:
            return
        for rule in (self._open, self._permission, self._go_ahead):
            if rule(one, answer):
                return
        answer.say(self._me.speech.say("unknown", answer.turn))

    def _permitted(self, one: Asked, answer: Answer) -> bool:
        """Point to the request where it says when to use what is spoken of, such as a voucher."""
        spoken = (one.sentence, *one.context[:1])
        applies = not is_wh(one.sentence) and any(is_about(said, self._me.card.script.permits) for said in spoken)
        if applies:
            answer.say(self._me.speech.say("as_said", answer.turn))
        return applies

    def _more(self, one: Asked, answer: Answer) -> bool:
        """Decline what is offered beside the request; where that speaks of another choice itself, point to it."""
        beside = bool(one.context) and is_offer_beside(one.sentence, one.context[0])
        applies = not is_wh(one.sentence) and (beside or is_extra(one.sentence))
        if applies and has_choice(self._me.card.instruction):
            answer.say(self._me.speech.say("as_said", answer.turn))
        elif applies:
            answer.decline(self._me.speech.say("only_asked", answer.turn))
        return applies

    def _correct(self, one: Asked, text: str, answer: Answer) -> None:
        """Say what the assistant has wrong, or can only guess, before it goes on by it."""
        if not is_wh(one.sentence):
            question = Question(one.sentence, text, self._me.card.today)
            self._memory.correct(question, answer)
            if not answer.lines:
                self._memory.identify(question, answer)

    def _open(self, one: Asked, answer: Answer) -> bool:
        """Tell the next fact where more is asked for without saying what."""
        applies = is_open(one.sentence)
        if applies:
            self._memory.tell_next(answer)
        return applies

    def _permission(self, one: Asked, answer: Answer) -> bool:
        """Ask back where a permission is asked for without saying which."""
        before = [said for said in one.context[:1] if refers_back(one.sentence) and not is_done(said)]
        applies = any(is_for_permission(said) for said in (one.sentence, *before))
        if applies:
            answer.say(self._me.speech.say("which", answer.turn))
        return applies

    def _go_ahead(self, one: Asked, answer: Answer) -> bool:
        """Say yes to going on."""
        applies = not is_wh(one.sentence) and (is_go_ahead(one.sentence) or identifies(one.sentence))
        if applies:
            answer.say(self._me.speech.say("go_ahead", answer.turn))
        return applies

    # --- going on and leaving ---------------------------------------------------------------------------------------

    def _go_on(self, answer: Answer, hands: Hands) -> UserReply:
        """Return an answer after which the assistant has the word, unless this leads nowhere."""
        self._declines = self._declines + 1 if answer.only_declines else 0
        self._idle = 0 if answer.new else self._idle + 1
        if not answer.acted and (self._declines >= MOST_DECLINES or self._idle >= MOST_IDLE):
            return self._leave(answer, hands, gave_up=True)
        return answer.reply()

    def _leave(self, answer: Answer, hands: Hands, *, gave_up: bool) -> UserReply:
        """Return the last message; what was allowed for this request only is taken back with it."""
        took_back = self._consents.take_back(hands)
        answer.say(self._me.speech.say("give_up" if gave_up else "thanks", answer.turn))
        if took_back:
            answer.say(self._me.speech.say("took_back", answer.turn))
        return answer.reply(stop=True, gave_up=gave_up)
