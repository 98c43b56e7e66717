"""`pausegen tools`: the tools of the environment."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from flows.tool_examples import shortened
from services.runtime.tools import UNIVERSAL_ERRORS

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator, Mapping

    from flows.tool_examples import Example
    from schemas.base import Json
    from services.runtime.catalogue import Catalogue
    from services.runtime.tools import Tool

_SIDES = {"assistant": "Tools of the assistant", "user": "Tools of the user"}


def define(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "All tools of the installed services, as Markdown, each with an executed example."
    parser.set_defaults(command=run)
    shown = parser.add_mutually_exclusive_group()
    shown.add_argument("--json", action="store_true", help="as JSON, with the schemas that models are given")
    shown.add_argument("--policy", action="store_true", help="the policy of the platform and of each service instead")


def run(options: argparse.Namespace) -> int:
    """Print the tools, or the policy."""
    from flows.tool_examples import executed_examples
    from services.runtime.catalogue import installed_catalogue

    catalogue = installed_catalogue()
    if options.json:
        print(json.dumps([as_json(tool, catalogue) for _, tool in sorted(catalogue.tools.items())], indent=2))
    elif options.policy:
        print("\n".join(policies(catalogue)), end="")
    else:
        print("\n".join(as_markdown(catalogue, executed_examples(catalogue))))
    return 0


def policies(catalogue: Catalogue) -> Iterator[str]:
    """Yield the policy of the platform, then that of each service."""
    from services.runtime.policy import platform_policy, service_policy

    yield platform_policy(catalogue)
    yield from (service_policy(name, catalogue) for name in sorted(catalogue.services))


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
        "behind": tool.behind,
        "unlocks": tool.unlocks,
        "gates": list(tool.gates),
        "errors": dict(tool.errors),
        "returns": tool.returns,
        "example": dict(tool.example),
        "schema": tool.openai(),
    }


def as_markdown(catalogue: Catalogue, examples: Mapping[str, Example]) -> Iterator[str]:
    """Yield the lines of the documentation of all tools, the assistant's first, then the conditions they meet."""
    from services.runtime.policy import rules_of

    yield "# Tools\n\nExamples were executed on made users; long results are shortened."
    for side, title in _SIDES.items():
        yield f"\n## {title}"
        for _, tool in sorted(catalogue.tools.items()):
            if tool.side == side:
                yield from _one(tool, catalogue, examples[tool.name])
    yield "\n## Gates\n"
    yield from (f"- **{rule.subject}**: {rule.text}" for rule in rules_of(catalogue) if rule.kind == "gate")


def _one(tool: Tool, catalogue: Catalogue, example: Example) -> Iterator[str]:
    yield f"\n### `{tool.name}`\n\n{tool.summary} ({', '.join(_marks(tool, catalogue))})\n"
    yield from _arguments(tool)
    if tool.returns:
        yield f"Returns: {tool.returns}\n"
    errors = {code: when for code, when in catalogue.errors_of(tool).items() if code not in UNIVERSAL_ERRORS}
    if errors:
        yield "| error | when |\n|---|---|"
        yield from (f"| `{code}` | {when} |" for code, when in errors.items())
        yield ""
    arguments = json.dumps(example.arguments, ensure_ascii=False)
    result = json.dumps(shortened(example.result), ensure_ascii=False, indent=1)
    yield f"`{example.tool}` with `{arguments}` returns\n\n```json\n{result}\n```"


def _marks(tool: Tool, catalogue: Catalogue) -> list[str]:
    """Return what is to be known ahead of a call, in a few words each."""
    marks = [service_of(tool.name, catalogue), "write" if tool.write else "read"]
    marks += ["needs the user's yes"] if tool.confirm else []
    marks += [f"gate {gate}" for gate in tool.gates]
    openers = sorted(other.name for other in catalogue.tools.values() if tool.behind and other.unlocks == tool.behind)
    return [*marks, *(f"available after `{opener}`" for opener in openers)]


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
