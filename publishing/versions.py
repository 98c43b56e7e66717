"""Semantic versions, as https://semver.org defines form and order."""

from __future__ import annotations

import re

_IDENTIFIER = r"(?:0|[1-9]\d*|\d*[A-Za-z-][0-9A-Za-z-]*)"
_CORE = r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)"
_VERSION = re.compile(rf"{_CORE}(?:-({_IDENTIFIER}(?:\.{_IDENTIFIER})*))?(?:\+[0-9A-Za-z-]+(?:\.[0-9A-Za-z-]+)*)?")

Precedence = tuple[tuple[int, int, int], int, tuple[tuple[int, int, str], ...]]


def is_version(text: str) -> bool:
    """Return whether `text` is a semantic version."""
    return _VERSION.fullmatch(text) is not None


def precedence(version: str) -> Precedence:
    """Return a key by which versions sort: numbers first, a pre-release before its release, build data ignored.

    Raises:
        ValueError: not a semantic version.
    """
    match = _VERSION.fullmatch(version)
    if match is None:
        msg = f"{version!r} is no semantic version"
        raise ValueError(msg)
    major, minor, patch, pre = match.groups()
    parts = tuple((0, int(p), "") if p.isdigit() else (1, 0, p) for p in (pre or "").split(".") if p)
    return (int(major), int(minor), int(patch)), 0 if pre else 1, parts
