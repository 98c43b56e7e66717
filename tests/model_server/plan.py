"""What the test server does to which request, decided by the number of the request alone."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

FAULTS = ("rate_limit", "cut", "hang", "malformed", "bad_arguments", "status")
"""Actions other than `ok`, in the order in which they take their share of each hundred requests."""
_STRIDE = 37
"""Coprime to 100, so that the faults of each hundred requests are exactly their share and lie far apart."""


@dataclass(frozen=True)
class Plan:
    """Faults are shares in percent of the requests to /v1/chat/completions, counted from 0."""

    behaviour: str = "echo"
    """Name of the behaviour that answers, see `behaviours`."""
    latency_s: float = 0.0
    """Seconds before each answer, a refusal apart."""
    rate_limit: int = 0
    retry_after: str | None = "1"
    """Header `Retry-After` of a 429; None leaves it out."""
    cut: int = 0
    """Connections closed in place of an answer (even requests) or in the middle of it (odd ones)."""
    hang: int = 0
    """Requests that are never answered."""
    malformed: int = 0
    """Answers with status 200 whose body is no JSON."""
    bad_arguments: int = 0
    """Answers whose tool arguments are cut off."""
    status: int = 0
    """Requests that are refused with `status_code`."""
    status_code: int = 500
    complaint: str = ""
    """Message of other refusals than 401 and 404."""
    complaint_code: str = "refused"
    complaint_more: Mapping[str, Any] = field(default_factory=dict)
    """Fields of the error of other refusals, beside or in place of message, type and code."""
    script: tuple[str, ...] = ()
    """Actions of the first requests: `ok`, a fault, or a status code such as `401`; the shares hold after them."""
    keys: tuple[str, ...] | None = None
    """Keys that are let in; others get 401 with the key in the message, as some servers do. None lets all in."""
    models: tuple[str, ...] | None = None
    """Models that exist; others get 404. None: all do."""

    @classmethod
    def of(cls, data: dict[str, Any]) -> Plan:
        """The plan that stands in JSON."""
        unknown = data.keys() - {part.name for part in fields(cls)}
        if unknown:
            raise ValueError(f"no part of a plan: {', '.join(sorted(unknown))}")
        parts: dict[str, Any] = {
            name: tuple(value) if isinstance(value, list) else value for name, value in data.items()
        }
        return cls(**parts)

    def action(self, number: int) -> str:
        """What happens to request `number`."""
        if number < len(self.script):
            return self.script[number]
        slot = number * _STRIDE % 100
        for fault in FAULTS:
            share = getattr(self, fault)
            if slot < share:
                return str(self.status_code) if fault == "status" else fault
            slot -= share
        return "ok"
