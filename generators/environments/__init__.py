"""Environments: one user's records over all services at one frozen moment, seeded by one declaration per service."""

from __future__ import annotations

from generators.environments.build import build_environment

__all__ = ["build_environment"]
