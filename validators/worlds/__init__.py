"""What must hold of a world before users and tasks are built on it."""

from __future__ import annotations

from validators.worlds.checks import WORLD_CHECKS, check_world

__all__ = ["WORLD_CHECKS", "check_world"]
