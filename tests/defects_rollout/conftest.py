"""A model server for each test that wants one, and no keys of whoever runs the tests."""

from __future__ import annotations

from tests.llm.conftest import _no_keys, serve

__all__ = ["_no_keys", "serve"]
