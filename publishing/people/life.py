"""One user's life as a person reads it, as Markdown: who they are, what they wear, their weeks, and all they keep."""

from __future__ import annotations

import datetime as dt
from itertools import groupby
from typing import TYPE_CHECKING, cast

from publishing.card import markdown
from publishing.people.weeks import week_sections

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from publishing.people.person import Person, Rows
    from schemas.base import Json

Shared = dict[str, "dict[str, dict[str, Json]]"]
"""World tables by record id."""
_LEDGER = 10
"""Latest entries of the ledger that are shown."""


def life(person: Person, world: Mapping[str, Rows]) -> str:
    """Return the life of a user, whose world has these tables."""
    shared = {name: {str(row["id"]): row for row in rows} for name, rows in world.items()}
    parts = (
        _who(person),
        _devices(person),
        week_sections(person),
        _workouts(person),
        _nights(person),
        _meals(person, shared),
        _own(person),
        _care(person, shared),
        _shop(person, shared),
        _money(person),
    )
    return "\n".join(line for part in parts for line in part)


def money(cents: int) -> str:
    """Return an amount in words."""
    return f"{'-' if cents < 0 else ''}${abs(cents) // 100:,}.{abs(cents) % 100:02d}"


def clock(minutes: int) -> str:
    """Return minutes as hours and minutes."""
    return f"{minutes // 60}:{minutes % 60:02d}"


def minute(time: Json) -> str:
    """Return a time to the minute, as people read it."""
    return str(time)[:16].replace("T", " ")


def _table(title: str, head: Sequence[str], rows: Sequence[Sequence[object]]) -> Iterator[str]:
    """Yield a section with a table, or with the word that there is nothing."""
    yield f"\n## {title}\n"
    yield markdown(head, rows) if rows else "None."


def _who(p: Person) -> Iterator[str]:
    profile, shown = p.profile, p.one("profile")
    name = f"{profile.name.given} {profile.name.family}"
    yield f"# {name} ({profile.user_id})\n"
    yield f"It is {minute(p.now)}. {profile.narrative}"
    goals = ("steps", "calories_burn", "calories_intake", "azm")
    home = f"{profile.household.adults} adults, {profile.household.children} children"
    allowed = {str(row["id"]): row["allowed"] for row in p.rows("permissions")}
    facts: list[tuple[str, object]] = [
        ("age, gender, locale", f"{profile.age}, {profile.gender}, {profile.locale}"),
        ("household", home),
        ("body", f"{profile.body.height_cm} cm, {profile.body.weight_kg} kg"),
        ("way of life", p.family or "from exports"),
        ("sports", _listed(profile.preferences.sport)),
        ("foods", _listed(profile.preferences.food)),
        ("health risks", _listed(profile.health_risks)),
        ("dietary restrictions", _listed(profile.dietary_restrictions)),
        ("risks that the medical view knows", _listed(_words(p.one("med_profile")["health_risks"]))),
        ("goals of a day", ", ".join(f"{goal.replace('_', ' ')} {shown[f'goal_{goal}']:,}" for goal in goals)),
        ("permissions", ", ".join(f"{key} {'given' if on else 'not given'}" for key, on in sorted(allowed.items()))),
    ]
    yield "\n## Profile\n"
    yield markdown(["what", ""], facts)


def _words(value: Json) -> list[str]:
    return [str(word) for word in cast("list[Json]", value)]


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words).replace("_", " ") or "none"


def _devices(p: Person) -> Iterator[str]:
    days = p.rows("source_days")
    rows: list[list[object]] = []
    for source in p.rows("sources"):
        devices = [row for row in p.rows("devices") if row["source"] == source["id"]]
        recorded = [str(day["id"]) for day in days if day["source"] == source["id"]]
        rows.append(
            [
                source["id"],
                "connected" if source["connected"] else "not connected",
                ", ".join(str(device["type"]) for device in devices) or "none",
                len(recorded),
                _stretches(recorded),
            ]
        )
    yield from _table("Sources and devices", ["source", "", "devices", "days recorded", "which"], rows)
    missing = [str(day["id"]) for day in days if day["source"] is None]
    yield f"\nNo device recorded {_stretches(missing)}." if missing else "\nEvery day of the window was recorded."


