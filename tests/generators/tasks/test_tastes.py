"""Nobody asks for what contradicts itself: the declared tastes name what there is, and what is bound keeps to them."""

from __future__ import annotations

from itertools import combinations
from typing import cast

import pytest

from generators.tasks.intent import Scene
from generators.tasks.quota import installed_intents
from generators.tasks.shop.goal import OBJECTIVES
from generators.tasks.shop.tastes import (
    APART,
    NOT_SOUGHT,
    OUT_OF_PLACE,
    SAID_ALREADY,
    SELDOM_SOUGHT,
    go_together,
    objectives_beside,
    sought,
    told_by_name,
)
from generators.worlds.recipes import categories
from services.runtime.catalogue import installed_catalogue
from services.runtime.door import base_of, known_world
from services.runtime.streams import Stream
from services.shopping.nutrition import HEALTH_TAGS
from tests.generators.tasks.scenes import user, world

USERS = range(4)
BOUND = ("buy-best", "budget-basket", "substitute")


def test_the_tables_name_tags_objectives_and_categories_that_there_are() -> None:
    tags = {*NOT_SOUGHT, *SELDOM_SOUGHT, *SAID_ALREADY, *APART, *OUT_OF_PLACE}.union(*APART.values())
    assert tags <= set(HEALTH_TAGS)
    assert set[str]().union(*SAID_ALREADY.values()) <= set(OBJECTIVES)
    assert set[str]().union(*OUT_OF_PLACE.values()) <= set(categories())


def test_tags_go_together_both_ways() -> None:
    for one, other in combinations(HEALTH_TAGS, 2):
        assert go_together(one, other) == go_together(other, one)
    assert not go_together("low_sugar", "low_sugar")
    assert not go_together("diabetic_safe", "low_sugar")
    assert go_together("low_fat", "high_protein")


@pytest.mark.parametrize("name", BOUND)
def test_what_is_bound_is_what_people_ask_for(name: str) -> None:
    (intent,) = (intent for intent in installed_intents() if intent.name == name)
    seen = 0
    for index in USERS:
        profile, environment = user(index)
        base = base_of(environment, known_world(world()))
        scene = Scene(profile, base, installed_catalogue(), environment.now, environment.seed)
        for number, cell in enumerate(intent.cells):
            binding = intent.bind(cell, scene, Stream(3, index, number))
            if binding is None:
                continue
            seen += 1
            values = binding.values()
            tags = [str(values[tag]) for tag in ("tag", "tag_2") if tag in values]
            places = [str(value) for slot, value in values.items() if slot.startswith("category")]
            assert sought(tags, *places) == tags
            assert all(go_together(one, other) for one, other in combinations(tags, 2))
            objective = cast("str | None", values.get("objective"))
            assert objective is None or objective in objectives_beside(tags, OBJECTIVES)
    assert seen > len(USERS)


@pytest.mark.parametrize(
    ("tag", "name", "told"),
    [
        ("low_sugar", "Zero Sugar Honey Bar", True),
        ("sugar_free", "Iced Tea Zero", True),
        ("low_fat", "Light Bean Dip", True),
        ("high_fiber", "Lentil Soup with Fibre", True),
        ("low_sodium", "Unsalted Miso Soup", True),
        ("low_fat", "Zero Sugar Honey Bar", False),
        ("high_protein", "Lentil Soup with Fibre", False),
        ("diabetic_safe", "Zero Sugar Honey Bar", False),
    ],
)
def test_a_name_that_answers_a_question_is_known(tag: str, name: str, told: bool) -> None:
    assert told_by_name(tag, name) is told
