"""Names that each select one product: what reads alike gets its brand in front, then its size or a number behind.

1. Names that read alike (case, accents, hyphens and the plural of the last word aside), and names that stand in whole
   inside another one, get the brand in front, unless they begin with it.
2. What then still reads alike gets the content of its pack behind, such as `200 g`, where that tells all of them apart;
3. else a number, such as `No. 2`, in the order of the ids.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from language.terms import key

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


@dataclass(frozen=True, slots=True)
class Named:
    """What names are made of."""

    id: str
    name: str
    brand: str
    size: str
    """Content of a pack in words."""


def distinct_names(products: Sequence[Named]) -> dict[str, str]:
    """Return a name by id; what reads alike even so (a name that looks like one with a number) stays alike."""
    names = {product.id: product.name for product in products}
    unclear = _ambiguous(names)
    for product in products:
        if product.id in unclear and not product.name.startswith(f"{product.brand} "):
            names[product.id] = f"{product.brand} {product.name}"
    sizes = {product.id: product.size for product in products}
    for group in alike(names):
        tells = len({sizes[one] for one in group}) == len(group)
        for number, one in enumerate(sorted(group), 1):
            names[one] += f" {sizes[one]}" if tells else f" No. {number}"
    return names


def alike(names: Mapping[str, str]) -> list[list[str]]:
    """Return the ids whose names read alike, group by group."""
    found: defaultdict[tuple[str, ...], list[str]] = defaultdict(list)
    for one, name in names.items():
        found[key(name)].append(one)
    return [ids for ids in found.values() if len(ids) > 1]


def _ambiguous(names: Mapping[str, str]) -> set[str]:
    """Return the ids whose names read like another one or stand inside one."""
    keys = {one: key(name) for one, name in names.items()}
    inside: set[tuple[str, ...]] = set()
    for parts in set(keys.values()):
        inside |= {
            parts[start:stop]
            for start in range(len(parts))
            for stop in range(start + 1, len(parts) + 1)
            if (start, stop) != (0, len(parts))
        }
    shared = {one for group in alike(names) for one in group}
    return shared | {one for one, parts in keys.items() if parts in inside}
