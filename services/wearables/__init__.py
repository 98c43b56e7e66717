"""What the user's devices recorded: minutes, days, nights and workouts, and the tools that sum them up."""

from __future__ import annotations

from services.wearables.service import SERVICE

__all__ = ["SERVICE"]
