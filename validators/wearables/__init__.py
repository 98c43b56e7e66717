"""Checks of what devices recorded: everything is computed again from the published arrays, and by other code."""

from __future__ import annotations

from validators.wearables.checks import CHECKS

__all__ = ["CHECKS"]
