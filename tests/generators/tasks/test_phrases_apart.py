"""Requests that order nothing use no word that another request of the same message may choose: such as `cheapest`."""

from __future__ import annotations

import pytest

from generators.tasks.intent import Intent
from generators.tasks.intents.compare_products.goal import MEASURES
from generators.tasks.phrases import PLACE
from generators.tasks.quota import installed_intents
from generators.tasks.shop.bind import DELIVERIES
from language import find
from language.constraints import OBJECTIVES
from services.runtime.door import load_world
from services.shopping.records import Product
from tests.generators.tasks.scenes import world

APART = [intent for intent in installed_intents() if "PURCHASE" not in intent.gates]
PRODUCTS = [product for product in load_world(world())["products"].values() if isinstance(product, Product)]
CHOSEN = (
    *OBJECTIVES,
    *DELIVERIES,
    *sorted({product.category for product in PRODUCTS}),
    *sorted({tag for product in PRODUCTS for tag in product.health_tags}),
    *sorted({allergen for product in PRODUCTS for allergen in product.allergens}),
)


@pytest.mark.parametrize("intent", APART, ids=lambda intent: intent.name)
def test_no_form_says_what_another_request_may_choose(intent: Intent) -> None:
    phrases = intent.phrases
    for forms in (phrases.sentences, phrases.fragments, phrases.hidden, phrases.changes):
        for key, form in [(key, form) for key, group in forms.items() for form in group]:
            own = {key.partition("=")[2]} & MEASURES.keys()
            assert {mention.value for mention in find("term", PLACE.sub("", form), CHOSEN)} <= own, form
