"""Bind the request to a text that the user has not noted yet: a shopping rule, or anything else."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import TYPE_CHECKING, cast

from generators.environments.notes import draw_rule, may_be_wished
from generators.environments.notes.texts import rule_text
from generators.tasks.intent import Binding
from generators.tasks.notes.bind import OTHERS, REFUSED, Notebook
from generators.tasks.shop.tastes import go_together, objectives_beside, sought
from schemas.task import Slot

if TYPE_CHECKING:
    from generators.tasks.intent import Cell, Scene
    from language.constraints import Constraints
    from services.runtime.streams import Stream
    from services.shopping.records import Product

TRIES = 20


def _rule(book: Notebook, scene: Scene, stream: Stream) -> str | None:
    """Return a new shopping rule around a product that the store carries, as people keep one; None where none is drawn.

    A rule that stands says what to buy, not how many of it or for how much this time.
    """
    products = cast("dict[str, Product]", scene.records("products"))
    carried = [products[key] for key in scene.records("assortment")]
    tagged = [product for product in carried if may_be_wished(product)]
    for _ in range(TRIES if tagged else 0):
        rule = replace(draw_rule(stream.choice(tagged), carried, stream), quantity=None, max_total=None)
        text = rule_text(rule, stream)
        if _is_kept(rule) and all(note.text != text for note in book.notes):
            return text
    return None


def _is_kept(rule: Constraints) -> bool:
    """Return whether somebody may keep to a rule: its tags suit the food and one another, and so does its aim."""
    tags, aims = rule.tags, [] if rule.objective is None else [rule.objective]
    suits = sought(tags, str(rule.category)) == list(tags) and objectives_beside(tags, aims) == aims
    return suits and all(go_together(one, other) for one, other in combinations(tags, 2))


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`."""
    book = Notebook(scene, stream)
    texts = book.new_texts()
    rule = _rule(book, scene, stream) if stream.chance(1, 2) else None
    text = rule or texts.pop()
    slot = Slot(name="text", kind="text", value=text, constraint=False, alternatives=list(texts[:OTHERS]))
    refused = REFUSED if cell.form == "consent_refused" else ()
    return Binding(cell=cell, slots=(slot,), setup=book.setup(cell), refused=refused)
