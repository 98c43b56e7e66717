"""Finished replies on disk, so that no call is paid twice; several processes may use one file at once."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

from llm.errors import Fatal

if TYPE_CHECKING:
    from pathlib import Path

FILE = "replies.sqlite"
_WAIT_S = 60.0
"""How long to wait for another process that is writing."""


class ReplyCache:
    """Replies by key, each stored whole or not at all. What is stored first stays."""

    def __init__(self, folder: Path) -> None:
        """Open the cache in `folder` and make it where there is none. Raise Fatal when that cannot be done."""
        self._path = folder / FILE
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(self._path, timeout=_WAIT_S, isolation_level=None)
        except (OSError, sqlite3.Error) as error:
            raise self._fatal(error) from error
        try:
            # A killed process loses nothing that it wrote; only a power cut may take the last replies.
            self._database.execute("PRAGMA journal_mode = WAL").close()
            self._database.execute("PRAGMA synchronous = NORMAL").close()
            self._database.execute(
                "CREATE TABLE IF NOT EXISTS replies (key TEXT PRIMARY KEY, reply BLOB) WITHOUT ROWID"
            )
        except sqlite3.Error as error:
            self._database.close()
            raise self._fatal(error) from error

    def get(self, key: str) -> bytes | None:
        """Return the reply that is stored under `key`."""
        try:
            with closing(self._database.execute("SELECT reply FROM replies WHERE key = ?", (key,))) as rows:
                found = rows.fetchone()
        except sqlite3.Error as error:
            raise self._fatal(error) from error
        return None if found is None else found[0]

    def put(self, key: str, reply: bytes) -> bytes:
        """Store `reply` unless there is one already, and return the one that is stored now."""
        try:
            stored = self._database.execute("INSERT OR IGNORE INTO replies VALUES (?, ?)", (key, reply)).rowcount
        except sqlite3.Error as error:
            raise self._fatal(error) from error
        return reply if stored else self.get(key) or reply

    def close(self) -> None:
        """Close the file."""
        self._database.close()

    def _fatal(self, error: Exception) -> Fatal:
        message = f"the cache {self._path} cannot be used: {error}.\nMake room there, or name another folder."
        return Fatal("cache", message)
