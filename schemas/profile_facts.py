"""The closed vocabularies of a profile, and what is true of each entry.

Ids are lower-case English with underscores; with spaces they read as text ("type 2 diabetes").
"""

from __future__ import annotations

from typing import Literal, NamedTuple

Risk = Literal[
    "acid_reflux",
    "arthritis",
    "asthma",
    "celiac_disease",
    "chronic_kidney_disease",
    "fatty_liver",
    "gout",
    "heart_disease",
    "high_cholesterol",
    "hypertension",
    "hypothyroidism",
    "iron_deficiency",
    "low_back_pain",
    "migraine",
    "obesity",
    "osteoporosis",
    "prediabetes",
    "sleep_apnea",
    "type_2_diabetes",
]
Diet = Literal[
    "egg_free",
    "gluten_free",
    "halal",
    "kosher",
    "lactose_free",
    "low_fat",
    "low_sodium",
    "low_sugar",
    "nut_free",
    "pescatarian",
    "shellfish_free",
    "soy_free",
    "vegan",
    "vegetarian",
]
Sport = Literal[
    "badminton",
    "basketball",
    "boxing",
    "climbing",
    "cycling",
    "dancing",
    "football",
    "golf",
    "hiking",
    "pilates",
    "rowing",
    "running",
    "skating",
    "skiing",
    "strength_training",
    "swimming",
    "table_tennis",
    "tai_chi",
    "tennis",
    "volleyball",
    "walking",
    "yoga",
]
Food = Literal[
    "almonds",
    "apples",
    "avocado",
    "bananas",
    "bean_chili",
    "beef_stew",
    "berries",
    "brown_rice",
    "burgers",
    "cheese",
    "chicken_soup",
    "cottage_cheese",
    "dark_chocolate",
    "edamame",
    "falafel",
    "fruit_smoothies",
    "greek_yogurt",
    "grilled_chicken",
    "hummus",
    "ice_cream",
    "leafy_salads",
    "lentil_soup",
    "mushrooms",
    "oatmeal",
    "omelettes",
    "pancakes",
    "pasta",
    "peanut_butter",
    "pickles",
    "pizza",
    "popcorn",
    "pork_ribs",
    "potato_chips",
    "quinoa",
    "roasted_vegetables",
    "salmon",
    "scrambled_eggs",
    "shrimp",
    "sushi",
    "sweet_potatoes",
    "tacos",
    "tofu",
    "trail_mix",
    "tuna_sandwiches",
    "vegetable_curry",
    "walnuts",
    "whole_grain_bread",
]
Content = Literal[
    "meat", "pork", "fish", "shellfish", "dairy", "egg", "gluten", "nuts", "soy", "sugary", "salty", "fatty"
]
"""What a dish has in it, or much of, as commonly made."""
Spared = Literal["nothing", "impact", "effort"]
"""What a condition asks to avoid in sport."""


class RiskFacts(NamedTuple):
    """Whom a condition can plausibly concern. A model of plausibility for invented persons, not medical advice."""

    min_age: int
    """Years; below it the condition is too rare to invent."""
    weight: int
    """How often it is drawn, compared with the others."""
    min_bmi: int = 0
    """kg/m²."""
    spares: Spared = "nothing"
    excludes: tuple[Risk, ...] = ()
    needs: tuple[Diet, ...] = ()
    """Diets that whoever has the condition keeps."""
    advises: tuple[Diet, ...] = ()
    """Diets that care providers may have filed."""


class SportFacts(NamedTuple):
    """Whom a sport suits."""

    effort: Literal[1, 2, 3]
    """1 gentle, 2 moderate, 3 vigorous, by the Compendium of Physical Activities (below 4, 4-7, above 7 METs)."""
    impact: bool
    """Whether it jolts the joints."""
    max_age: int
    """Years."""


