"""The two forms of a catalogue file, as rows.

JSON: an object with one product per id, or a list of products with a `product_id` each. CSV: a header with one column
per field, named by the last part of its JSON path or the whole of it; lists are separated by `;` or `|`.
"""

from __future__ import annotations

import csv
import io
import json
import re
from decimal import Decimal
from typing import TYPE_CHECKING, cast

from generators.inputs import InputError, refuse, shown
from generators.worlds.catalogue_file.rows import NUTRIENTS, PATHS, PRICES, REQUIRED, WANTED, Row
from services.shopping.invariants import ASSORTMENT_SIZE

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_NUMBER = re.compile(r"-?\d{1,12}(\.\d{1,9})?")
_TRUTHS = {"true": True, "false": False}
_LISTS = ("tags", "base_tags")
_NUMBERS = ("weight", *NUTRIENTS, *PRICES, "discount_factor")
_EITHER = "give a .json or a .csv file"
_GROUPS = ("packaging", "packaging.nutrition_per_serving", "discount_info")


class _Object(dict[str, object]):
    """A JSON object that knows which of its names occur twice."""

    def __init__(self, pairs: list[tuple[str, object]]) -> None:
        super().__init__(pairs)
        names = [name for name, _ in pairs]
        self.repeated = sorted({name for name in names if names.count(name) > 1}) if len(names) > len(self) else []


def read_rows(path: Path) -> list[Row]:
    """Return the rows of a catalogue file. Raise InputError where it is none, naming row and field."""
    forms = {".json": _json_rows, ".csv": _csv_rows}
    form = forms.get(path.suffix.lower())
    if form is None:
        raise refuse(str(path), "", "", f"{path.suffix or 'no ending'!r} is no known form of a catalogue", _EITHER)
    try:
        text = path.read_text("utf-8-sig")
    except OSError as error:
        raise refuse(str(path), "", "", error.strerror or str(error), _EITHER) from error
    except UnicodeDecodeError as error:
        raise refuse(str(path), "", "", f"byte {error.start} is no UTF-8", "save the file as UTF-8") from error
    rows = list(form(str(path), text))
    if not rows:
        raise refuse(str(path), "", "", "there are no products", f"give at least {ASSORTMENT_SIZE[0]} of them")
    seen: set[object] = set()
    for row in rows:
        identity = row.value("product_id")
        if not isinstance(identity, str):
            raise row.refuse("product_id", f"{shown(identity)} is no text")
        if identity in seen:
            raise row.refuse("product_id", f"{shown(identity)} stands here a second time")
        seen.add(identity)
    return rows


def _json_rows(file: str, text: str) -> Iterator[Row]:
    try:
        data: object = json.loads(text, parse_float=Decimal, parse_constant=Decimal, object_pairs_hook=_Object)
    except RecursionError as error:
        raise refuse(file, "", "", "is nested too deeply", "give one object or list of products") from error
    except json.JSONDecodeError as error:
        where = f"line {error.lineno}, column {error.colno}"
        raise refuse(file, where, "", f"is no JSON ({error.msg})", "mend the file there") from error
    except ValueError as error:
        raise refuse(file, "", "", f"is no JSON ({error})", "mend the file") from error
    if isinstance(data, _Object):
        if data.repeated:
            raise refuse(file, f"product {shown(data.repeated[0])}", "product_id", "stands in the file twice", _id())
        entries = [(f"product {shown(key)}", key, value) for key, value in data.items()]
    elif isinstance(data, list):
        entries = [(f"entry {place}", None, value) for place, value in enumerate(cast("list[object]", data), 1)]
    else:
        raise refuse(file, "", "", "holds neither an object nor a list", "give one object per product")
    for where, key, value in entries:
        yield _json_row(file, where, key, value)


def _id() -> str:
    return WANTED["product_id"]