def _stretches(dates: Sequence[str]) -> str:
    """Return dates as stretches of days that follow each other."""
    ordinals = [dt.date.fromisoformat(date).toordinal() for date in dates]
    parts: list[str] = []
    for _, group in groupby(enumerate(ordinals), key=lambda pair: pair[1] - pair[0]):
        days = [dt.date.fromordinal(day).isoformat() for _, day in group]
        parts.append(days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}")
    return ", ".join(parts)


def _workouts(p: Person) -> Iterator[str]:
    rows = [
        [
            minute(row["start"]),
            row["sport"],
            row["intensity"],
            _length(row),
            row["steps"],
            row["azm"],
            f"{cast('int', row['calories']) / 100:.0f}",
            row["note"],
        ]
        for row in sorted(p.rows("workouts"), key=lambda row: str(row["start"]))
    ]
    head = ["start", "sport", "intensity", "minutes", "steps", "zone minutes", "kcal", "note"]
    yield from _table(f"Workouts ({len(rows)})", head, rows)


def _length(row: Mapping[str, Json]) -> int:
    start, end = (dt.datetime.fromisoformat(str(row[name])) for name in ("start", "end"))
    return int((end - start).total_seconds()) // 60


def _nights(p: Person) -> Iterator[str]:
    rows: list[list[object]] = []
    for night in p.rows("nights"):
        parts = cast("list[dict[str, Json]]", night["segments"])
        last = dt.datetime.fromisoformat(str(parts[-1]["start"]))
        up = last + dt.timedelta(minutes=cast("int", parts[-1]["minutes"]))
        stages = [clock(cast("int", night[name])) for name in ("asleep", "light", "deep", "rem", "wake")]
        rows.append([night["id"], minute(parts[0]["start"])[11:], up.isoformat()[11:16], *stages])
    head = ["night of", "first asleep", "last up", "sleep", "light", "deep", "REM", "awake"]
    yield from _table(f"Nights ({len(rows)})", head, rows)


def _meals(p: Person, shared: Shared) -> Iterator[str]:
    items: dict[str, list[tuple[dict[str, Json], int]]] = {}
    for item in p.rows("meal_items"):
        food = shared["foods"][str(item["food_id"])]
        items.setdefault(str(item["meal_id"]), []).append((food, cast("int", item["amount_tenths"])))
    rows = [
        [minute(meal["time"]), meal["meal_type"], _plate(items.get(str(meal["id"]), [])), _energy(items, meal)]
        for meal in sorted(p.rows("meals"), key=lambda row: str(row["time"]))
    ]
    yield from _table(f"Meals ({len(rows)})", ["time", "meal", "what", "kcal"], rows)


def _plate(items: Sequence[tuple[Mapping[str, Json], int]]) -> str:
    return ", ".join(f"{food['name']} {amount / 10:g} {food['measure']}" for food, amount in items)


def _energy(items: Mapping[str, list[tuple[dict[str, Json], int]]], meal: Mapping[str, Json]) -> str:
    """Return the energy of a meal: foods tell tenths of a kcal for 100 g or ml."""
    parts = [cast("int", food["calories_dkcal"]) * amount for food, amount in items.get(str(meal["id"]), [])]
    return f"{sum(parts) / 10_000:.0f}"


def _own(p: Person) -> Iterator[str]:
    sessions = sorted(p.rows("sessions"), key=lambda row: str(row["start"]))
    rows = [[minute(row["start"]), row["session_type"], _length(row), row["note"] or ""] for row in sessions]
    yield from _table(f"Sessions ({len(rows)})", ["start", "what", "minutes", "note"], rows)
    notes = sorted(p.rows("notes"), key=lambda row: str(row["time"]))
    yield from _table(f"Notes ({len(notes)})", ["time", "text"], [[minute(row["time"]), row["text"]] for row in notes])
    reminders = [
        [row["time_of_day"], _listed(_words(row["repeat_days"])), row["title"], _rule(row)]
        for row in sorted(p.rows("reminders"), key=lambda row: str(row["time_of_day"]))
    ]
    yield from _table(f"Reminders ({len(reminders)})", ["at", "on", "what", "rule"], reminders)


