"""The user's account: profile, permissions, connected sources and devices."""

from services.account.service import SERVICE

__all__ = ["SERVICE"]
