"""The executable environment: runtime and one folder per service. Programs come in through `open_environment`."""

from __future__ import annotations

from services.runtime.door import open_environment, use_worlds

__all__ = ["open_environment", "use_worlds"]
