"""A month of simple signals for the sample environment: arithmetic in place of a body, so that sums can be told.

The window is 2025-05-12 to 2025-06-10 12:00. Fitbit recorded it, but for 2025-05-20, which nothing did, and the three
days from 2025-06-04, which oura did. Every third day from the first has a run from 18:00 to 18:40.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from typing import Any

from schemas.base import Json
from services.runtime.blobs import Encoding, described, pack, to_bytes
from services.runtime.records import to_data
from services.wearables.signals import day_of, of_bytes

FIRST, TODAY = dt.date(2025, 5, 12), dt.date(2025, 6, 10)
NOW_MINUTE = 720
DATES = [(FIRST + dt.timedelta(days=n)).isoformat() for n in range(30)]
MISSING = "2025-05-20"
OURA_DAYS = ("2025-06-04", "2025-06-05", "2025-06-06")
RUN_DAYS = tuple(date for date in DATES[::3] if date != MISSING)
RUN = range(1080, 1120)
WEIGHT = 70
ENCODINGS: Mapping[str, Encoding] = {
    "steps": "u8",
    "mets": "u8",
    "intensity": "u8",
    "heart_rate": "u8",
    "calories": "u16",
}


def minutes_of(date: str) -> dict[str, list[int]]:
    """Return the series of a day: asleep until 07:00 and from 23:00, a little walking, a run on some days."""
    number = DATES.index(date)
    length = NOW_MINUTE if date == TODAY.isoformat() else 1440
    if date == MISSING:
        mets, steps, rates = [10] * length, [0] * length, [0] * length
    else:
        asleep = [minute < 420 or minute >= 1380 for minute in range(length)]
        running = [date in RUN_DAYS and minute in RUN for minute in range(length)]
        lived = [*zip(range(length), asleep, running, strict=True)]
        mets = [10 if slept else 80 if ran else 12 + (m + number) % 25 for m, slept, ran in lived]
        steps = [0 if slept else 160 if ran else (7 * m + number) % 20 for m, slept, ran in lived]
        rates = [50 + m % 5 if slept else 150 if ran else 65 + m % 40 for m, slept, ran in lived]
    return {
        "steps": steps,
        "mets": mets,
        "intensity": [sum(m >= least for least in (16, 30, 60)) for m in mets],
        "heart_rate": rates,
        "calories": [(14 * m * WEIGHT + 40) // 80 for m in mets],
    }


MINUTES = {date: minutes_of(date) for date in DATES}
RAW = {
    name: to_bytes([value for date in DATES for value in MINUTES[date][name]], encoding)
    for name, encoding in ENCODINGS.items()
}
BLOBS = {name: pack(raw) for name, raw in RAW.items()}
STAGES = (("light", 120), ("deep", 60), ("rem", 90), ("wake", 10), ("light", 200))


def _night(date: str) -> dict[str, Json]:
    at = dt.datetime.fromisoformat(f"{date}T23:00:00")
    segments: list[Json] = []
    for stage, minutes in STAGES:
        segments.append({"start": at.isoformat(), "minutes": minutes, "stage": stage})
        at += dt.timedelta(minutes=minutes)
    return {"id": date, "segments": segments, "light": 320, "deep": 60, "rem": 90, "wake": 10, "asleep": 470}


def _workout(date: str) -> dict[str, Json]:
    return {
        "id": f"workout_{date}",
        "sport": "running",
        "start": f"{date}T18:00:00",
        "end": f"{date}T18:40:00",
        "intensity": "vigorous",
        "calories": sum(MINUTES[date]["calories"][minute] for minute in RUN),
        "azm": 40,
        "steps": 6400,
        "note": "",
    }


def _source(date: str) -> tuple[str | None, str | None]:
    if date == MISSING:
        return None, None
    return ("oura", "device_2") if date in OURA_DAYS else ("fitbit", "device_1")


def _day(date: str) -> dict[str, Any]:
    raw = {name: to_bytes(MINUTES[date][name], encoding) for name, encoding in ENCODINGS.items()}
    return to_data(day_of(date, of_bytes(**raw)))


# The night after which nothing was worn is not recorded: those that touch the missing day, and the one to come.
NIGHTS = [
    date for date in DATES[:-1] if MISSING not in (date, (dt.date.fromisoformat(date) + dt.timedelta(1)).isoformat())
]
TABLES: dict[str, list[dict[str, Json]]] = {
    "signals": [
        {
            "id": name,
            "first_day": FIRST.isoformat(),
            "derived": name in ("intensity", "calories"),
            **described(RAW[name], encoding),
        }
        for name, encoding in sorted(ENCODINGS.items())
    ],
    "source_days": [
        {"id": date, "source": source, "device": device} for date in DATES for source, device in [_source(date)]
    ],
    "wearable_days": [_day(date) for date in DATES if date != MISSING],
    "nights": [_night(date) for date in NIGHTS],
    "workouts": [_workout(date) for date in RUN_DAYS if date != TODAY.isoformat()],
    "activity_plans": [
        {"id": "fitbit", "steps": 60_000, "azm": None, "mets": None, "calories_burn": 15_000},
        {"id": "oura", "steps": None, "azm": None, "mets": None, "calories_burn": None},
    ],
}
