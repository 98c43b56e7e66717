"""A model server for each test that wants one, no keys of whoever runs the tests, and one real run."""

from __future__ import annotations

from tests.flows.conftest import finished
from tests.llm.conftest import _no_keys, serve

__all__ = ["_no_keys", "finished", "serve"]
