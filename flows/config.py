"""From preset, file and options to one resolved configuration; every mistake is named with its closest correction."""

from __future__ import annotations

from difflib import get_close_matches
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

import yaml
from pydantic import BaseModel, ValidationError

from flows.errors import ConfigError
from flows.input_files import with_digests
from schemas.base import Json
from schemas.config import RunConfig

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

Tree = dict[str, Json]
M = TypeVar("M", bound=BaseModel)


def preset_names() -> list[str]:
    """Return the names of the presets that are shipped."""
    found = (Path(entry.name) for entry in files("flows").joinpath("presets").iterdir())
    return sorted(path.stem for path in found if path.suffix == ".yaml")


def resolve(
    preset: str | None = None,
    config: Path | None = None,
    options: Mapping[str, Json] | None = None,
    assignments: Iterable[str] = (),
) -> RunConfig:
    """Return the configuration of a preset or a file, changed by `options` and then by `key=value` assignments.

    Files of the user's own are read for their digests. Raise ConfigError naming the field, the value and what would be
    right.
    """
    if preset and config:
        msg = "--preset and --config exclude each other: give one of them"
        raise ConfigError(msg)
    tree = _from_file(config) if config else _from_preset(preset or "quickstart")
    tree.update(options or {})
    for assignment in assignments:
        _assign(tree, assignment)
    return parse(with_digests(tree), str(config) if config else "the configuration")


def parse(tree: Mapping[str, Json], source: str) -> RunConfig:
    """Return `tree` as the configuration of a run. Raise ConfigError, naming `source`, when it is none."""
    return parse_as(RunConfig, tree, source)


def parse_as(model: type[M], tree: Mapping[str, Json], source: str) -> M:
    """Return `tree` as a configuration of any kind. Raise ConfigError, naming `source`, when it is none."""
    _refuse_unknown(tree, model, source)
    try:
        return model.model_validate(dict(tree))
    except ValidationError as error:
        faults = [
            f"{'.'.join(str(part) for part in e['loc'])}: {e['msg']} (got {e['input']!r})" for e in error.errors()
        ]
        msg = f"{source} is wrong: " + "; ".join(faults)
        raise ConfigError(msg) from error


def to_yaml(config: RunConfig) -> str:
    """Return the configuration as YAML, all fields in their declared order."""
    return cast("Any", yaml).safe_dump(config.model_dump(mode="json"), sort_keys=False, allow_unicode=True)


def read_yaml(text: str, source: str) -> Tree:
    """Return a YAML mapping. Raise ConfigError, naming `source`, when it is none."""
    try:
        tree = cast("object", yaml.safe_load(text))
    except yaml.YAMLError as error:
        msg = f"{source} is no YAML: {' '.join(str(error).split())}"
        raise ConfigError(msg) from error
    if not isinstance(tree, dict):
        msg = f"{source} must hold one mapping of settings, such as `users: 8`"
        raise ConfigError(msg)
    return cast("Tree", tree)


def _from_preset(name: str) -> Tree:
    known = preset_names()
    if name not in known:
        raise ConfigError(f"unknown preset {name!r}{_closest(name, known)}; presets: {', '.join(known)}")
    return read_yaml(files("flows").joinpath("presets", f"{name}.yaml").read_text("utf-8"), f"preset {name!r}")


def _from_file(path: Path) -> Tree:
    try:
        text = path.read_text("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        msg = f"cannot read the configuration {str(path)!r}: {error}"
        raise ConfigError(msg) from error
    return {"preset": path.stem, **read_yaml(text, str(path))}


def _assign(tree: Tree, assignment: str) -> None:
    """Set the value of one `key=value` in `tree`; the key may be dotted, the value is read as YAML."""
    key, equals, text = assignment.partition("=")
    path = key.strip().split(".")
    if not equals or not all(path):
        raise ConfigError(f"--set wants key=value, got {assignment!r}; example: --set products=500")
    _refuse_unknown_path(path)
    try:
        value = cast("Json", yaml.safe_load(text))
    except yaml.YAMLError as error:
        raise ConfigError(f"--set {key}: {text!r} is no value: {' '.join(str(error).split())}") from error
    for part in path[:-1]:
        below = tree.setdefault(part, {})
        if not isinstance(below, dict):
            raise ConfigError(f"--set {key}: {part!r} holds {below!r}, no settings of its own")
        tree = below
    tree[path[-1]] = value


def _refuse_unknown_path(path: list[str]) -> None:
    key, known = ".".join(path), _all_keys()
    below = [name for name in known if name.startswith(f"{key}.")]
    if below:
        raise ConfigError(f"--set: {key!r} is a group; set one of {', '.join(below)}")
    if key not in known:
        raise ConfigError(f"--set: unknown key {key!r}{_closest(key, known)}; keys: {', '.join(known)}")


def _refuse_unknown(tree: Mapping[str, Json], model: type[BaseModel], source: str, prefix: str = "") -> None:
    known = list(model.model_fields)
    for name, value in tree.items():
        if name not in known:
            hint = _closest(str(name), known)
            raise ConfigError(f"{source}: unknown key {prefix + str(name)!r}{hint}; keys: {', '.join(known)}")
        below = _nested(model, name)
        if below and isinstance(value, dict):
            _refuse_unknown(value, below, source, f"{prefix}{name}.")


def _all_keys() -> list[str]:
    keys: list[str] = []
    for name in RunConfig.model_fields:
        below = _nested(RunConfig, name)
        keys.extend(f"{name}.{inner}" for inner in below.model_fields) if below else keys.append(name)
    return keys


def _nested(model: type[BaseModel], name: str) -> type[BaseModel] | None:
    annotation = model.model_fields[name].annotation
    return annotation if isinstance(annotation, type) and issubclass(annotation, BaseModel) else None


def _closest(name: str, known: Iterable[str]) -> str:
    near = get_close_matches(name.replace("-", "_"), list(known), n=1, cutoff=0.5)
    return f" (did you mean {near[0]!r}?)" if near else ""
