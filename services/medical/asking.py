"""How an assistant asks about medical matters, and how the user knows."""

from __future__ import annotations

from services.runtime.declare import Asking

CANCEL = Asking(
    forms=(
        "Shall I cancel the appointment {what}?",
        "I would cancel the appointment {what}. Do I have your yes to that?",
        "Please confirm: should the appointment {what} be cancelled?",
        "The appointment {what} would be cancelled. Is that all right?",
        "Before I cancel the appointment {what}, I need your yes. Shall I?",
        "Are you sure that I should cancel the appointment {what}?",
    ),
    cues=(
        "cancel appointment",
        "cancelling appointment",
        "canceling appointment",
        "cancelled appointment",
        "canceled appointment",
        "cancellation appointment",
        "call off appointment",
        "cancel visit",
        "cancel booking",
    ),
)
PROFILE = Asking(
    forms=(
        "I would change what your care providers know of you: {what}. Do I have your yes to that?",
        "Shall I update your profile with the care providers? This is what I would put in: {what}.",
        "Before I change anything in your medical profile, please confirm: {what}.",
        "Would it be all right to update your medical profile with {what}?",
        "May I update your medical profile, so that it says {what}?",
        "May I save this change to your medical profile: {what}?",
    ),
    cues=(
        "update medical profile",
        "change medical profile",
        "edit medical profile",
        "save medical profile",
        "care provider know",
        "update profile care provider",
        "change profile care provider",
        "update user profile care",
        "profile care provider",
        "update medical record",
        "change medical record",
    ),
)
