"""Rules on products, each a question in SQL over the tables of `validators.worlds.tables`: an answer is a fault."""

from __future__ import annotations

from typing import TYPE_CHECKING

from language.terms import key
from validators.worlds.tables import ask, products

if TYPE_CHECKING:
    from collections.abc import Iterator

    from validators.worlds.tables import Record


def _of_generated(*questions: tuple[str, str]) -> tuple[tuple[str, str], ...]:
    """Return the questions, asked of generated products only: labels of real ones may say what cannot be."""
    sources = "SELECT product_id FROM product WHERE source = 'generated'"
    return tuple((meaning, f"SELECT * FROM ({query}) WHERE product_id IN ({sources})") for meaning, query in questions)


# 400 is 4 kcal per gram of protein, times 100 for percent.
_REACHED = """
    WITH reached AS (
        SELECT DISTINCT product.product_id, tag_limit.tag
        FROM product JOIN nutrient USING (product_id) JOIN tag_limit USING (unit, nutrient)
        WHERE CASE relation
            WHEN 'at_most' THEN amount * CASE basis WHEN 'energy_percent' THEN 400 ELSE 1000 END
                <= value * CASE basis WHEN 'per_1000' THEN serving_weight ELSE calories_dkcal END
            WHEN 'above' THEN amount * CASE basis WHEN 'energy_percent' THEN 400 ELSE 1000 END
                > value * CASE basis WHEN 'per_1000' THEN serving_weight ELSE calories_dkcal END
            WHEN 'at_least' THEN amount > 0 AND amount * CASE basis WHEN 'energy_percent' THEN 400 ELSE 1000 END
                >= value * CASE basis WHEN 'per_1000' THEN serving_weight ELSE calories_dkcal END
        END
    ),
    hit AS (
        SELECT combination.tag, role, product_id, count(*) AS hits
        FROM combination JOIN reached ON reached.tag = part GROUP BY combination.tag, role, product_id
    ),
    due AS (
        SELECT product_id, tag FROM reached
        UNION
        SELECT product_id, wanted.tag
        FROM product CROSS JOIN (SELECT tag, sum(role = 'all') AS needed FROM combination GROUP BY tag) AS wanted
        WHERE needed = coalesce((SELECT hits FROM hit
                WHERE hit.tag = wanted.tag AND hit.product_id = product.product_id AND role = 'all'), 0)
            AND EXISTS (SELECT 1 FROM hit
                WHERE hit.tag = wanted.tag AND hit.product_id = product.product_id AND role = 'any')
            AND NOT EXISTS (SELECT 1 FROM hit
                WHERE hit.tag = wanted.tag AND hit.product_id = product.product_id AND role = 'none')
    ),
    stated AS (SELECT product_id, word AS tag FROM label WHERE kind = 'health_tags')
"""
_HEALTH_TAGS = (
    ("lacks a health tag that its nutrition has", _REACHED + "SELECT * FROM due EXCEPT SELECT * FROM stated"),
    ("has a health tag that its nutrition lacks", _REACHED + "SELECT * FROM stated EXCEPT SELECT * FROM due"),
)

# Energy by Regulation (EU) No 1169/2011, annex XIV: 4 kcal/g protein and carbohydrate, 9 fat, 2 fibre. Labels round and
# polyols give less than 4, hence 5 % and 1 kcal. A millilitre is taken to weigh at most 1.3 g, as syrup does.
_ENERGY = _of_generated(
    (
        "has less energy than its protein, fat and sugar give",
        """SELECT product_id, calories_dkcal FROM product
           WHERE 100 * (4 * protein_dg + 9 * fat_dg + 4 * sugar_dg) > 105 * calories_dkcal + 1000""",
    ),
    (
        "has more energy than its weight can give",
        """SELECT product_id, calories_dkcal FROM (
               SELECT *, serving_weight * CASE unit WHEN 'ml' THEN 13 ELSE 10 END AS mass_dg FROM product)
           WHERE 100 * calories_dkcal > 105 * (9 * fat_dg + 2 * fiber_dg + 4 * (mass_dg - fat_dg - fiber_dg)) + 1000""",
    ),
    (
        "weighs less than its parts",
        """SELECT product_id, serving_weight FROM product
           WHERE protein_dg + fat_dg + fiber_dg + sugar_dg
               > serving_weight * CASE unit WHEN 'ml' THEN 13 ELSE 10 END + 2""",
    ),
    # Salt is 39.3 % sodium.
    ("is saltier than salt", "SELECT product_id, sodium_mg FROM product WHERE sodium_mg > 393 * serving_weight"),
)

