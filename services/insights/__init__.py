"""What can be worked out for the user: recommendations by stated formulas, and plots that are kept as records."""

from __future__ import annotations

from services.insights.service import SERVICE

__all__ = ["SERVICE"]
