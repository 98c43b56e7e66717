"""Wearable platforms as data sources: which days they recorded, their minute-level tools, their weekly goals."""

from __future__ import annotations

from services.sources.service import SERVICE

__all__ = ["SERVICE"]