_LABELS = (
    (
        "has labels out of order or twice",
        """SELECT later.product_id, later.word FROM label AS later
           JOIN label AS earlier USING (product_id, kind)
           WHERE earlier.place + 1 = later.place AND earlier.word >= later.word""",
    ),
    (
        "bears an attribute and the allergen that it is free from",
        """SELECT borne.product_id, attribute FROM label AS borne
           JOIN free_from ON borne.kind = 'attributes' AND borne.word = attribute
           JOIN label AS held ON held.product_id = borne.product_id AND held.kind = 'allergens'
               AND held.word = allergen""",
    ),
    (
        "bears printed labels, though nobody printed them",
        """SELECT product_id, word FROM product JOIN label USING (product_id)
           WHERE source = 'generated' AND kind = 'label_tags'""",
    ),
    (
        "bears an attribute that an allergen rules out",
        """SELECT borne.product_id, attribute FROM label AS borne
           JOIN excludes ON borne.kind = 'attributes' AND borne.word = attribute
           JOIN label AS held ON held.product_id = borne.product_id AND held.kind = 'allergens'
               AND held.word = allergen""",
    ),
    (
        "is called vegan",
        """SELECT product_id, category FROM product JOIN label USING (product_id)
           WHERE label.kind = 'attributes' AND label.word = 'vegan' AND (
               category IN (SELECT word FROM not_vegan WHERE kind = 'category')
               OR EXISTS (SELECT 1 FROM name_word JOIN not_vegan ON not_vegan.kind = 'name'
                   AND not_vegan.word = name_word.word WHERE name_word.product_id = product.product_id))""",
    ),
    (
        "lacks an allergen that its category has",
        """SELECT product_id, allergen FROM product JOIN category_allergen USING (category)
           EXCEPT SELECT product_id, word FROM label WHERE kind = 'allergens'""",
    ),
    (
        "lacks an allergen that its name tells",
        """SELECT product_id, allergen FROM name_word JOIN name_allergen USING (word)
           EXCEPT SELECT product_id, word FROM label WHERE kind = 'allergens'
           EXCEPT SELECT product_id, allergen FROM label JOIN free_label ON tag = word WHERE kind = 'label_tags'""",
    ),
    *_of_generated(
        (
            "must bear an attribute when it lacks the allergen",
            """SELECT product_id, attribute FROM product CROSS JOIN free_from
           WHERE NOT EXISTS (SELECT 1 FROM label WHERE label.product_id = product.product_id
                   AND (kind = 'attributes' AND word = attribute OR kind = 'allergens' AND word = allergen))""",
        ),
        (
            "is called premium, but is not dearer by weight than half of the others of its category",
            """SELECT mine.product_id, mine.single_cents FROM product AS mine
           JOIN label ON label.product_id = mine.product_id AND kind = 'attributes' AND word = 'premium'
           LEFT JOIN product AS other ON other.category = mine.category AND other.product_id <> mine.product_id
           GROUP BY mine.product_id
           HAVING coalesce(2 * sum(other.single_cents * mine.serving_weight < mine.single_cents * other.serving_weight)
               < count(other.product_id), 1) OR count(other.product_id) = 0""",
        ),
    ),
)

_NAMES = (
    (
        "shares its name",
        """SELECT max(product_id), min(name) FROM product GROUP BY lower(name) HAVING count(*) > 1""",
    ),
    *_of_generated(
        (
            "claims by its name a health tag that it lacks",
            """SELECT product_id, tag FROM name_word JOIN name_claim USING (word)
           EXCEPT SELECT product_id, word FROM label WHERE kind = 'health_tags'""",
        ),
    ),
)

_OFF = "({} * (100 - discount_percent) + 50) / 100"
_PRICES = (
    ("has no price", "SELECT product_id, single_cents FROM product WHERE NOT (single_cents > 0 AND pack_cents > 0)"),
    (
        "costs no more by the pack than alone",
        "SELECT product_id, pack_cents FROM product WHERE pack_cents <= single_cents",
    ),
    (
        "costs the same by the pack and in singles",
        "SELECT product_id, pack_cents FROM product WHERE pack_cents = pack_units * single_cents",
    ),
    (
        "costs the same by the pack and in singles after the discount",
        f"""SELECT product_id, pack_cents FROM product
            WHERE {_OFF.format("pack_cents")} = pack_units * ({_OFF.format("single_cents")})""",
    ),
    (
        "keeps a discount of nothing for members",
        "SELECT product_id, discount_percent FROM product WHERE discount_members_only AND discount_percent = 0",
    ),
)


def health_tag_faults(record: Record) -> Iterator[str]:
    """Yield health tags that are missing or not borne out, by the published thresholds."""
    return ask(record, _HEALTH_TAGS)


def energy_faults(record: Record) -> Iterator[str]:
    """Yield nutrition that cannot be: energy against macronutrients, parts against the whole."""
    return ask(record, _ENERGY)


def label_faults(record: Record) -> Iterator[str]:
    """Yield allergens and attributes that contradict each other, the category or the name."""
    return ask(record, _LABELS)


def name_faults(record: Record) -> Iterator[str]:
    """Yield names that are not unique to a reader, or claim what the nutrition does not bear out."""
    yield from ask(record, _NAMES)
    first: dict[tuple[str, ...], str] = {}
    for row in products(record):
        name = str(row["name"])
        other = first.setdefault(key(name), name)
        if name.lower() != other.lower():
            yield f"{row['id']} has a name that reads like another one: {name!r} like {other!r}"


def price_faults(record: Record) -> Iterator[str]:
    """Yield prices that are none, or at which packs and singles tie, and discounts that say nothing."""
    return ask(record, _PRICES)
