"""Tasks as a user knows them, written by hand."""

from __future__ import annotations

from collections.abc import Sequence

from schemas.base import Json
from schemas.task import Change, Consent, IntentUse, Slot, Task, UserScript

NOW = "2025-11-03T09:30:00"


def slot(name: str, kind: str, value: Json, told: str = "upfront") -> Slot:
    return Slot.model_validate({"name": name, "kind": kind, "value": value, "told": told})


def task_of(
    intent: str,
    *slots: Slot,
    variant: str = "",
    form: str = "fulfil",
    instruction: str = "Please do that.",
    consents: Sequence[Consent] = (),
    permits: Sequence[str] = (),
    change: Change | None = None,
    style: str = "terse",
    beside: Sequence[IntentUse] = (),
) -> Task:
    """A task of one intent, with only what its user knows."""
    script = UserScript(
        style=style,  # type: ignore[arg-type]  # pyright: ignore[reportArgumentType]
        consents=list(consents),
        top_up="exact_shortfall",
        permits=list(permits),
        change=change,
    )
    use = IntentUse(intent=intent, form=form, variant=variant, prefix="1." if beside else "", slots=list(slots))
    return Task.model_construct(
        task_id=f"u000000-{intent}", instruction=instruction, intents=[use, *beside], script=script
    )


def buying(
    told: str = "on_request",
    consents: Sequence[Consent] = (),
    style: str = "terse",
    permits: Sequence[str] = (),
    change: Change | None = None,
) -> Task:
    """A user who keeps back how many of something they want, unless `told` says otherwise."""
    return task_of(
        "buy-best",
        slot("quantity", "count", 7, told),
        slot("objective", "term", "most_fiber"),
        slot("category", "term", "cereal"),
        slot("tag", "term", "low_sugar"),
        consents=consents,
        style=style,
        permits=permits,
        change=change,
    )


def listing() -> Task:
    """A user with a list of two products, who keeps back how many of the second they want."""
    return task_of(
        "buy-several",
        slot("quantity_1", "count", 11),
        slot("product_1", "name", "Max Lime Energizer"),
        slot("quantity_2", "count", 10, "on_request"),
        slot("product_2", "name", "Cherry Jam"),
        variant="two",
        instruction="Put 11 Max Lime Energizers in the cart. Some Cherry Jam as well, and order it all.",
    )
