"""The shared table of foods: read from a data file, energy worked out from the rest."""

from __future__ import annotations

from decimal import Decimal
from functools import cache
from typing import TYPE_CHECKING, Literal, NamedTuple, cast

from generators.data_files import read_yaml
from language.terms import key
from services.records.nutrition import energy_dkcal
from services.records.records import Food

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

PACKAGE = __name__.rpartition(".")[0]
_TENTHS = 10


class Listed(NamedTuple):
    """One food of the data file."""

    food: Food
    roles: tuple[str, ...]
    """What it is on a plate."""


@cache
def listed_foods() -> tuple[Listed, ...]:
    """Return all foods, by id."""
    data = cast("Mapping[str, Sequence[Sequence[object]]]", read_yaml(PACKAGE, "foods.yaml"))
    return tuple(sorted((_listed(row) for row in data["foods"]), key=lambda one: one.food.id))


def _listed(row: Sequence[object]) -> Listed:
    name, group, measure, piece, *amounts, contents, roles = row
    protein, carbs, sugar, fat, fiber, sodium = (Decimal(str(amount)) for amount in amounts)
    protein_dg, carbs_dg, sugar_dg, fat_dg, fiber_dg = (
        _whole(name, amount * _TENTHS) for amount in (protein, carbs, sugar, fat, fiber)
    )
    food = Food(
        id=f"food_{'_'.join(key(str(name)))}",
        name=str(name),
        group=str(group),
        measure=cast("Literal['g', 'ml']", measure),
        piece=cast("int", piece),
        calories_dkcal=energy_dkcal(protein_dg, carbs_dg, fat_dg, fiber_dg),
        protein_dg=protein_dg,
        carbs_dg=carbs_dg,
        sugar_dg=sugar_dg,
        fat_dg=fat_dg,
        fiber_dg=fiber_dg,
        sodium_mg=_whole(name, sodium),
        contents=tuple(sorted(cast("list[str]", contents))),
    )
    return Listed(food, tuple(cast("list[str]", roles)))


def _whole(name: object, amount: Decimal) -> int:
    if amount != amount.to_integral_value():
        msg = f"foods.yaml states an amount of {name} with too many decimals"
        raise ValueError(msg)
    return int(amount)


def foods_by_role() -> dict[str, list[Food]]:
    """Return the foods of each role, by id."""
    found: dict[str, list[Food]] = {}
    for food, roles in listed_foods():
        for role in roles:
            found.setdefault(role, []).append(food)
    return found
