"""What a check may look at beside the profile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from schemas.profile import Profile

BLOCK: Final = 10
"""Consecutive user indices that are compared with each other."""


@dataclass(frozen=True, slots=True)
class ProfileContext:
    """The kept profiles of the same block with a lower index; a profile is compared with no other ones."""

    earlier: tuple[Profile, ...] = ()
