"""Is the narrative too close to one that is already there?"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction

from schemas.profile import Profile
from validators.profiles.context import BLOCK, ProfileContext

NEAR = Fraction(4, 5)
"""Share of common three-word sequences from which two narratives count as one."""
_WORD = re.compile(r"\w+")


def shingles(profile: Profile) -> frozenset[tuple[str, ...]]:
    """Return the three-word sequences of the narrative, the user's names masked."""
    names = {profile.name.given.lower(), profile.name.family.lower()}
    words = [match[0] for match in _WORD.finditer(profile.narrative.lower())]
    masked = ["name" if word in names else word for word in words]
    return frozenset(tuple(masked[at : at + 3]) for at in range(len(masked) - 2))


def similarity(one: Profile, other: Profile) -> Fraction:
    """Return the Jaccard similarity of two narratives; two empty ones are equal."""
    first, second = shingles(one), shingles(other)
    union = len(first | second)
    return Fraction(len(first & second), union) if union else Fraction(1)


def near_duplicate_faults(profile: Profile, context: ProfileContext) -> Iterator[str]:
    """Yield the earlier profiles of the block that read alike.

    Raises:
        ValueError: the context holds a profile that is not an earlier one of the same block.
    """
    for other in context.earlier:
        if other.index // BLOCK != profile.index // BLOCK or other.index >= profile.index:
            raise ValueError(f"{other.user_id} is not an earlier profile of the block of {profile.user_id}")
        close = similarity(profile, other)
        if close >= NEAR:
            yield f"the narrative is {float(close):.0%} that of {other.user_id}"
