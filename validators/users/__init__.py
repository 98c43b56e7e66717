"""What a simulated user may say: facts of its own, in its own time, and nothing that is the assistant's to know."""

from __future__ import annotations

from validators.users.plausible import Talk, message_faults

__all__ = ["Talk", "message_faults"]
