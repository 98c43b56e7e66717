"""Worlds: data that many users share, made from a seed and recipes kept as data files."""

from __future__ import annotations

from generators.worlds.catalogue import make_world

__all__ = ["make_world"]
