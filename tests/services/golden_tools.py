"""The derived OpenAI tool schemas as a file: `python -m tests.services.golden_tools` writes it again."""

from __future__ import annotations

import json
from pathlib import Path

from schemas.base import Json
from services.runtime.catalogue import installed_catalogue

FILE = Path(__file__).resolve().parents[1] / "golden" / "tools.json"


def derived() -> list[dict[str, Json]]:
    """Every tool by name, with its side, whether it writes, and the codes that a call may return."""
    catalogue = installed_catalogue()
    tools: list[dict[str, Json]] = []
    for _, tool in sorted(catalogue.tools.items()):
        errors: list[Json] = [*sorted(catalogue.errors_of(tool))]
        tools.append(
            {**tool.openai(), "side": tool.side, "write": tool.write, "confirm": tool.confirm, "errors": errors}
        )
    return tools


if __name__ == "__main__":
    FILE.write_text(json.dumps(derived(), indent=1, ensure_ascii=False) + "\n", "utf-8")
