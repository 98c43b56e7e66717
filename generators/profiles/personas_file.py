"""Reads a file of personas: JSON lines, one description a line; user i takes line i + 1.

A line is an object with the text under `persona` or `description`; its other fields are not read.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Final, cast

from generators.inputs import InputError, refuse, shown
from generators.profiles.personas import AGES, Persona
from generators.profiles.personas_reading import facts_from_description

FIELDS: Final = ("persona", "description")
"""Where the text of a line stands."""
LONGEST: Final = 20_000
"""Characters that a description may have."""
_LINE = f'give one object per line, such as {{"{FIELDS[0]}": "A 34-year-old nurse who enjoys yoga."}}'


def read_personas(path: Path, users: int) -> list[Persona]:
    """Return the personas of the first `users` lines of a file, each with what of it could not be used.

    Raises:
        InputError: the file cannot be read, has fewer lines, or one of these lines is wrong.
    """
    try:
        lines = path.read_text("utf-8-sig").rstrip("\n").split("\n")
    except OSError as error:
        raise refuse(str(path), "", "", error.strerror or str(error), "give a file of JSON lines") from error
    except UnicodeDecodeError as error:
        raise refuse(str(path), "", "", f"byte {error.start} is no UTF-8", "save the file as UTF-8") from error
    lines = lines if lines != [""] else []
    if len(lines) < users:
        raise refuse(str(path), "", "", f"{len(lines)} personas for {users} users", "add lines, or ask for fewer users")
    return [read_persona(str(path), number, line) for number, line in enumerate(lines[:users], 1)]


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


__all__ = ["FIELDS", "InputError", "read_persona", "read_personas"]
