"""Worlds from a product catalogue of the user's own: a JSON or CSV file with one product per entry or row."""

from __future__ import annotations

from generators.worlds.catalogue_file.read import world_from_catalogue
from generators.worlds.catalogue_file.report import CatalogueReport

__all__ = ["CatalogueReport", "world_from_catalogue"]
