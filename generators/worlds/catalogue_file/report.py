"""What an imported catalogue says and what its numbers say, product by product."""

from __future__ import annotations

from typing import TYPE_CHECKING

from schemas.base import Model
from services.shopping.labels import name_claims
from services.shopping.nutrition import HEALTH_TAGS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from schemas.world import Product


class Difference(Model):
    """Where one product's words and numbers differ. Nothing of it keeps the product out."""

    product_id: str
    name: str
    refuted: list[str]
    """Health tags that a printed tag or the name claims, and that the nutrition does not bear out."""
    unprinted: list[str]
    """Health tags that the nutrition bears out, and that are not printed; counted only where some are printed."""
    contradictions: list[str]
    """Words that contradict each other, the one that decided first."""
    implausible: list[str]
    """What is physically impossible of the nutrition."""


class Renamed(Model):
    """A product that could not keep its name or id."""

    product_id: str
    was: str
    now: str


class CatalogueReport(Model):
    """What became of a catalogue."""

    file: str
    products: int
    categories: dict[str, int]
    """Products by category."""
    brands: dict[str, int]
    """Products by brand."""
    renamed: list[Renamed]
    """Names that did not select one product alone."""
    new_ids: list[Renamed]
    """Ids that are not in our form, and what stands for them."""
    differences: list[Difference]

    def summary(self) -> str:
        """Return the report in one line."""
        refuted = sum(bool(difference.refuted) for difference in self.differences)
        torn = sum(bool(difference.contradictions) for difference in self.differences)
        odd = sum(bool(difference.implausible) for difference in self.differences)
        return (
            f"{self.file}: {self.products} products of {len(self.brands)} brands in {len(self.categories)} categories; "
            f"{len(self.renamed)} renamed, {refuted} claim a health tag against their nutrition, "
            f"{torn} contradict themselves, {odd} have impossible nutrition"
        )

    def lines(self) -> Iterator[str]:
        """Yield the whole report in lines."""
        yield self.summary()
        for one in self.new_ids:
            yield f"  {one.now}: id, was {one.was}"
        for one in self.renamed:
            yield f"  {one.product_id}: name, now {one.now!r}, was {one.was!r}"
        for one in self.differences:
            parts = {
                "not borne out": one.refuted,
                "not printed": one.unprinted,
                "contradictory": one.contradictions,
                "impossible": one.implausible,
            }
            told = "; ".join(f"{what}: {', '.join(items)}" for what, items in parts.items() if items)
            yield f"  {one.product_id} {one.name}: {told}"


def difference(product: Product, contradictions: list[str]) -> Difference | None:
    """Return where the words and the numbers of a product differ, None where they agree."""
    printed = [tag for tag in product.label_tags if tag in HEALTH_TAGS]
    claimed = sorted({*printed, *name_claims(product.name)})
    found = Difference(
        product_id=product.id,
        name=product.name,
        refuted=[tag for tag in claimed if tag not in product.health_tags],
        unprinted=[tag for tag in product.health_tags if tag not in claimed] if printed else [],
        contradictions=contradictions,
        implausible=list(_implausible(product)),
    )
    told = (found.refuted, found.unprinted, found.contradictions, found.implausible)
    return found if any(told) else None


def _implausible(product: Product) -> Iterator[str]:
    """Yield what cannot be. Energy by Regulation (EU) No 1169/2011, annex XIV, give or take 5 % and 1 kcal."""
    weight = product.serving_weight * (13 if product.unit == "ml" else 10)
    rest = weight - product.fat_dg - product.fiber_dg
    least = 4 * product.protein_dg + 9 * product.fat_dg + 4 * product.sugar_dg
    if rest - product.protein_dg - product.sugar_dg < -2:
        yield "the parts weigh more than the whole"
    elif 100 * product.calories_dkcal > 105 * (9 * product.fat_dg + 2 * product.fiber_dg + 4 * rest) + 1000:
        yield "more energy than the weight can hold"
    if 100 * least > 105 * product.calories_dkcal + 1000:
        yield "less energy than protein, fat and sugar hold"
    if product.sodium_mg > 393 * product.serving_weight:
        yield "more sodium than salt has"
