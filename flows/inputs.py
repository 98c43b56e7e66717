"""What is made from files of the user's own; their faults are faults of the settings."""

from __future__ import annotations

from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from flows.errors import ConfigError
from flows.input_files import changed, require_same
from generators.environments import folder_inputs
from generators.inputs import InputError
from generators.profiles import NOBODY, PersonaFile, facts_of
from generators.worlds import make_world
from generators.worlds.catalogue_file import world_from_catalogue
from schemas.config import FOLDER_FIELDS

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator, Mapping

    from generators.environments.folders import Brought
    from generators.profiles import Persona
    from generators.worlds.catalogue_file import CatalogueReport
    from schemas.config import InputFile, RunConfig
    from schemas.world import World


def world_of(config: RunConfig) -> tuple[World, CatalogueReport | None]:
    """Return the world of a run, and how the user's own catalogue was read. Raise ConfigError for its faults."""
    if config.catalogue is None:
        return make_world(config.seed, config.products), None
    require_same("catalogue", config.catalogue)
    with in_settings():
        made = world_from_catalogue(Path(config.catalogue.path), config.seed)
    require_same("catalogue", config.catalogue)  # it was not written while it was read
    return made


def personas_of(config: RunConfig) -> Callable[[int], Persona]:
    """Return what is known of each user before it is made. Raise ConfigError when the file was changed."""
    if config.personas is None:
        return lambda _: NOBODY
    file = _persona_file(config.personas)

    def persona(index: int) -> Persona:
        with in_settings():
            return file.of(index)

    return persona


def given_of(config: RunConfig) -> Callable[[int], Mapping[str, object]]:
    """Return what the folders of the user's own give each user. Raise ConfigError when one was changed."""
    read = {name: _folder(name, given) for name, given in given_folders(config).items()}
    return lambda index: {name: brought.of(index) for name, brought in read.items()}


def given_folders(config: RunConfig) -> dict[str, InputFile]:
    """Return the folders of the user's own."""
    return {name: given for name in FOLDER_FIELDS if (given := config.input_file(name)) is not None}


def look_through(config: RunConfig) -> Iterator[str]:
    """Read all that a run will read of these files, and yield in a line each what was found.

    Raise ConfigError for the first fault.
    """
    report = world_of(config)[1] if config.catalogue else None
    if report is not None:
        yield report.summary()
    for name, given in given_folders(config).items():
        yield _folder(name, given).summary()
    if config.personas is not None:
        with in_settings():
            _persona_file(config.personas).require(config.users)
        persona = personas_of(config)
        yield _summary(config.personas.path, (persona(index) for index in range(config.users)))


def _summary(path: str, personas: Iterable[Persona]) -> str:
    users = facts = left_out = silent = 0
    for persona in personas:
        count = len(facts_of(persona))
        users, facts, left_out, silent = (
            users + 1,
            facts + count,
            left_out + len(persona.left_out),
            silent + (count == 0),
        )
    return f"{path}: {users} descriptions, {facts} facts taken from them, {left_out} left out, {silent} without any"


def _folder(name: str, given: InputFile) -> Brought:
    require_same(name, given)
    return _read_folder(name, given.path, given.sha256)


@lru_cache(maxsize=2)
def _read_folder(name: str, path: str, sha256: str) -> Brought:
    with in_settings():
        brought = folder_inputs()[name].read(Path(path))
    if brought.sha256 != sha256:
        raise changed(name, path)  # it was written while it was read
    return brought


def _persona_file(given: InputFile) -> PersonaFile:
    try:
        state = Path(given.path).stat()
    except OSError as error:
        raise ConfigError(f"personas: cannot read {given.path!r}: {error.strerror or error}") from error
    return _looked_through(given.path, given.sha256, state.st_mtime_ns, state.st_size)


@lru_cache(maxsize=2)
def _looked_through(path: str, sha256: str, _written_ns: int, _size: int) -> PersonaFile:
    """Return the file as it is now; it is looked through again when it was written since."""
    with in_settings():
        file = PersonaFile(Path(path))
    if file.sha256 != sha256:
        raise changed("personas", path)
    return file


@contextmanager
def in_settings() -> Generator[None]:
    """Turn a fault of a file of the user's own into one of the settings."""
    try:
        yield
    except InputError as error:
        raise ConfigError(str(error)) from error
