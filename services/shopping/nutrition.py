"""Health tags of a product, computed from its nutrition by published thresholds.

The thresholds are data. Amounts are compared per kilogram or litre, so that every published limit is a whole number of
the unit that the nutrient is stored in, and only integers are compared. Criteria per portion are left out: a serving
here is the content of a pack, which need not be eaten at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from schemas.world import HealthTag, Unit

if TYPE_CHECKING:
    from collections.abc import Mapping

Nutrient: TypeAlias = Literal["calories_dkcal", "fat_dg", "fiber_dg", "protein_dg", "sodium_mg", "sugar_dg"]
"""Column of a product row; the ending names the unit: tenths of a kilocalorie, tenths of a gram, milligrams."""
Basis: TypeAlias = Literal["per_1000", "per_100_kcal", "energy_percent"]
"""What an amount is compared against: 1000 g or ml of product, 100 kcal, or its own share of the energy in percent."""
Relation: TypeAlias = Literal["at_most", "at_least", "above"]

HEALTH_TAGS: tuple[HealthTag, ...] = get_args(HealthTag)
NUTRIENTS: tuple[Nutrient, ...] = get_args(Nutrient)

EU = "Regulation (EC) No 1924/2006, annex"
FSA = "UK front-of-pack nutrition labelling guidance (2016), red criteria per 100 g or 100 ml; sodium = salt / 2.5"
ROLLS = "Rolls (2017), Nutrition Bulletin 42, 246-253, table 2: high energy density is 4.0 to 9.0 kcal/g"
NOM = "NOM-051-SCFI/SSA1-2010 as amended in 2020: excess calories from 70 kcal per 100 ml"

KCAL_PER_GRAM_OF_PROTEIN = 4
"""Regulation (EU) No 1169/2011, annex XIV."""


@dataclass(frozen=True, slots=True)
class Limit:
    """One condition on one nutrient; a product bears `tag` when any limit of that tag and its unit holds."""

    tag: HealthTag
    unit: Unit
    """`g` for food, `ml` for drinks."""
    nutrient: Nutrient
    relation: Relation
    value: int
    """In the unit of `nutrient` per `basis`; in percent when the basis is `energy_percent`."""
    basis: Basis
    source: str


@dataclass(frozen=True, slots=True)
class Combination:
    """A tag that follows from other tags alone."""

    tag: HealthTag
    all_of: tuple[HealthTag, ...]
    any_of: tuple[HealthTag, ...]
    none_of: tuple[HealthTag, ...]


LIMITS: tuple[Limit, ...] = (
    Limit("low_calorie", "g", "calories_dkcal", "at_most", 4000, "per_1000", EU),
    Limit("low_calorie", "ml", "calories_dkcal", "at_most", 2000, "per_1000", EU),
    Limit("low_fat", "g", "fat_dg", "at_most", 300, "per_1000", EU),
    Limit("low_fat", "ml", "fat_dg", "at_most", 150, "per_1000", EU),
    Limit("low_sugar", "g", "sugar_dg", "at_most", 500, "per_1000", EU),
    Limit("low_sugar", "ml", "sugar_dg", "at_most", 250, "per_1000", EU),
    Limit("sugar_free", "g", "sugar_dg", "at_most", 50, "per_1000", EU),
    Limit("sugar_free", "ml", "sugar_dg", "at_most", 50, "per_1000", EU),
    Limit("low_sodium", "g", "sodium_mg", "at_most", 1200, "per_1000", EU),
    Limit("low_sodium", "ml", "sodium_mg", "at_most", 1200, "per_1000", EU),
    Limit("high_fiber", "g", "fiber_dg", "at_least", 600, "per_1000", EU),
    Limit("high_fiber", "g", "fiber_dg", "at_least", 30, "per_100_kcal", EU),
    Limit("high_fiber", "ml", "fiber_dg", "at_least", 600, "per_1000", EU),
    Limit("high_fiber", "ml", "fiber_dg", "at_least", 30, "per_100_kcal", EU),
    Limit("high_protein", "g", "protein_dg", "at_least", 20, "energy_percent", EU),
    Limit("high_protein", "ml", "protein_dg", "at_least", 20, "energy_percent", EU),
    Limit("high_fat", "g", "fat_dg", "above", 1750, "per_1000", FSA),
    Limit("high_fat", "ml", "fat_dg", "above", 875, "per_1000", FSA),
    Limit("high_sugar", "g", "sugar_dg", "above", 2250, "per_1000", FSA),
    Limit("high_sugar", "ml", "sugar_dg", "above", 1125, "per_1000", FSA),
    Limit("high_sodium", "g", "sodium_mg", "above", 6000, "per_1000", FSA),
    Limit("high_sodium", "ml", "sodium_mg", "above", 3000, "per_1000", FSA),
    Limit("high_calorie", "g", "calories_dkcal", "at_least", 40000, "per_1000", ROLLS),
    Limit("high_calorie", "ml", "calories_dkcal", "at_least", 7000, "per_1000", NOM),
)

COMBINATIONS: tuple[Combination, ...] = (
    # Ours, no published claim and no medical advice: little sugar, nothing in the red, and not mere starch.
    Combination(
        "diabetic_safe",
        all_of=("low_sugar",),
        any_of=("high_fiber", "high_protein", "low_calorie"),
        none_of=("high_calorie", "high_fat", "high_sodium"),
    ),
)


def health_tags(row: Mapping[str, object]) -> tuple[HealthTag, ...]:
    """Return the health tags of a product row, sorted.

    Raises KeyError for a missing column and TypeError for an amount that is no integer.
    """
    tags: set[HealthTag] = {limit.tag for limit in LIMITS if limit.unit == row["unit"] and _holds(limit, row)}
    tags |= {combination.tag for combination in COMBINATIONS if _follows(combination, tags)}
    return tuple(sorted(tags))


def _holds(limit: Limit, row: Mapping[str, object]) -> bool:
    """Compare by cross-multiplication: nothing is divided, so nothing is rounded."""
    amount = _integer(row, limit.nutrient)
    if limit.basis == "per_1000":
        left, right = amount * 1000, limit.value * _integer(row, "serving_weight")
    elif limit.basis == "per_100_kcal":
        left, right = amount * 1000, limit.value * _integer(row, "calories_dkcal")
    else:
        left, right = amount * KCAL_PER_GRAM_OF_PROTEIN * 100, limit.value * _integer(row, "calories_dkcal")
    if limit.relation == "at_most":
        return left <= right
    if limit.relation == "above":
        return left > right
    # Nothing is high in what it does not contain, also when it has no energy to compare with.
    return amount > 0 and left >= right


def _follows(combination: Combination, tags: set[HealthTag]) -> bool:
    return (
        tags.issuperset(combination.all_of)
        and not tags.isdisjoint(combination.any_of)
        and tags.isdisjoint(combination.none_of)
    )


def _integer(row: Mapping[str, object], column: str) -> int:
    value = row[column]
    if not isinstance(value, int):
        msg = f"{column} must be an integer, got {value!r}"
        raise TypeError(msg)
    return value
