"""The command line. Commands are loaded when they are called, so that help answers at once."""

from __future__ import annotations

from flows.cli.main import main

__all__ = ["main"]
