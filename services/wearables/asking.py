"""How an assistant asks for a source of data to be connected, and how the user knows."""

from __future__ import annotations

from services.runtime.declare import Asking

_CONNECTING = (
    "connect",
    "connecting",
    "link",
    "linking",
    "pair",
    "pairing",
    "sync",
    "syncing",
    "hook up",
    "hooking up",
)
_SOURCES = (
    *("apple", "fitbit", "garmin", "google", "huawei", "oura", "polar", "samsung", "withings", "xiaomi"),
    *("source", "account", "device", "app", "watch", "ring", "tracker", "wearable"),
)
CONNECT = Asking(
    forms=(
        "To see that data I need {source_name} to be connected. Could you connect it for me?",
        "{source_name} isn't connected. Would you connect it, so that I can look at your data?",
        "Your data of that time may be with {source_name}, which is not connected. Could you connect it?",
        "May I ask you to connect {source_name}? Without it I can't see what was recorded.",
        "Please connect {source_name} in your settings, so that I can read what it recorded.",
        "Would you be willing to connect {source_name}, so that I can answer this?",
        "I can't see what was recorded then, because a source of yours is not connected. Which one would you connect?",
        "Could you connect the source that recorded that day, so that I can look at it?",
    ),
    cues=(
        *(f"{act} {source}" for act in _CONNECTING for source in _SOURCES),
        "source connected",
        "reconnect",
        "reconnecting",
        "connect it",
        "connect your",
        "connecting your",
        "please connect",
        "could you connect",
        "would you connect",
        "can you connect",
        "enable source",
        "enable connection",
        "to be connected",
        "need connected",
    ),
    closed=tuple(
        f"{source} {state}"
        for source in _SOURCES
        for state in ("connected", "disconnected", "linked", "unlinked", "paired", "offline", "off")
    ),
)
