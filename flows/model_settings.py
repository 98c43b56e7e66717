"""Which models play which roles, from a file and from options."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import ValidationError

from flows.config import read_yaml
from flows.errors import ConfigError
from schemas.models import ROLES, Models

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from schemas.base import Json


def resolve_models(
    config: Path | None = None, names: Mapping[str, str | None] | None = None, api_base: str | None = None
) -> Models:
    """Return the models of a YAML file, or of its part `models`, with `names` of roles in place of what stands there.

    Raise ConfigError when a setting is wrong.
    """
    tree: dict[str, Json] = {}
    if config is not None:
        try:
            tree = read_yaml(config.read_text("utf-8"), str(config))
        except (OSError, UnicodeDecodeError) as error:
            raise ConfigError(f"cannot read the configuration {str(config)!r}: {error}") from error
        part = tree.get("models", tree)
        if not isinstance(part, dict):
            raise ConfigError(
                f"{config}: `models` must hold one mapping, such as `assistant: {{model: openai/gpt-4o}}`"
            )
        tree = part
    for role, name in (names or {}).items():
        if name is not None:
            tree[role] = {"model": name, **({"api_base": api_base} if api_base else {})}
    return parse_models(tree, str(config) if config else "the options")


def parse_models(tree: Mapping[str, Json], source: str) -> Models:
    """Return `tree` as models. Raise ConfigError, naming `source`, when it is none; it shows nothing that was given."""
    unknown = [name for name in tree if name not in Models.model_fields]
    if unknown:
        raise ConfigError(f"{source}: unknown key {unknown[0]!r}; keys: {', '.join((*ROLES, 'limits'))}")
    try:
        return Models.model_validate(dict(tree))
    except ValidationError as error:
        # Without what was given: someone may have written a key where it does not belong.
        faults = [f"{'.'.join(str(part) for part in one['loc'])}: {one['msg']}" for one in error.errors()]
        raise ConfigError(f"{source} is wrong: " + "; ".join(faults)) from None
