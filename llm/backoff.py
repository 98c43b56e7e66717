"""How long to wait before the next attempt. Jitter comes from the call itself, so that it is the same in every run."""

from __future__ import annotations

from hashlib import blake2b

FIRST_S = 0.5
LONGEST_S = 30.0
PATIENCE_S = 600.0
"""A server that asks to wait longer than this is given up."""
_STEPS = 1 << 16


def wait_s(key: str, attempt: int, retry_after: float | None) -> float:
    """Return the seconds to wait after attempt number `attempt` (from 1) of the call `key`.

    Doubles from half a second to half a minute, of which jitter takes away up to a half; after a `Retry-After` it is
    that and up to a tenth more, never less.
    """
    share = _share(key, attempt)
    if retry_after is not None:
        return retry_after * (1 + share / 10)
    return min(LONGEST_S, FIRST_S * 2 ** (attempt - 1)) * (1 - share / 2)


def _share(key: str, attempt: int) -> float:
    """Return a number in [0, 1) that depends on call and attempt alone."""
    drawn = blake2b(f"{key}/{attempt}".encode(), digest_size=2).digest()
    return int.from_bytes(drawn, "little") / _STEPS
