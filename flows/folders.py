"""Which kind of folder a folder is, and the one message for a folder of another kind than a command works on."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeAlias, cast

import orjson

from flows.errors import ConfigError
from flows.manifest import CONFIG, MANIFEST
from flows.rollout_shards import FORMAT as ROLLOUT_FORMAT
from flows.shards import FORMAT as RUN_FORMAT
from publishing.reader import is_release

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

Kind: TypeAlias = Literal["run", "release", "rollout"]


def _name(form: str) -> str:
    """Return the name of a form, which stands before its version."""
    return form.partition("/")[0]


_BY_FORMAT: Mapping[str, Kind] = {_name(RUN_FORMAT): "run", _name(ROLLOUT_FORMAT): "rollout"}
"""Name of the form that a manifest states -> kind of the folder."""
_MADE_BY: Mapping[Kind, str] = {
    "run": "a run is made by `pausegen generate`",
    "release": "a release is made by `pausegen release build RUN`",
    "rollout": "a rollout is made by `pausegen rollout RUN --assistant oracle`",
}
_INSTEAD: Mapping[Kind, str] = {
    "run": "its tasks are played by `pausegen rollout {folder} --assistant oracle`",
    "release": "its tasks are played by `pausegen rollout {folder} --assistant oracle`",
    "rollout": "what it was played over stands as `source` in {config}",
}
"""Kind of a folder that is not the one wanted -> how one comes from it to what is."""


def kind_of(folder: Path) -> Kind | None:
    """Return which kind of folder it is, by its manifest; None where there is none, or none that can be read."""
    try:
        data = orjson.loads((folder / MANIFEST).read_bytes())
    except (OSError, ValueError):
        return None
    form = cast("dict[str, object]", data).get("format") if isinstance(data, dict) else None
    if isinstance(form, str):
        return _BY_FORMAT.get(_name(form))
    return "release" if is_release(folder) else None


def expect(folder: Path, *wanted: Kind) -> None:
    """Raise ConfigError unless `folder` is one of the kinds `wanted`, saying what it is and what to give instead.

    A folder with a manifest that cannot be read passes: who reads it says what is wrong with it.
    """
    if not folder.exists():
        raise ConfigError(f"there is no folder {folder}; {_MADE_BY[wanted[0]]}")
    if not folder.is_dir():
        raise ConfigError(f"{folder} is a file; give the folder of {_one_of(wanted)}")
    kind = kind_of(folder)
    if kind in wanted or (kind is None and (folder / MANIFEST).is_file()):
        return
    if kind is not None:
        instead = _INSTEAD[kind] if (kind == "rollout") != ("rollout" in wanted) else _MADE_BY[wanted[0]]
        way_out = instead.format(folder=folder, config=folder / CONFIG)
        raise ConfigError(f"{folder} is a {kind}, and {_one_of(wanted)} is wanted here; {way_out}")
    raise ConfigError(f"{folder} is {_none_of(wanted)}: it has no {MANIFEST} that says so; {_MADE_BY[wanted[0]]}")


def expect_place(out: Path, kind: Kind | None = None, option: str = "--out") -> None:
    """Raise ConfigError when what is to be written to `out` would get into a folder of something else.

    `kind` is what is to be there; a folder of that kind may be there already, and who opens it says whether it fits.
    """
    found = kind_of(out)
    if found is not None and found != kind:
        raise ConfigError(f"{option} {out} is a {found} already; choose another folder with {option}")
    for parent in out.resolve().parents:
        holder = kind_of(parent)
        if holder is not None:
            raise ConfigError(f"{option} {out} lies inside the {holder} {parent}; choose a place outside of it")


def _one_of(kinds: tuple[Kind, ...]) -> str:
    return " or ".join(f"a {kind}" for kind in kinds)


def _none_of(kinds: tuple[Kind, ...]) -> str:
    return f"no {kinds[0]}" if len(kinds) == 1 else f"neither {_one_of(kinds).replace(' or ', ' nor ')}"