def _json_row(file: str, where: str, key: str | None, entry: object) -> Row:
    if not isinstance(entry, _Object):
        raise refuse(file, where, "", f"{shown(entry)} is no object", "give the fields of a product")
    own = entry.get("product_id")
    if key is None and isinstance(own, str):
        where = f"{where} ({shown(own)})"
    values: dict[str, object] = {}
    row = Row(file, where, values)
    groups = {"": entry, **{name: _group(row, entry, name) for name in _GROUPS}}
    for name, group in groups.items():
        if group.repeated:
            raise row.refuse(f"{name}.{group.repeated[0]}".lstrip("."), "stands here twice", "keep one of them")
    prices = _prices(row, entry.get("purchase_options"))
    for name, path in PATHS.items():
        group = groups.get(path.rpartition(".")[0], prices)
        if group.get(name) is not None:
            values[name] = group[name]
    if key is not None:
        if own not in (None, key):
            raise row.refuse("product_id", f"{shown(own)} is not the key {shown(key)}", "let both be the same")
        values["product_id"] = key
    return row


def _group(row: Row, entry: _Object, path: str) -> _Object:
    """Return the object at a path, an empty one where it is left out."""
    found: object = entry
    for part in path.split("."):
        found = found.get(part) if isinstance(found, _Object) else None
    if found is not None and not isinstance(found, _Object):
        raise row.refuse(path, f"{shown(found)} is no object", "give its fields")
    return found if found is not None else _Object([])


def _prices(row: Row, options: object) -> _Object:
    """Return price by size."""
    field = "purchase_options"
    sizes = f"give one {{size, price}} each for {' and '.join(PRICES)}"
    if not isinstance(options, list):
        raise row.refuse(field, f"{shown(options)} is no list", sizes)
    found: list[tuple[str, object]] = []
    for place, option in enumerate(cast("list[object]", options)):
        if not isinstance(option, _Object) or option.repeated:
            raise row.refuse(f"{field}[{place}]", f"{shown(option)} is no size with a price", sizes)
        size = option.get("size")
        if not isinstance(size, str) or size not in PRICES:
            raise row.refuse(f"{field}[{place}].size", f"{shown(size)} is no known size", sizes)
        found.append((size, option.get("price")))
    prices = _Object(found)
    if prices.repeated:
        raise row.refuse(field, f"{prices.repeated[0]} stands there twice", sizes)
    return prices


def _csv_rows(file: str, text: str) -> Iterator[Row]:
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    try:
        header = [name.strip() for name in next(reader, list[str]())]
        fields = [_field(name) for name in header]
        _refuse_header(file, header, fields)
        names = {name: written for name, written in zip(fields, header, strict=True) if name}
        for cells in reader:
            if cells:
                yield _csv_row(file, f"line {reader.line_num}", header, fields, cells, names)
    except csv.Error as error:
        raise refuse(file, f"line {reader.line_num}", "", f"is no CSV ({error})", "mend the file there") from error


def _field(column: str) -> str:
    """Return the field of a column; empty for a column that is not read."""
    name = column.rpartition(".")[2]
    return name if name in PATHS and column in (name, PATHS[name]) else ""


def _refuse_header(file: str, header: list[str], fields: list[str]) -> None:
    for name in REQUIRED:
        if name not in fields and not (name == "base_tags" and "category" in fields):
            raise refuse(file, "line 1", name, "there is no such column", WANTED[name])
    for place, name in enumerate(fields):
        if name and name in fields[:place]:
            raise refuse(file, "line 1", header[place], "there are two such columns", "keep one of them")


def _csv_row(
    file: str, where: str, header: list[str], fields: list[str], cells: list[str], names: dict[str, str]
) -> Row:
    row = Row(file, where, {}, names)
    if len(cells) != len(header):
        missing = header[len(cells)] if len(cells) < len(header) else ""
        raise row.refuse(missing, f"there are {len(cells)} cells for {len(header)} columns", "quote cells with commas")
    given = {name: cell.strip() for name, cell in zip(fields, cells, strict=True) if name and cell.strip()}
    where = f"{where} ({shown(given['product_id'])})" if "product_id" in given else where
    return Row(file, where, {name: _cell(name, cell) for name, cell in given.items()}, names)


def _cell(name: str, cell: str) -> object:
    """Return the value of a cell as JSON would hold it; what is no number stays text."""
    if name in _LISTS:
        return [part.strip() for part in re.split(r"[;|]", cell) if part.strip()]
    if name in _NUMBERS and _NUMBER.fullmatch(cell):
        return Decimal(cell)
    return _TRUTHS.get(cell.lower(), cell) if name == "vip_required" else cell


__all__ = ["InputError", "read_rows"]
