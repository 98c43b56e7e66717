"""What is in a product: nutrition of one serving, drawn within a variant's ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from generators.worlds.recipes import Category, Part, Range, Variant
    from services.runtime.streams import Stream

WHOLE_DG = 1000
"""Tenths of a gram in 100 g."""


def draw_serving(stream: Stream, category: Category, variant: Variant) -> dict[str, int]:
    """Return `serving_weight` and the nutrition of one serving, in the columns and units of a product row.

    Energy follows from the macronutrients by the factors of Regulation (EU) No 1169/2011, annex XIV: 4 kcal/g for
    protein and carbohydrate, 9 for fat, 2 for fibre.
    """
    smallest, largest, step = category.pack
    weight = smallest + step * stream.below((largest - smallest) // step + 1)
    parts = _draw_parts(stream, {**category.base, **variant.change})
    protein, fat, fiber, sugar, starch, sodium = (
        _half_up(parts[part] * weight, 100) for part in ("protein", "fat", "fiber", "sugar", "starch", "sodium")
    )
    return {
        "serving_weight": weight,
        "calories_dkcal": 4 * (protein + sugar + starch) + 9 * fat + 2 * fiber,
        "sugar_dg": sugar,
        "protein_dg": protein,
        "fat_dg": fat,
        "fiber_dg": fiber,
        "sodium_mg": sodium,
    }


def _draw_parts(stream: Stream, ranges: Mapping[Part, Range]) -> dict[Part, int]:
    """Draw every part per 100 g or 100 ml; starch gives way where all would be more than the whole."""
    parts: dict[Part, int] = {part: stream.between(*limits) for part, limits in ranges.items()}
    others = parts["protein"] + parts["fat"] + parts["fiber"] + parts["sugar"]
    parts["starch"] = min(parts["starch"], WHOLE_DG - others)
    return parts


def _half_up(numerator: int, denominator: int) -> int:
    return (2 * numerator + denominator) // (2 * denominator)
