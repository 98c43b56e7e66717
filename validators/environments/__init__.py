"""What must hold of an environment before tasks are built on it."""

from __future__ import annotations

from validators.environments.checks import check_environment, environment_checks, state_checks
from validators.environments.context import EnvironmentContext, environment_context

__all__ = ["EnvironmentContext", "check_environment", "environment_checks", "environment_context", "state_checks"]
