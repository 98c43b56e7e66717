"""Reads a file of personas: JSON lines, one description a line; user i takes line i + 1.

A line is an object with the text under `persona` or `description`; its other fields are not read.
"""

from __future__ import annotations

import hashlib
import json
from array import array
from pathlib import Path
from typing import BinaryIO, Final, cast

from generators.inputs import InputError, refuse, shown
from generators.profiles.personas import AGES, Persona
from generators.profiles.personas_reading import facts_from_description

FIELDS: Final = ("persona", "description")
"""Where the text of a line stands."""
LONGEST: Final = 20_000
"""Characters that a description may have."""
_LINE = f'give one object per line, such as {{"{FIELDS[0]}": "A 34-year-old nurse who enjoys yoga."}}'
_BOM = b"\xef\xbb\xbf"


class PersonaFile:
    """A file of personas of which only the places of its lines are held, since it may have a million of them."""

    def __init__(self, path: Path) -> None:
        """Look through the file. Raise InputError when it cannot be read."""
        self.path = path
        self._starts = array("q")
        total, at, last = hashlib.sha256(), 0, 0
        with _opened(path) as file:
            for line in file:
                total.update(line)
                self._starts.append(at)
                at += len(line)
                last = len(self._starts) if line.strip() else last
        del self._starts[last:]
        self.sha256 = total.hexdigest()
        """Of all bytes of the file."""

    def __len__(self) -> int:
        """Return the number of lines, empty ones at the end left out."""
        return len(self._starts)

    def require(self, users: int) -> None:
        """Raise InputError when there are fewer lines than users."""
        if len(self) < users:
            fault = f"{len(self)} personas for {users} users"
            raise refuse(str(self.path), "", "", fault, "add lines, or ask for fewer users")

    def of(self, index: int) -> Persona:
        """Return the persona of a user. Raise InputError when there is none, or the line is wrong."""
        self.require(index + 1)
        with _opened(self.path) as file:
            file.seek(self._starts[index])
            raw = file.readline()
        try:
            line = (raw.removeprefix(_BOM) if index == 0 else raw).decode("utf-8")
        except UnicodeDecodeError as error:
            fault = f"byte {error.start} of the line is no UTF-8"
            raise refuse(str(self.path), f"line {index + 1}", "", fault, "save the file as UTF-8") from error
        return read_persona(str(self.path), index + 1, line)


def _opened(path: Path) -> BinaryIO:
    try:
        return path.open("rb")
    except OSError as error:
        raise refuse(str(path), "", "", error.strerror or str(error), "give a file of JSON lines") from error


def read_personas(path: Path, users: int) -> list[Persona]:
    """Return the personas of the first `users` lines of a file, each with what of it could not be used.

    Raises:
        InputError: the file cannot be read, has fewer lines, or one of these lines is wrong.
    """
    file = PersonaFile(path)
    file.require(users)
    return [file.of(index) for index in range(users)]


def read_persona(file: str, number: int, line: str) -> Persona:
    """Return the persona of one line, counted from 1. Raise InputError when it is none."""
    where = f"line {number}"
    try:
        record: object = json.loads(line)
    except (ValueError, RecursionError) as error:
        what = "is empty" if not line.strip() else "is no JSON"
        raise refuse(file, where, "", what, _LINE) from error
    if not isinstance(record, dict):
        raise refuse(file, where, "", f"{shown(record)} is no object", _LINE)
    given = cast("dict[str, object]", record)
    names = [name for name in FIELDS if name in given]
    if len(names) != 1:
        what = "is missing" if not names else "stands beside another text"
        raise refuse(file, where, names[-1] if names else FIELDS[0], what, f"give one of {' and '.join(FIELDS)}")
    text = given[names[0]]
    if not isinstance(text, str) or not text.strip():
        raise refuse(file, where, names[0], f"{shown(text)} is no text", "give a description of a person")
    if len(text) > LONGEST:
        raise refuse(file, where, names[0], f"{len(text)} characters", f"give at most {LONGEST}")
    persona = facts_from_description(text)
    low, high = persona.ages or AGES
    if low < AGES[0] or high > AGES[1]:
        age = low if low == high else f"{low} to {high}"
        raise refuse(file, where, names[0], f"says an age of {age}", f"users are {AGES[0]} to {AGES[1]}; leave it out")
    return persona


__all__ = ["FIELDS", "InputError", "PersonaFile", "read_persona", "read_personas"]
