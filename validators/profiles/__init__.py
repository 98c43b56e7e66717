"""What must hold of a profile before an environment is built for it."""

from __future__ import annotations

from validators.profiles.checks import PROFILE_CHECKS, check_block, check_profile
from validators.profiles.context import ProfileContext

__all__ = ("PROFILE_CHECKS", "ProfileContext", "check_block", "check_profile")
