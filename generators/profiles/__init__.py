"""Invented users: one profile per (seed, index), whoever else is made; around a persona where one is given."""

from __future__ import annotations

from generators.profiles.personas import NOBODY, Persona, facts_of, persona_of
from generators.profiles.personas_file import PersonaFile, read_personas
from generators.profiles.personas_reading import facts_from_description
from generators.profiles.profile import make_profile

__all__ = (
    "NOBODY",
    "Persona",
    "PersonaFile",
    "facts_from_description",
    "facts_of",
    "make_profile",
    "persona_of",
    "read_personas",
)
