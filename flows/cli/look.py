"""`pausegen look`: what would be taken from files of the user's own."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from flows.errors import ConfigError

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

EXAMPLES = """\
examples:
  pausegen look --catalogue shop.json       products, new names, and labels that the nutrition does not bear out
  pausegen look --personas people.jsonl     the facts that are taken from each description
  pausegen look --wearables exports         the wearers, and which days and nights they recorded
"""


def define(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.description = "Read files of your own and say what is taken from them. Writes nothing, makes nothing."
    parser.epilog = EXAMPLES
    parser.set_defaults(command=run)
    parser.add_argument("--catalogue", metavar="FILE", type=Path, help="a product catalogue, JSON or CSV")
    parser.add_argument("--personas", metavar="FILE", type=Path, help="descriptions of persons, JSON lines")
    parser.add_argument("--wearables", metavar="DIR", type=Path, help="folder with exports of wearers")


def run(options: argparse.Namespace) -> int:
    """Print what was found. Raise ConfigError for the first fault."""
    if not any((options.catalogue, options.personas, options.wearables)):
        raise ConfigError("nothing to look at; give --catalogue FILE, --personas FILE or --wearables DIR")
    from flows.inputs import in_settings

    with in_settings():
        for line in [
            *_catalogue(options.catalogue),
            *_personas(options.personas),
            *_folder("wearables", options.wearables),
        ]:
            print(line)
    return 0


def _folder(name: str, path: Path | None) -> Iterator[str]:
    from generators.environments import folder_inputs

    if path is not None:
        yield from folder_inputs()[name].read(path).lines()


def _catalogue(path: Path | None) -> Iterator[str]:
    from generators.worlds.catalogue_file import world_from_catalogue

    if path is not None:
        yield from world_from_catalogue(path)[1].lines()


def _personas(path: Path | None) -> Iterator[str]:
    from generators.profiles import PersonaFile, facts_of

    if path is None:
        return
    file = PersonaFile(path)
    for index in range(len(file)):
        persona = file.of(index)
        facts = ", ".join(f"{fact.field} {fact.value}" for fact in facts_of(persona)) or "nothing is taken"
        yield f"line {index + 1}: {facts}"
        yield from (f"  left out: {reason}" for reason in persona.left_out)