RISKS: dict[Risk, RiskFacts] = {
    "acid_reflux": RiskFacts(20, 4),
    "arthritis": RiskFacts(40, 6, spares="impact"),
    "asthma": RiskFacts(18, 4),
    "celiac_disease": RiskFacts(18, 1, needs=("gluten_free",)),
    "chronic_kidney_disease": RiskFacts(45, 2, advises=("low_sodium",)),
    "fatty_liver": RiskFacts(30, 3, min_bmi=25, advises=("low_sugar", "low_fat")),
    "gout": RiskFacts(35, 2),
    "heart_disease": RiskFacts(45, 4, spares="effort", advises=("low_sodium", "low_fat")),
    "high_cholesterol": RiskFacts(30, 8, advises=("low_fat",)),
    "hypertension": RiskFacts(30, 10, advises=("low_sodium",)),
    "hypothyroidism": RiskFacts(25, 3),
    "iron_deficiency": RiskFacts(18, 4),
    "low_back_pain": RiskFacts(20, 6, spares="impact"),
    "migraine": RiskFacts(18, 5),
    "obesity": RiskFacts(18, 8, min_bmi=30),
    "osteoporosis": RiskFacts(50, 3, spares="impact"),
    "prediabetes": RiskFacts(25, 6, excludes=("type_2_diabetes",), advises=("low_sugar",)),
    "sleep_apnea": RiskFacts(30, 3),
    "type_2_diabetes": RiskFacts(35, 6, excludes=("prediabetes",), advises=("low_sugar",)),
}
DIETS: dict[Diet, tuple[Content, ...]] = {
    "egg_free": ("egg",),
    "gluten_free": ("gluten",),
    "halal": ("pork",),
    "kosher": ("pork", "shellfish"),
    "lactose_free": ("dairy",),
    "low_fat": ("fatty",),
    "low_sodium": ("salty",),
    "low_sugar": ("sugary",),
    "nut_free": ("nuts",),
    "pescatarian": ("meat", "pork"),
    "shellfish_free": ("shellfish",),
    "soy_free": ("soy",),
    "vegan": ("meat", "pork", "fish", "shellfish", "dairy", "egg"),
    "vegetarian": ("meat", "pork", "fish", "shellfish"),
}
"""What whoever keeps a diet does not eat."""
SPORTS: dict[Sport, SportFacts] = {
    "badminton": SportFacts(2, True, 75),
    "basketball": SportFacts(3, True, 55),
    "boxing": SportFacts(3, True, 55),
    "climbing": SportFacts(3, False, 65),
    "cycling": SportFacts(2, False, 85),
    "dancing": SportFacts(2, False, 85),
    "football": SportFacts(3, True, 55),
    "golf": SportFacts(2, False, 85),
    "hiking": SportFacts(2, False, 80),
    "pilates": SportFacts(1, False, 90),
    "rowing": SportFacts(3, False, 75),
    "running": SportFacts(3, True, 75),
    "skating": SportFacts(2, True, 65),
    "skiing": SportFacts(2, True, 70),
    "strength_training": SportFacts(2, False, 85),
    "swimming": SportFacts(2, False, 90),
    "table_tennis": SportFacts(2, False, 85),
    "tai_chi": SportFacts(1, False, 90),
    "tennis": SportFacts(3, True, 75),
    "volleyball": SportFacts(2, True, 65),
    "walking": SportFacts(1, False, 90),
    "yoga": SportFacts(1, False, 90),
}
FOODS: dict[Food, tuple[Content, ...]] = {
    "almonds": ("nuts", "fatty"),
    "apples": (),
    "avocado": ("fatty",),
    "bananas": (),
    "bean_chili": (),
    "beef_stew": ("meat",),
    "berries": (),
    "brown_rice": (),
    "burgers": ("meat", "gluten", "fatty", "salty"),
    "cheese": ("dairy", "fatty", "salty"),
    "chicken_soup": ("meat", "salty"),
    "cottage_cheese": ("dairy",),
    "dark_chocolate": ("sugary", "fatty"),
    "edamame": ("soy",),
    "falafel": ("fatty",),
    "fruit_smoothies": ("sugary",),
    "greek_yogurt": ("dairy",),
    "grilled_chicken": ("meat",),
    "hummus": ("fatty",),
    "ice_cream": ("dairy", "sugary", "fatty"),
    "leafy_salads": (),
    "lentil_soup": (),
    "mushrooms": (),
    "oatmeal": ("gluten",),
    "omelettes": ("egg", "fatty"),
    "pancakes": ("gluten", "egg", "dairy", "sugary"),
    "pasta": ("gluten",),
    "peanut_butter": ("nuts", "fatty"),
    "pickles": ("salty",),
    "pizza": ("gluten", "dairy", "fatty", "salty"),
    "popcorn": (),
    "pork_ribs": ("meat", "pork", "fatty"),
    "potato_chips": ("fatty", "salty"),
    "quinoa": (),
    "roasted_vegetables": (),
    "salmon": ("fish", "fatty"),
    "scrambled_eggs": ("egg", "fatty"),
    "shrimp": ("shellfish",),
    "sushi": ("fish", "soy", "salty"),
    "sweet_potatoes": (),
    "tacos": ("meat", "gluten"),
    "tofu": ("soy",),
    "trail_mix": ("nuts", "sugary", "fatty"),
    "tuna_sandwiches": ("fish", "gluten"),
    "vegetable_curry": (),
    "walnuts": ("nuts", "fatty"),
    "whole_grain_bread": ("gluten",),
}