def _rule(row: Mapping[str, Json]) -> str:
    if row["rule_metric"] is None:
        return ""
    parts = (row["rule_metric"], row["rule_comparison"], row["rule_value"], "a", row["rule_period"])
    return " ".join(str(part) for part in parts).replace("_", " ")


def _care(p: Person, shared: Shared) -> Iterator[str]:
    doctors = {key: f"{row['doctor']}, {row['specialty']}" for key, row in shared["providers"].items()}
    plans = [
        [minute(row["created_at"]), doctors[str(row["provider_id"])], row["text"], _rule(row)]
        for row in sorted(p.rows("care_plans"), key=lambda row: str(row["created_at"]))
    ]
    yield from _table(f"Care plans ({len(plans)})", ["since", "by", "what", "rule"], plans)
    booked = [
        [
            f"{row['date']} {row['time']}-{row['end']}",
            doctors[str(row["provider_id"])],
            row["reason"],
            row["status"],
            money(cast("int", row["fee_cents"])),
        ]
        for row in sorted(p.rows("appointments"), key=lambda row: (str(row["date"]), str(row["time"])))
    ]
    yield from _table(f"Appointments ({len(booked)})", ["when", "with", "reason", "state", "fee"], booked)


def _shop(p: Person, shared: Shared) -> Iterator[str]:
    products = {key: str(row["name"]) for key, row in shared["products"].items()}
    lines: dict[str, list[str]] = {}
    for row in p.rows("order_lines"):
        lines.setdefault(str(row["transaction_id"]), []).append(_line(row, products))
    orders = sorted(
        (row for row in p.rows("transactions") if row["kind"] == "order"), key=lambda r: str(r["created_at"])
    )
    rows = [
        [
            minute(row["created_at"]),
            row["status"],
            money(cast("int", row["total_cents"])),
            "; ".join(lines[str(row["id"])]),
        ]
        for row in orders
    ]
    stock = p.rows("assortment")
    yield from _table(f"Orders ({len(rows)})", ["at", "state", "total", "what"], rows)
    cart = [[_line(row, products), minute(row["added_at"])] for row in p.rows("cart")]
    yield from _table(f"Cart ({len(cart)})", ["what", "since"], cart)
    out = sum(row["stock"] == 0 for row in stock)
    yield f"\nThe store carries {len(stock)} products, {out} of them out of stock."


def _line(row: Mapping[str, Json], products: Mapping[str, str]) -> str:
    pack = " (pack of 5)" if row["size"] == "pack_5" else ""
    return f"{row['quantity']} x {products[str(row.get('product_id') or row['id'])]}{pack}"


def _money(p: Person) -> Iterator[str]:
    wallet, member = p.one("wallet"), p.one("membership")
    ends = member["expires_on"]
    yield "\n## Wallet\n"
    yield (
        f"Balance {money(cast('int', wallet['balance_cents']))}; member until {ends}."
        if ends
        else (f"Balance {money(cast('int', wallet['balance_cents']))}; no member.")
    )
    entries = sorted(p.rows("ledger"), key=lambda row: str(row["at"]))
    rows = [[minute(row["at"]), row["kind"], money(cast("int", row["amount_cents"]))] for row in entries[-_LEDGER:]]
    yield from _table(f"Latest entries of the ledger ({len(rows)} of {len(entries)})", ["at", "what", "amount"], rows)
    vouchers = [
        [row["description"], row["expires_on"], "used" if row["used_in"] else "not used"] for row in p.rows("vouchers")
    ]
    yield from _table(f"Vouchers ({len(vouchers)})", ["what", "until", ""], vouchers)
