"""The configuration of a rollout: a file, options and `key=value` assignments together, with the tasks' digest."""

from __future__ import annotations

import re
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, cast

import yaml

from flows.config import parse_as, read_yaml
from flows.errors import ConfigError, StoreError
from flows.folders import expect
from flows.manifest import load
from flows.model_settings import parse_models
from publishing.manifest import read_manifest
from publishing.reader import is_release
from schemas.base import Json
from schemas.models import Models
from schemas.rollout import RolloutConfig, needs_model

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

Tree = dict[str, Json]
_ROLES = ("assistant", "user")
_NEAR = 0.75
"""How like a scripted player's the name of a model may not be."""


def resolve(
    source: Path, config: Path | None = None, options: Mapping[str, Json] | None = None, assignments: Iterable[str] = ()
) -> RolloutConfig:
    """Return the configuration of a rollout over `source`.

    `options` are dotted keys with values and win over the file; `key=value` assignments win over both. A player that
    is a model is written into `models`, and a model without a player becomes one. Raise ConfigError naming what is
    wrong.
    """
    tree: Tree = {} if config is None else _from_file(config)
    for key, value in (options or {}).items():
        put(tree, key, value)
    for assignment in assignments:
        key, equals, text = assignment.partition("=")
        if not equals:
            raise ConfigError(f"--set wants key=value, got {assignment!r}; example: --set budget.turns=20")
        put(tree, key.strip(), read_yaml(f"value: {text}", f"--set {key}")["value"])
    source_name = str(config) if config else "the configuration"
    _name_models(tree)
    models = tree.get("models", {})
    if isinstance(models, dict):
        # on its own, since its faults are told without what was given: it might be a key
        tree["models"] = parse_models(models, source_name).model_dump(mode="json", exclude_unset=True)
    tree["source"] = {"path": str(source), "digest": digest_of(source)}
    found = parse_as(RolloutConfig, tree, source_name)
    _refuse_unknown(found)
    return found


def digest_of(source: Path) -> str:
    """Return the digest of the manifest of a run or release. Raise ConfigError when `source` is neither."""
    expect(source, "run", "release")
    if is_release(source):
        return read_manifest(source).sha256
    try:
        known = load(source)
    except StoreError as error:
        raise ConfigError(str(error)) from error
    if known is None:
        raise ConfigError(f"{source} is neither a run nor a release: it has no manifest that says so")
    return known.digest


def folder_name(config: RolloutConfig, source: Path) -> str:
    """Return the name of the default folder: the run's and the assistant's."""
    return f"{source.resolve().name}-{re.sub(r'[^A-Za-z0-9._]+', '-', config.assistant).strip('-.')}"


def to_yaml(config: RolloutConfig) -> str:
    """Return the configuration as YAML, all fields in their declared order."""
    return cast("Any", yaml).safe_dump(config.model_dump(mode="json"), sort_keys=False, allow_unicode=True)


def differences(old: Mapping[str, Json], new: Mapping[str, Json]) -> list[str]:
    """Return in words which settings differ between two contents, each by its dotted key."""
    before, after = dict(_flat(dict(old))), dict(_flat(dict(new)))
    return [
        f"{key} is {before.get(key)!r}, asked {after.get(key)!r}"
        for key in sorted({*before, *after})
        if before.get(key) != after.get(key)
    ]


def put(tree: Tree, key: str, value: Json) -> None:
    """Set the value of a dotted key. Raise ConfigError when it leads through something that is no group."""
    *path, last = key.split(".")
    for part in path:
        below = tree.setdefault(part, {})
        if not isinstance(below, dict):
            raise ConfigError(f"{key}: {part!r} holds {below!r}, no settings of its own")
        tree = below
    tree[last] = value


def _refuse_unknown(config: RolloutConfig) -> None:
    """Raise ConfigError for an unknown assistant, or a model without provider that is named like a scripted player."""
    from generators.agents.registry import assistants

    known = [name for name, _ in assistants()]
    if not needs_model(config.assistant) and config.assistant not in known:
        kind, _, name = config.assistant.partition(":")
        alike = {other.partition(":")[2]: other for other in known if other.partition(":")[0] == kind}
        near = [alike[one] for one in get_close_matches(name, alike, n=1)]
        hint = f" (did you mean {near[0]!r}?)" if near else f"; there are {', '.join(alike.values())}"
        raise ConfigError(
            f"there is no assistant {config.assistant!r}{hint}; `pausegen rollout --assistants` says what they do"
        )
    for role, player, names in (("assistant", config.assistant, known), ("user", config.user, ["scripted"])):
        if "/" in player or player in names:
            continue
        short = [name for name in names if name.partition(":")[2] == player]
        for name in short or get_close_matches(player.lower(), names, n=1, cutoff=_NEAR):
            raise ConfigError(
                f"the {role} {player!r} is no scripted player (did you mean {name!r}?), and a model is named with its"
                " provider, such as openai/gpt-4o-mini"
            )


def _from_file(path: Path) -> Tree:
    """Return the settings of a file; models and limits may stand in it without `models` above them."""
    try:
        tree = read_yaml(path.read_text("utf-8"), str(path))
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"cannot read the configuration {str(path)!r}: {error}") from error
    for name in Models.model_fields:
        if isinstance(tree.get(name), dict):
            put(tree, f"models.{name}", tree.pop(name))
    return tree


def _name_models(tree: Tree) -> None:
    """Let a player that is a model and the model of its role name each other."""
    models = tree.get("models", {})
    for role in _ROLES:
        player, choice = tree.get(role), models.get(role) if isinstance(models, dict) else None
        if isinstance(player, str) and needs_model(player) and (choice is None or isinstance(choice, dict)):
            put(tree, f"models.{role}.model", player)
        elif player is None and isinstance(choice, dict) and "model" in choice:
            tree[role] = choice["model"]


def _flat(value: Json, prefix: str = "") -> Iterable[tuple[str, Json]]:
    if not isinstance(value, dict) or not value:
        yield prefix, value
        return
    for key, below in value.items():
        yield from _flat(below, f"{prefix}.{key}" if prefix else key)
