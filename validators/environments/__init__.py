"""What must hold of an environment before tasks are built on it."""

from __future__ import annotations

from validators.environments.checks import ENVIRONMENT_CHECKS, STATE_CHECKS, check_environment
from validators.environments.context import EnvironmentContext, environment_context

__all__ = ["ENVIRONMENT_CHECKS", "STATE_CHECKS", "EnvironmentContext", "check_environment", "environment_context"]
