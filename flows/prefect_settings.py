"""What has to be in the environment before Prefect is imported. Whatever the user has set stays."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

DEFAULTS: Mapping[str, str] = {
    # a new database takes longer than the default of 20 s on a busy machine
    "PREFECT_SERVER_EPHEMERAL_STARTUP_TIMEOUT_SECONDS": "180",
    "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
    "PREFECT_TELEMETRY_ENABLE_RESOURCE_METRICS": "false",
    "DO_NOT_TRACK": "1",
}


def prepare(level: str) -> None:
    """Set what is not set. Prefect is silent unless `level` is `debug`: failures reach the user as exceptions."""
    quiet = "DEBUG" if level == "debug" else "CRITICAL"
    for name, value in {**DEFAULTS, "PREFECT_LOGGING_LEVEL": quiet}.items():
        os.environ.setdefault(name, value)
