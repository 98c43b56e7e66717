"""Names of products: a word for the variant, a flavour and a noun, such as `Zero Lemon Wafers`."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from generators.worlds.recipes import Category, Variant
    from services.runtime.streams import Stream


def pick_stem(stream: Stream, category: Category, variant: Variant, taken: list[str]) -> str:
    """Return a flavour and a noun that neither hold nor stand in any stem of `taken`.

    As variant words occur in no stem, the names made of such stems then stand in no other name either. Raises
    ValueError when the category has no such stem left.
    """
    flavours, nouns = variant.flavours or category.flavours, variant.nouns or category.nouns
    for stem in stream.shuffled([f"{flavour} {noun}" for flavour in flavours for noun in nouns]):
        if not any(stem in other or other in stem for other in taken):
            return stem
    msg = f"no name left for another {variant.word or 'plain'} product among {nouns}: ask for fewer products"
    raise ValueError(msg)
