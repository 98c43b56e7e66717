"""`pausegen tools`: the tools of the environment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from schemas.base import Json
    from services.runtime.catalogue import Catalogue
    from services.runtime.tools import Tool

_SIDES = {"assistant": "Tools of the assistant", "user": "Tools of the user"}


def define(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "All tools of the installed services, as Markdown."
    parser.set_defaults(command=run)
    parser.add_argument("--json", action="store_true", help="as JSON, with the schemas that models are given")


def run(options: argparse.Namespace) -> int:
    """Print the tools."""
    from services.runtime.catalogue import installed_catalogue

    catalogue = installed_catalogue()
    if options.json:
        print(json.dumps([as_json(tool, catalogue) for _, tool in sorted(catalogue.tools.items())], indent=2))
    else:
        print("\n".join(as_markdown(catalogue)))
    return 0


def service_of(name: str, catalogue: Catalogue) -> str:
    """Return the service that declares a tool."""
    return next(s.name for s in catalogue.services.values() if any(tool.name == name for tool in s.tools))


def as_json(tool: Tool, catalogue: Catalogue) -> dict[str, Json]:
    """Return what is declared of a tool; `schema` is its entry in the `tools` of a chat-completions request."""
    return {
        "name": tool.name,
        "service": service_of(tool.name, catalogue),
        "side": tool.side,
        "write": tool.write,
        "confirm": tool.confirm,
        "gates": list(tool.gates),
        "errors": dict(tool.errors),
        "returns": tool.returns,
        "example": dict(tool.example),
        "schema": tool.openai(),
    }


def as_markdown(catalogue: Catalogue) -> Iterator[str]:
    """Yield the lines of the documentation of all tools, the assistant's first."""
    yield "# Tools"
    for side, title in _SIDES.items():
        yield f"\n## {title}"
        for _, tool in sorted(catalogue.tools.items()):
            if tool.side == side:
                yield from _one(tool, catalogue)


def _one(tool: Tool, catalogue: Catalogue) -> Iterator[str]:
    marks = [service_of(tool.name, catalogue), "write" if tool.write else "read"]
    marks += ["needs the user's yes"] if tool.confirm else []
    marks += [f"gate {gate}" for gate in tool.gates]
    yield f"\n### `{tool.name}`\n\n{tool.summary} ({', '.join(marks)})\n"
    yield from _arguments(tool)
    if tool.returns:
        yield f"Returns: {tool.returns}\n"
    if tool.errors:
        yield "| error | when |\n|---|---|"
        yield from (f"| `{code}` | {when} |" for code, when in tool.errors.items())


def _arguments(tool: Tool) -> Iterator[str]:
    properties = tool.schema.get("properties")
    if not isinstance(properties, dict) or not properties:
        yield "No arguments.\n"
        return
    required = tool.schema.get("required")
    needed = required if isinstance(required, list) else []
    yield "| argument | required | what |\n|---|---|---|"
    for name, schema in properties.items():
        text = schema.get("description", "") if isinstance(schema, dict) else ""
        yield f"| `{name}` | {'yes' if name in needed else 'no'} | {text} |"
    yield ""
