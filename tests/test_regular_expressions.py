"""Regular expressions keep to what every supported Python reads alike."""

from __future__ import annotations

import ast
import re

import pytest

from tests import scan

BEHIND = re.compile(r"[*+?}]\+|\(\?>")
"""Possessive repeats and atomic groups: Python 3.11.2 loses groups next to them (CPython issue 101955)."""


def plain(pattern: str) -> str:
    """A pattern without escapes and with classes as one letter: what is left of signs repeats or groups."""
    return re.sub(r"\[\^?\]?[^\]]*\]", "c", re.sub(r"\\.", "e", pattern, flags=re.DOTALL))


def patterns(tree: ast.AST) -> list[str]:
    """Every literal part of what is given first to a function of `re`."""
    return [
        part.value
        for call in ast.walk(tree)
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.args
        if isinstance(call.func.value, ast.Name) and call.func.value.id == "re"
        for part in ast.walk(call.args[0])
        if isinstance(part, ast.Constant) and isinstance(part.value, str)
    ]


@pytest.mark.parametrize("package", [*scan.packages(), "benchmarks"])
def test_no_pattern_has_a_possessive_repeat_or_an_atomic_group(package: str) -> None:
    found = {
        str(path.relative_to(scan.ROOT)): [p for p in patterns(ast.parse(path.read_text("utf-8"))) if is_unsafe(p)]
        for path in scan.sources(package)
    }
    assert not {path: unsafe for path, unsafe in found.items() if unsafe}


def is_unsafe(pattern: str) -> bool:
    return BEHIND.search(plain(pattern)) is not None


@pytest.mark.parametrize(
    ("pattern", "unsafe"),
    [
        (r"(?:a|b)*+(c)?", True),
        (r"a{2}+", True),
        (r"[^:]++", True),
        (r"(?>ab)c", True),
        (r"[-*+]\+ a+?", False),
        (r"\*+ \++", False),
    ],
)
def test_the_scan_knows_them(pattern: str, unsafe: bool) -> None:
    assert is_unsafe(pattern) == unsafe
