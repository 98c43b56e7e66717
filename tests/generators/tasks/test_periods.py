"""The periods that questions about past orders are bound to: such as people name, and none in doubt."""

from __future__ import annotations

from collections import Counter
from datetime import date, timedelta
from functools import cache
from typing import cast

from hypothesis import given
from hypothesis import strategies as st

from generators.tasks.history.bind import KINDS, History, draw_kinds, draw_period
from generators.tasks.intent import Binding, Scene
from generators.tasks.quota import installed_intents
from language.dates import period_forms
from language.relative import write_relative
from services.runtime.catalogue import installed_catalogue
from services.runtime.door import base_of, known_world
from services.runtime.streams import Stream
from tests.generators.tasks.scenes import user, world

QUESTIONS = [intent for intent in installed_intents() if intent.name in ("spending-question", "top-category")]
USERS = 8
ASKED = 6


@given(st.dates(date(2023, 1, 1), date(2030, 12, 31)), st.integers(0, 200), st.sampled_from(KINDS), st.integers(0, 99))
def test_a_period_holds_its_day_and_has_a_name(today: date, before: int, kind: tuple[str, int], seed: int) -> None:
    day = (today - timedelta(days=before)).isoformat()
    first, last = draw_period(kind[0], day, today.isoformat(), Stream(seed))
    assert first <= day <= last
    assert write_relative((first, last), today.isoformat()) or "whole" in period_forms((first, last))


def test_every_kind_is_tried_and_a_month_is_the_most_frequent_first() -> None:
    orders = [draw_kinds(Stream(number)) for number in range(300)]
    assert {frozenset(order) for order in orders} == {frozenset(kind for kind, _ in KINDS)}
    assert Counter(order[0] for order in orders).most_common(1)[0][0] == "month"


@cache
def bound() -> list[tuple[Scene, Binding]]:
    """Return questions that can be answered, with the scenes they are asked in."""
    found: list[tuple[Scene, Binding]] = []
    for index in range(USERS):
        profile, environment = user(index)
        base = base_of(environment, known_world(world()))
        scene = Scene(profile, base, installed_catalogue(), environment.now, environment.seed)
        for intent in QUESTIONS:
            for number in range(ASKED):
                binding = intent.bind(intent.cells[0], scene, Stream(index, intent.name, number))
                if binding is not None:
                    found.append((scene.after(binding.setup), binding))
    return found


def test_what_lasts_until_now_begins_without_doubt_and_leaves_out_something() -> None:
    ends: Counter[bool] = Counter()
    for scene, binding in bound():
        (slot,) = (slot for slot in binding.slots if slot.name == "period")
        first, last = cast("list[str]", slot.value)
        days = [order.created_at[:10] for order in History(scene).of_status("completed")]
        assert min(days) < first
        assert slot.constraint == (last < scene.today)
        assert last >= scene.today or max(days) > last
        about = next(((s.name, str(s.value)) for s in binding.slots if s.name in ("category", "brand")), None)
        if not first.endswith("-01"):
            assert not History(scene).matching((first, first), about)
        ends[last == scene.today] += 1
    assert ends[False] > ends[True] > 0


def test_what_is_summed_by_item_has_no_voucher() -> None:
    summed = 0
    for scene, binding in bound():
        values = binding.values()
        if binding.variant not in ("category", "brand") and not {"category", "brand"} & values.keys():
            continue
        first, last = cast("list[str]", values["period"])
        about = next(((name, str(values[name])) for name in ("category", "brand") if name in values), None)
        inside = History(scene).matching((first, last), about)
        assert not [order for order in inside if order.status == "completed" and order.voucher_id]
        summed += 1
    assert summed > USERS
