"""Environments: one user's records over all services at one frozen moment, seeded by one declaration per service."""

from __future__ import annotations

from generators.environments.build import build_environment, given_to
from generators.environments.seeder import folder_inputs

__all__ = ["build_environment", "folder_inputs", "given_to"]
