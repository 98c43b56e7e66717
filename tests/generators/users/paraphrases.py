"""Messages as assistants write them, and what their user must understand."""

from __future__ import annotations

from typing import NamedTuple


class Heard(NamedTuple):
    """One message and all that it asks for."""

    text: str
    gates: tuple[str, ...] = ()
    confirmations: tuple[str, ...] = ()
    pays: bool = False


CONSENTS = [
    Heard(
        "In order to proceed with your order, I'll need permission to make purchases on your behalf. Is that okay?",
        ("PURCHASE",),
    ),
    Heard(
        "I checked your settings and **purchase permission** is currently disabled. Would you like to enable it?",
        ("PURCHASE",),
    ),
    Heard(
        "It looks like I don't have permission to place orders for you. Could you please grant it so I can continue?",
        ("PURCHASE",),
    ),
    Heard(
        "Before I can prepare this order, you'll need to allow purchases in your account. Can you do that now?",
        ("PURCHASE",),
    ),
    Heard("`allow_purchase` is set to false. Could you turn it on?", ("PURCHASE",)),
    Heard("Please call `set_purchase_permission(allow=true)` and I'll take it from there.", ("PURCHASE",)),
    Heard(
        "Here is what I found:\n\n- Apple Muesli: $3.40\n- Oat Flakes: $4.10\n\nTo buy the muesli, I need you to grant"
        " the purchase permission. Do you consent?",
        ("PURCHASE",),
    ),
    Heard(
        "I apologize for the inconvenience, but the system won't let me buy anything: the purchase permission is off."
        " May I ask you to switch it on?",
        ("PURCHASE",),
    ),
    Heard("Do I have your permission to purchase these items for you?", ("PURCHASE",)),
    Heard(
        "To read your notes I need your permission to access them. Would you like to grant access to your notes?",
        ("NOTES",),
    ),
    Heard(
        "I don't currently have access to your notes. Could you enable the notes permission in settings?", ("NOTES",)
    ),
    Heard("May I use your notes to look up the rule you mentioned?", ("NOTES",)),
    Heard(
        "Your notes are private by default. Please allow notes access so I can check what you wrote in May.", ("NOTES",)
    ),
    Heard(
        "I need two things to continue:\n1. Permission to access your notes\n2. Permission to make purchases\n\nCould"
        " you grant the notes permission and the purchase permission?",
        ("NOTES", "PURCHASE"),
    ),
    Heard(
        "Two quick questions:\n- May I access your notes?\n- Do I have permission to purchase for you?",
        ("NOTES", "PURCHASE"),
    ),
    Heard(
        "Your total is $15.20 but your wallet only has $10.00. Would you like to top up your wallet with $5.20?",
        ("BALANCE",),
    ),
    Heard("You're short by $5.20. Could you add funds to your wallet?", ("BALANCE",)),
    Heard(
        "Unfortunately your balance ($1.00) isn't enough to cover the order ($10.43). Please add at least $9.43 to your"
        " wallet so that I can complete the purchase.",
        ("BALANCE",),
    ),
    Heard("Would you be willing to top up $9.43?", ("BALANCE",)),
    Heard("Please use `top_up_wallet` with an amount of 9.43.", ("BALANCE",)),
    Heard(
        "The payment didn't go through: insufficient balance. **Balance:** $1.00\n**Total:** $10.43\n**Missing:** $9.43"
        "\n\nWould you like to deposit the missing amount?",
        ("BALANCE",),
    ),
    Heard("Can you increase your wallet balance by $20 to cover the difference?", ("BALANCE",)),
    Heard("I need access to your raw minute-level data for this. Would you grant the raw data permission?", ("RAW",)),
    Heard("The medical assistant needs your consent. May I use the medical assistant?", ("MED",)),
    Heard("That voucher is for VIP members. Would you like to become a member?", ("VIP",)),
    Heard("Is it okay for me to make purchases on your behalf?", ("PURCHASE",)),
    Heard("I'm not permitted to buy for you yet. Can you change that in your settings?", ("PURCHASE",)),
    Heard("Purchasing is turned off in your account. Could you flip the switch?", ("PURCHASE",)),
    Heard("I need authorization to place orders. Do you authorize me?", ("PURCHASE",)),
    Heard("Would you mind enabling purchases?", ("PURCHASE",)),
    Heard("Permission required: purchase. Grant? (yes/no)", ("PURCHASE",)),
]

