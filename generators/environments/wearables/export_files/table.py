"""One file of an export, row by row, with errors that name file, row and field."""

from __future__ import annotations

import csv
import datetime as dt
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import TYPE_CHECKING

from generators.inputs import refuse, shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from generators.inputs import InputError

_AGAIN = "export the file again, or leave the row out"


@dataclass(frozen=True, slots=True)
class Cells:
    """The wanted cells of one row."""

    file: str
    number: int
    """Line of the file at which the row ends."""
    values: dict[str, str]

    def refuse(self, field: str, fault: str, way_out: str = _AGAIN) -> InputError:
        """Return the error for one field of this row."""
        return refuse(self.file, f"row {self.number}", field, fault, way_out)

    def has(self, field: str) -> bool:
        """Return whether the file has the column."""
        return field in self.values

    def text(self, field: str) -> str:
        """Return a text. Raise InputError where it is empty."""
        value = self.values[field].strip()
        if not value or not value.isprintable():
            raise self.refuse(field, "is missing" if not value else f"{shown(value)} is no text")
        return value

    def number_of(self, field: str, least: int, most: int) -> Decimal:
        """Return a number within bounds. Raise InputError where it is none."""
        value = self.text(field)
        try:
            number = Decimal(value)
        except InvalidOperation:
            raise self.refuse(field, f"{shown(value)} is not a number") from None
        if not number.is_finite() or not least <= number <= most:
            raise self.refuse(field, f"{shown(value)} is not between {least} and {most}")
        return number

    def whole(self, field: str, least: int, most: int) -> int:
        """Return a whole number within bounds. Raise InputError where it is none."""
        number = self.number_of(field, least, most)
        if number != number.to_integral_value():
            raise self.refuse(field, f"{shown(self.values[field])} is not a whole number")
        return int(number)

    def rounded(self, field: str, least: int, most: int, parts: int = 1) -> int:
        """Return a number in `parts` of its unit, halves rounded up. Raise InputError where it is none."""
        return int((2 * parts * self.number_of(field, least, most) + 1) // 2)

    def date(self, field: str) -> dt.date:
        """Return a date. Raise InputError where it is none."""
        value = self.text(field)
        try:
            return dt.date.fromisoformat(value)
        except ValueError:
            raise self.refuse(field, f"{shown(value)} is not a date", "write dates as 2016-04-01") from None


def find(folder: Path, names: Sequence[str]) -> Path | None:
    """Return the file of the folder that goes by one of the names. Raise InputError where two do."""
    found = [folder / name for name in names if (folder / name).is_file()]
    if len(found) > 1:
        raise refuse(str(folder), "", "", f"holds both {names[0]} and {names[1]}", "leave one of them out")
    return found[0] if found else None


def rows(path: Path, columns: Sequence[str], optional: Sequence[str] = ()) -> Iterator[Cells]:
    """Yield the rows of a file with these columns.

    Raise InputError where the file cannot be read, a column is missing, or a row is shorter or longer than the header.
    """
    name = path.name
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            header: list[str] = next(reader, [""])
            missing = [column for column in columns if column not in header]
            if missing:
                raise refuse(name, "row 1", missing[0], "is not among the columns", f"give {', '.join(columns)}")
            wanted = [(column, header.index(column)) for column in (*columns, *optional) if column in header]
            for cells in reader:
                if len(cells) != len(header):
                    fault = f"{len(cells)} cells under {len(header)} columns"
                    raise refuse(name, f"row {reader.line_num}", "", fault, _AGAIN)
                yield Cells(name, reader.line_num, {column: cells[place] for column, place in wanted})
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        raise refuse(name, "", "", f"cannot be read ({error})", "give a readable CSV file in UTF-8") from error
