"""Data files beside the code that reads them."""

from __future__ import annotations

from importlib.resources import files
from typing import TYPE_CHECKING

import yaml

if TYPE_CHECKING:
    Loader = yaml.SafeLoader
else:
    # The same loader written in C, where the installed package has it: sentence forms load ten times as fast.
    Loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def read_yaml(package: str, name: str) -> object:
    """Return the content of a YAML file in a package. Raise OSError when there is none."""
    text = files(package).joinpath(name).read_text(encoding="utf-8")
    return yaml.load(text, Loader=Loader)  # noqa: S506  # it is a safe loader