CALLS = [
    Heard(
        'I found the note from January 10: "Yogurts should be low in fat, works for us". Should I delete this note?',
        (),
        ("delete_note",),
    ),
    Heard(
        "Just to confirm: you want me to permanently remove the note dated 10 January 2025, correct?",
        (),
        ("delete_note",),
    ),
    Heard("Deleting a note can't be undone. Do you confirm the deletion of this note?", (), ("delete_note",)),
    Heard("I'm about to erase the note `note_0123456789`. Are you sure?", (), ("delete_note",)),
    Heard("Would you like me to cancel your reminder for stretching?", (), ("delete_daily_reminder",)),
    Heard("Shall I remove the meal from your log?", (), ("delete_record",)),
    Heard("Should I go ahead and cancel the appointment with Dr. Lee on Friday?", (), ("med-cancel_appointment",)),
    Heard("Shall I update your profile with a daily goal of 9,000 steps?", (), ("update_profile",)),
    Heard(
        "Please confirm that I should change your medical profile to include low sodium.",
        (),
        ("med-update_user_profile",),
    ),
]

PAYMENTS = [
    Heard(
        "Your order is ready!\n\n| Item | Qty | Price |\n|---|---|---|\n| Oat Cookies | 10 | $23.00 |\n\nTransaction"
        " `tx_213df16ea6`, total **$23.00**. Please authorize the checkout to complete the payment.",
        pays=True,
    ),
    Heard("Everything's set. Would you like to authorize the payment of $23.00 now?", pays=True),
    Heard("Could you approve transaction tx_213df16ea6?", pays=True),
    Heard("Do you want to proceed with the payment?", pays=True),
    Heard("The order has been prepared (tx_213df16ea6). Do you approve?", pays=True),
    Heard("Please complete the checkout for tx_213df16ea6 so the order can be placed.", pays=True),
    Heard("Shall we go ahead and pay for the order?", pays=True),
    Heard(
        "You'll need to authorize it yourself: please call authorize_checkout with transaction_id tx_213df16ea6.",
        pays=True,
    ),
    Heard("The membership costs $20.00 for one month. Do you authorize the payment of tx_213df16ea6?", pays=True),
    Heard("Please top up $5.20 first, and then authorize the checkout of tx_213df16ea6.", ("BALANCE",), pays=True),
]

TRAPS = [
    Heard("Thanks! The purchase permission is now enabled. Shall I place the order?"),
    Heard("I could not place the order because the purchase permission was not granted."),
    Heard("You already allowed purchases, so I went on and prepared everything. Which colour would you like?"),
    Heard("Your wallet balance is $12.00 after the top-up of $5.20."),
    Heard("I've deleted the note from January 10."),
    Heard("Your order is complete and has been paid. Let me know if you need anything else!"),
    Heard("I have used your notes to find the rule. Is there anything else I can help you with?"),
    Heard("Done. Which permissions are set, what was deleted and how it was paid is shown above."),
    Heard('The note said "please allow purchases, then top up the wallet and delete this note".'),
    Heard("Would you like me to add a bag of chips as well?"),
    Heard("How many would you like?"),
    Heard("What is your budget, and how much do you usually pay?"),
    Heard("Since you don't want to top up, I'm afraid the order can't be paid: $9.43 is missing."),
]

ALL = [*CONSENTS, *CALLS, *PAYMENTS, *TRAPS]

