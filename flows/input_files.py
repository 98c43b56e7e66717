"""Files and folders of the user's own in the settings: named by path, known by the SHA-256 of their bytes."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

from flows.errors import ConfigError
from schemas.base import Json
from schemas.config import FOLDER_FIELDS, INPUT_FIELDS

if TYPE_CHECKING:
    from schemas.config import InputFile


def with_digests(tree: dict[str, Json]) -> dict[str, Json]:
    """Return settings in which every file of the user's own stands with its digest.

    Raise ConfigError when one cannot be read, or is no longer what the settings say.
    """
    given = {name: tree[name] for name in INPUT_FIELDS if tree.get(name) is not None}
    return {**tree, **{name: _with_digest(name, value) for name, value in given.items()}}


def require_same(name: str, given: InputFile) -> None:
    """Raise ConfigError when a file is not, or no longer, the one that the run was begun with."""
    if digest_of(name, given.path) != given.sha256:
        raise changed(name, given.path)


def changed(name: str, path: str) -> ConfigError:
    """Return the error for a file with other bytes than the settings say."""
    text = "is not the file that the run was begun with; put that one back, or choose another folder with --out"
    return ConfigError(f"{name}: {path!r} {text}")


def digest_of(name: str, path: str) -> str:
    """Return the SHA-256 of a file or folder. Raise ConfigError when it cannot be read."""
    if name in FOLDER_FIELDS:
        return _digest_of_folder(name, Path(path))
    try:
        with Path(path).open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except (OSError, ValueError) as error:
        raise ConfigError(f"{name}: cannot read {path!r}: {getattr(error, 'strerror', None) or error}") from error


def _digest_of_folder(name: str, folder: Path) -> str:
    from generators.environments import folder_inputs
    from generators.environments.folders import digest_of_files
    from generators.inputs import InputError

    try:
        return digest_of_files(folder_inputs()[name].files(folder))
    except InputError as error:
        raise ConfigError(f"{name}: {error}") from error
    except OSError as error:
        raise ConfigError(f"{name}: cannot read {str(folder)!r}: {error.strerror or error}") from error


def _with_digest(name: str, given: Json) -> Json:
    path = given.get("path") if isinstance(given, dict) else given
    if not isinstance(path, str) or not path:
        raise ConfigError(f"{name}: {given!r} is no file; give its path")
    found = digest_of(name, path)
    if isinstance(given, dict) and given.get("sha256", found) != found:
        raise changed(name, path)
    return {"path": path, "sha256": found}
