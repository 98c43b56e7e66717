"""Trajectories as files for training: chat messages for OpenAI's fine-tuning and for TRL, and pairs for preferences.

Every format holds complete conversations that were scored. What a row says can be read back into calls and carried out
again from the row, the task and its environment alone; `check_row` does so and compares results and hashes.
"""

from __future__ import annotations

from publishing.exports.export import FORMATS, ExportReport, Wanted, export

__all__ = ["FORMATS", "ExportReport", "Wanted", "export"]