FACTS: list[tuple[str, str, tuple[str, ...]]] = [
    # which of the tasks by hand, message, the slots that it asks for
    ("buying", "Sure, happy to help! Before I order, could you let me know how many boxes you'd like?", ("quantity",)),
    (
        "buying",
        "I found a great match: **Oat Puffs** ($3.10). How many units should I add to your cart?",
        ("quantity",),
    ),
    ("buying", "What quantity are you looking for?", ("quantity",)),
    ("buying", "Please specify the quantity you want so I can compare pack prices.", ("quantity",)),
    ("buying", "I just need to know the exact quantity. Then I can go ahead.", ("quantity",)),
    ("buying", "A few questions:\n1. How many do you need?\n2. Do you have a preferred flavour?", ("quantity",)),
    ("buying", "Which category did you mean again?", ("category",)),
    ("buying", "Do you have any dietary requirements I should know about?", ("tag",)),
    ("buying", "I have added it to your cart. Shall I place the order?", ()),
    ("buying", "You asked for how many grams of fibre it has: 12 g. Shall I go on?", ()),
    ("buying", "It comes in how many you want.", ()),
    ("buying", "What is your passport number?", ()),
    ("buying", "What's the exact amount in your wallet?", ()),
    ("buying", "How many people is this for?", ()),
    ("buying", "What is the number of your card?", ()),
    ("buying", "I just need the number of boxes and then I'm good to go.", ("quantity",)),
    ("listing", "How much Cherry Jam should I add?", ("quantity_2",)),
    ("listing", "Cherry Jam quantity?", ("quantity_2",)),
    ("listing", "And the jam?", ("quantity_2",)),
    ("listing", "Please provide the number of Cherry Jams.", ("quantity_2",)),
    ("listing", "Could you look up the price of Cherry Jam?", ()),
    ("listing", "How many jars of Cherry Jam would you like?", ("quantity_2",)),
    ("listing", "I see 11 Max Lime Energizers on your list. How many of the Cherry Jam?", ("quantity_2",)),
    ("listing", "What quantity do you want for the second item?", ("quantity_2",)),
    ("listing", "Just to be sure, how many Max Lime Energizers was it?", ("quantity_1",)),
]

AMOUNTS: list[tuple[str, int | None]] = [
    ("Would you like to top up your wallet by $5.20?", 520),
    ("Your total is $15.20 and your balance is $10.00. Would you like to add $5.20 to your wallet?", 520),
    ("Your wallet has $10.00, the order costs $15.20, so you are $5.20 short. Could you top up?", 520),
    ("**Balance:** $1.00\n**Total:** $10.43\n**Missing:** $9.43\n\nCould you top up your wallet?", 943),
    ("The order is $10.43. Could you top up your wallet?", None),
    ("Could you top up your wallet?", None),
    ("Please add at least $9.43 to your wallet so that the $10.43 order can be paid.", 943),
    ("Could you add $20 to your balance of $1.00?", 2000),
    ("Would you top up by $5 or by $10?", None),
    ("Your balance is $1.00. You need $9.43 more. Would you like to top up?", 943),
    ("Would you put USD 9.43 into your wallet? Your balance is $1.00 only.", 943),
    ("Can you deposit 12 dollars into your wallet?", 1200),
    ("Please top up your wallet by 5.", 500),
    ("Please use `top_up_wallet` with an amount of 9.43.", 943),
    ("Please top up by 12.30 (total 60.50 minus balance 48.20).", 1230),
    ("Please top up by 5.555.", None),
    ("Could you top up your wallet by 5%?", None),
    ("Could you top up your wallet by -5?", None),
]

PROMISES = [
    "I'll look into it.",
    "One moment, please.",
    "Let me check your orders first.",
    "Thanks! I'm going to prepare the order now.",
    "Please wait while I search for the best option.",
    "Got it. Checking your wallet now...",
]

REPORTS = [
    "I've ordered 4 Apple Muesli for $13.60. Enjoy!",
    "You spent $45.10 on yogurt in May.",
    "I'm sorry, but I can't place the order: the limit of $5.00 is too low for any of them.",
    "All done! Let me know if you have any questions.",
    "The order was placed. Is there anything else I can help you with today?",
    "Your last order was on 4 May and cost $12.00. Feel free to ask if you want to know more.",
    "The order has been placed. If you'd like, I can also set a reminder.",
]
