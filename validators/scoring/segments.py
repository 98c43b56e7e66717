"""A report taken apart: sentences, list items and table rows, each with the headings it stands under."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_MARKS = re.compile(r"\*\*|__|`|~~|(?<!\w)\*(?=\S)|(?<=\S)\*(?!\w)|<br ?/?>")
_BULLET = re.compile(r"^\s*(?:[-*+\u2022\u2013]\s+|\(?\d{1,2}[.)]\s+|#+\s*|>\s*)")
_RULE = re.compile(r"^\s*\|?[\s:|-]+\|?\s*$")
_END = re.compile(
    r"(?<=[.!?])[\"')\u201d\u2019]*\s+(?=[\"'(\u201c\u2018]?[A-Z0-9$\u20ac])|"
    # Who writes in small letters ends sentences as well.
    r"(?:(?<=[a-z]{3}[.!?])|(?<=\d[.!?]))\s+(?=[a-z])|\n+"
)
_SHORTENED = re.compile(
    r"\b(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec|approx|ca|no|vs|incl|excl|Mon|Tue|Wed|Thu|Fri|Sat|Sun|e\.g|i\.e)\.$",
    re.IGNORECASE,
)


class Segment(NamedTuple):
    """A sentence, list item or table row."""

    text: str
    heading: str
    """What stands over it and ends in a colon, or is a title."""
    item: bool
    """Whether it is an item of a list or a row of a table."""


@lru_cache(maxsize=512)
def segments(text: str) -> tuple[Segment, ...]:
    """Return the parts of a text in order; a row of a table reads `column: value; column: value`."""
    found: list[Segment] = []
    heading = ""
    columns: list[str] = []
    for raw in text.replace("\r", "").split("\n"):
        line = _MARKS.sub("", raw).strip()
        if not line:
            columns = []
            continue
        if line.startswith("|") and line.count("|") > 1:
            if not _RULE.match(line):
                columns = _row(line, columns, heading, found)
            continue
        columns = []
        item = bool(_BULLET.match(raw))
        line = _BULLET.sub("", line) if item else line
        if (line.endswith(":") or raw.lstrip().startswith("#")) and len(line) < 120:
            heading = line
            if not line.endswith(":"):
                continue
        elif not item:
            heading = heading if found and found[-1].item and line[:1].islower() else ""
        found += [Segment(part, heading if item else "", item) for part in _sentences(line)]
    return tuple(found)


def _row(line: str, columns: list[str], heading: str, found: list[Segment]) -> list[str]:
    """Add a row of a table, or return it as its columns when it is the first."""
    cells = [cell.strip() for cell in line.strip("|").split("|")]
    if not columns:
        return cells
    named = zip(columns, cells, strict=False)
    row = "; ".join(f"{column}: {cell}" if column else cell for column, cell in named)
    # In a table of two columns the first cell says what the second one is.
    if len(cells) == 2:
        row = f"{cells[0]}: {cells[1]}"
    found.append(Segment(row, heading, item=True))
    return columns


def _sentences(line: str) -> list[str]:
    parts: list[str] = []
    for part in _END.split(line):
        if parts and _SHORTENED.search(parts[-1]):
            parts[-1] += " " + part
        elif part.strip():
            parts.append(part.strip())
    return parts
