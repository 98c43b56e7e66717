"""Wallet, membership, vouchers and transactions; other services register the kinds of transaction they settle."""

from __future__ import annotations

from services.payments.service import SERVICE

__all__ = ["SERVICE"]
