"""Names of products: a flavour and a noun, often with a claim, such as `Lemon Wafers` or `Protein Cocoa Bar`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from generators.worlds.recipes import Category, Variant
    from services.runtime.streams import Stream


def pick_stem(stream: Stream, category: Category, variant: Variant, taken: list[str]) -> str:
    """Return a flavour and a noun that neither hold nor stand in any stem of `taken`.

    As the words of claims occur in no stem, the names made of such stems then stand in no other name either. Raises
    ValueError when the category has no such stem left.
    """
    kinds = variant.kinds or category.kinds
    stems = [f"{flavour} {noun}" for kind in kinds for flavour in kind.flavours for noun in kind.nouns]
    for stem in stream.shuffled(stems):
        if not any(_within(stem, other) or _within(other, stem) for other in taken):
            return stem
    nouns = ", ".join(noun for kind in kinds for noun in kind.nouns)
    msg = f"no name left for another product among {nouns}: ask for fewer products"
    raise ValueError(msg)


def _within(one: str, other: str) -> bool:
    """Return whether a stem stands in another one, whatever its capitals: apple in pineapple."""
    return one.lower() in other.lower()
