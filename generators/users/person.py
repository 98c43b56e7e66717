"""Who a simulated user is in one conversation: what they know, how they speak and what they want."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from generators.dialogue.parts import Wish
    from generators.users.card import Card
    from generators.users.replies import Speech
    from services.runtime.catalogue import Catalogue


@dataclass(frozen=True, slots=True)
class Person:
    """One user. Nothing of it changes in a conversation."""

    card: Card
    speech: Speech
    catalogue: Catalogue
    wish: Wish
