"""The executable environment: runtime and one folder per service. `open_environment` is the stable door for programs."""

from services.runtime.door import open_environment, use_worlds

__all__ = ["open_environment", "use_worlds"]
