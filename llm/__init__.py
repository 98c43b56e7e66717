"""The one client for models: roles, budgets, retries and a cache over litellm, which loads with the first call."""

from __future__ import annotations

from llm.client import ModelClient
from llm.errors import BadOutput, BudgetReached, Fatal, ModelError
from llm.ledger import Ledger
from llm.reply import Reply, ToolCall

__all__ = ["BadOutput", "BudgetReached", "Fatal", "Ledger", "ModelClient", "ModelError", "Reply", "ToolCall"]
