"""Ways to ask for a consent, as assistants put them: frames, and what is asked for in them, gate by gate."""

from __future__ import annotations

from typing import NamedTuple


class Act(NamedTuple):
    """Something that leave is asked for, in the forms that frames take."""

    base: str
    past: str
    going: str


LEAVE = (
    "Mind if I {base}?",
    "Do you mind if I {base}?",
    "Would you mind if I {past}?",
    "Would you mind me {going}?",
    "Is it OK if I {base}?",
    "Is it okay for me to {base}?",
    "Would it be OK to {base}?",
    "Would it be all right with you if I {past}?",
    "Okay if I quickly {base}?",
    "Can I {base}, please?",
    "Could I just {base} for this?",
    "May I {base}? I would only do it for this request.",
    "Might I {base}?",
    "Are you OK with me {going}?",
    "Are you comfortable with my {going}?",
    "Would you let me {base}?",
    "Please let me {base}, so that I can go on.",
    "Could you allow me to {base}?",
    "Am I allowed to {base}?",
    "Do I have your OK to {base}?",
    "I need your permission to {base}.",
    "Could you give me the go-ahead to {base}?",
    "Any objection to my {going}?",
    "Any objections if I {base}?",
    "I'd like to {base}, if that's okay with you.",
    "If it's all right with you, I would {base}. Agreed?",
    "I\u2019d like to {base} with your permission. May I?",
    "To sort this out: **may I {base}**?",
    "I found nothing in your orders. Could we {base} instead of guessing?",
    "Sorry to bother you, but would it be fine for me to {base}?",
    "Is it possible for me to {base}, or would you rather not?",
    "I'd need to {base} for that. Is that okay?",
    "I have to {base} first, is that all right with you?",
    "To answer this I want to {base}. Would that be fine with you?",
    "I need to {base}. Do you agree?",
    "Would you be open to me {going}?",
    "I'm requesting your permission to {base}.",
    "I'd like to request permission to {base}.",
)
ACTS = {
    "NOTES": (
        Act("peek at your notes", "peeked at your notes", "peeking at your notes"),
        Act("look through your notes", "looked through your notes", "looking through your notes"),
        Act("take a look at your notes", "took a look at your notes", "taking a look at your notes"),
        Act("go through your saved notes", "went through your saved notes", "going through your saved notes"),
        Act("check what your notes say", "checked what your notes say", "checking what your notes say"),
        Act("read the note from May", "read the note from May", "reading the note from May"),
    ),
    "PURCHASE": (
        Act("buy things for you", "bought things for you", "buying things for you"),
        Act("make purchases for you", "made purchases for you", "making purchases for you"),
        Act("place orders in your name", "placed orders in your name", "placing orders in your name"),
        Act("shop for you", "shopped for you", "shopping for you"),
        Act("order on your behalf", "ordered on your behalf", "ordering on your behalf"),
    ),
    "RAW": (
        Act("look at your raw data", "looked at your raw data", "looking at your raw data"),
        Act("go through the raw readings", "went through the raw readings", "going through the raw readings"),
        Act("use your minute-level data", "used your minute-level data", "using your minute-level data"),
        Act("open the raw heart rate data", "opened the raw heart rate data", "opening the raw heart rate data"),
    ),
    "MED": (
        Act("use the medical assistant", "used the medical assistant", "using the medical assistant"),
        Act("ask the medical assistant", "asked the medical assistant", "asking the medical assistant"),
        Act("look into your medical records", "looked into your medical records", "looking into your medical records"),
    ),
}
"""Gate of a permission -> what leave is asked for."""

DO = (
    "Could you {base}?",
    "Can you {base} now?",
    "Would you {base}, please?",
    "Would you mind {going}?",
    "Mind {going}?",
    "Please {base}, so that I can go on.",
    "Would it be OK for you to {base}?",
    "May I ask you to {base}?",
    "Are you willing to {base}?",
    "Would you be fine with {going}?",
    "I need you to {base}.",
    "To continue, you need to {base}.",
    "Do you want to {base}?",
    "Would you like to {base} for this?",
    "Shall we go on once you {base}? Could you {base}?",
)
DEEDS = {
    "BALANCE": (
        Act("top up your wallet by $9.43", "", "topping up your wallet by $9.43"),
        Act("put another $9.43 into your wallet", "", "putting another $9.43 into your wallet"),
        Act("refill your balance with $9.43", "", "refilling your balance with $9.43"),
        Act("send $9.43 to your wallet", "", "sending $9.43 to your wallet"),
        Act("bring your balance up by $9.43", "", "bringing your balance up by $9.43"),
        Act("chip in the missing $9.43", "", "chipping in the missing $9.43"),
    ),
    "VIP": (
        Act("get a membership", "", "getting a membership"),
        Act("become a VIP member", "", "becoming a VIP member"),
        Act("sign up as a member", "", "signing up as a member"),
        Act("upgrade to VIP", "", "upgrading to VIP"),
    ),
    "CONNECTED": (
        Act("connect your Fitbit", "", "connecting your Fitbit"),
        Act("link your Garmin account", "", "linking your Garmin account"),
        Act("hook up your Oura ring", "", "hooking up your Oura ring"),
        Act("pair your Apple watch", "", "pairing your Apple watch"),
        Act("sync your Polar account", "", "syncing your Polar account"),
    ),
}
"""Gate that the user opens with something of their own -> what they are asked to do."""

NO_CONSENTS = (
    "May I ask which note you mean?",
    "Can I ask what the note should say?",
    "Could I know on which day you wrote the note?",
    "Can you tell me which of your notes you mean?",
    "I have read your notes from May.",
    "I looked through your notes and found the rule.",
    "Thank you for letting me look. Shall I order it now?",
    "Can I help you with anything else?",
    "May I repeat the note to you?",
    "Is it OK if I add a reminder for tomorrow?",
    "Would it be OK to take the cheaper one?",
    "Mind if I pick the larger pack?",
    "May I suggest another product?",
    "Can I look at other products for you?",
    "Could I see your cart first?",
    "Is it fine to use the voucher?",
    "May I use the voucher SAVE10?",
    "May I place the order now?",
    "Can I order the Apple Muesli now?",
    "Would it be okay to make changes to the quantity?",
    "Let me check your orders.",
    "May I check the stock first?",
    "Can I check whether you have enough money?",
    "You can read your notes in the app.",
    "Are you allowed to eat nuts?",
    "Do you have an objection to soy?",
    "I could look at the minutes of your workout if you like.",
    "How many minutes did you work out?",
    "May I book the appointment with Dr. Chen?",
    "It comes with a note of hazelnut. May I take it?",
    "I need to add a note about that. Is that okay?",
    "I would save this in your notes. Is that okay?",
    "I would order the larger pack. Is that okay?",
    "I need to know which note. Is that okay?",
    "I have read your notes. Is that right?",
    "The lamp is off and your purchase has arrived.",
)
"""Messages that ask for no consent."""
