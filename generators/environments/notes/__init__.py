"""Seeds notes: shopping rules, remarks about shopping that are none, and notes on other things."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from generators.environments import odds
from generators.environments.moments import DAY, day_of, draw_waking, iso_time, unused
from generators.environments.notes.rules import ruled_notes
from generators.environments.notes.texts import note_texts, remark_text, rule_text
from generators.environments.seeder import Seeder
from language.constraints import OBJECTIVES, Constraints
from services.notes.records import Note

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.environments.seeder import SeedContext
    from services.runtime.records import Record
    from services.runtime.streams import Stream
    from services.shopping.records import Product


def _seed(c: SeedContext) -> Mapping[str, Sequence[Record]]:
    products = list(cast("Mapping[str, Product]", c.world["products"]).values())
    number = c.stream.weighted(odds.NOTES)
    texts = _texts(number, products, c.stream.child("texts"))
    times = _times(number, c)
    notes = [Note(id=c.new_id("notes"), time=t, text=text) for t, text in zip(times, texts, strict=True)]
    return {"notes": [*notes, *ruled_notes(c, set(times))]}


def _times(number: int, c: SeedContext) -> list[str]:
    """Return distinct times of the last weeks, oldest first, most of them on days of their own."""
    stream = c.stream.child("times")
    today = day_of(c.now)
    first = max(day_of(c.since), today - odds.NOTE_DAYS)
    free = stream.shuffled(range(first, today))
    days = [free[0 if n and stream.chance(odds.NOTE_SAME_DAY, 100) else n] for n in range(number)]
    taken: set[str] = set()
    for day in sorted(days):
        taken.add(iso_time(unused(draw_waking(stream, day * DAY, (day + 1) * DAY - 1), taken)))
    return sorted(taken)


def _texts(number: int, products: Sequence[Product], stream: Stream) -> list[str]:
    """Return texts of which no two are the same."""
    topics = stream.shuffled(note_texts().topics)
    found: dict[str, None] = {}
    while len(found) < number:
        kind = stream.weighted(odds.NOTE_KINDS)
        around = stream.choice(products)
        if kind == "rule" and may_be_wished(around):
            found[rule_text(draw_rule(around, products, stream), stream)] = None
        elif kind == "remark":
            found[remark_text(around.category, stream)] = None
        else:
            found[topics[len(found)].text] = None
    return list(found)


UNWISHED = ("high_calorie", "high_fat", "high_sodium", "high_sugar")
"""Tags that hardly anybody makes a rule of."""
_AIM_OF = {"least_sugar": "sugar", "fewest_calories": "calorie", "most_protein": "protein", "most_fiber": "fiber"}


def draw_rule(around: Product, products: Sequence[Product], stream: Stream) -> Constraints:
    """Return a rule that a product fits, as far as the label tells, and that someone could have in mind."""
    shared = sorted({allergen for p in products if p.category == around.category for allergen in p.allergens})
    avoidable = [allergen for allergen in shared if allergen not in around.allergens]
    tags = _wished(around.health_tags, stream)
    aims = [aim for aim in OBJECTIVES if not any(_at_odds(aim, tag) for tag in tags)]
    return Constraints(
        category=around.category,
        tags=tags,
        without=stream.choice(avoidable) if avoidable and stream.chance(1, 3) else None,
        quantity=stream.weighted(odds.NOTE_UNITS) if stream.chance(2, 3) else None,
        max_total=50 * stream.between(*odds.NOTE_LIMIT_STEPS) if stream.chance(1, 2) else None,
        objective=stream.choice(aims) if stream.chance(1, 3) else None,
    )


def may_be_wished(product: Product) -> bool:
    """Return whether a product has something that a rule may ask for."""
    return any(tag not in UNWISHED for tag in product.health_tags)


def _wished(tags: Sequence[str], stream: Stream) -> tuple[str, ...]:
    """Return a tag of a product, now and then two that speak of different things."""
    first = stream.choice([tag for tag in tags if tag not in UNWISHED] or tags)
    others = [tag for tag in tags if tag not in UNWISHED and not set(tag.split("_")) & set(first.split("_"))]
    return (first, stream.choice(others)) if others and stream.chance(1, 4) else (first,)


def _at_odds(aim: str, tag: str) -> bool:
    """Return whether an aim repeats a tag or goes against it: the least sugar of what has much of it."""
    return _AIM_OF.get(aim, "-") in tag or (tag in UNWISHED and aim in ("least_sugar", "fewest_calories"))


SEEDER = Seeder("notes", _seed)
