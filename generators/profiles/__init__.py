"""Invented users: one profile per (seed, index), whoever else is made."""

from __future__ import annotations

from generators.profiles.profile import make_profile

__all__ = ("make_profile",)
