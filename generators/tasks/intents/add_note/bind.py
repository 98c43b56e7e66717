"""Bind the request to a text that the user has not noted yet: a shopping rule, or anything else."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from generators.environments.notes import draw_rule, may_be_wished
from generators.environments.notes.texts import rule_text
from generators.tasks.intent import Binding
from generators.tasks.notes.bind import OTHERS, REFUSED, Notebook
from schemas.task import Slot

if TYPE_CHECKING:
    from generators.tasks.intent import Cell, Scene
    from services.runtime.streams import Stream
    from services.shopping.records import Product


def _rule(book: Notebook, scene: Scene, stream: Stream) -> str | None:
    """Return a new shopping rule around a product that the store carries."""
    products = cast("dict[str, Product]", scene.records("products"))
    carried = [products[key] for key in scene.records("assortment")]
    tagged = [product for product in carried if may_be_wished(product)]
    if not tagged:
        return None
    text = rule_text(draw_rule(stream.choice(tagged), carried, stream), stream)
    return text if all(note.text != text for note in book.notes) else None


def bind(cell: Cell, scene: Scene, stream: Stream) -> Binding | None:
    """Return a binding for `cell`."""
    book = Notebook(scene, stream)
    texts = book.new_texts()
    rule = _rule(book, scene, stream) if stream.chance(1, 2) else None
    text = rule or texts.pop()
    slot = Slot(name="text", kind="text", value=text, constraint=False, alternatives=list(texts[:OTHERS]))
    refused = REFUSED if cell.form == "consent_refused" else ()
    return Binding(cell=cell, slots=(slot,), setup=book.setup(cell), refused=refused)
