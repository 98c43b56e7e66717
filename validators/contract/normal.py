"""One byte string per end-state, the same for two ends of one start that differ in the ids of created records only.

Created records are coloured by their content, and the colours refined by what refers to what, until nothing changes.
Colours then number the records; where some still share a colour, each choice is tried and the least result taken, which
makes the form canonical however symmetric the records are. Rows of views are compared by their net sums, and times of
writes only as lying within a day after the clock, as contracts do.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Mapping
from functools import lru_cache
from operator import sub
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import orjson

from validators.contract.changes import Delta, Row, view_rows

if TYPE_CHECKING:
    from schemas.base import Json
    from services.runtime.declare import Table

LIMIT = 5_000
"""Numberings tried before giving up; real end-states need one, rarely two."""
Node: TypeAlias = tuple[str, str]
"""Table and id of a created record."""
Link: TypeAlias = tuple[str, Node]
"""A field and the created record it refers to."""
Colours: TypeAlias = dict[Node, int]
_WITHIN: Json = [0]
"""Stands for any time within a day after the clock; a list, so that it equals no field value."""


class _Fact(NamedTuple):
    """One change: what of it holds no created id, the created record it is, and those it refers to."""

    text: bytes
    node: Node | None
    links: tuple[Link, ...]


def normal_form(delta: Delta, tables: Mapping[str, Table], now: str = "") -> bytes:
    """Return the canonical bytes of what changed, created ids renamed.

    Without `now`, times of writes are compared literally. Lists of references are compared as sets. Records of viewed
    tables have no id here; a reference to one is compared literally.

    Raises:
        ValueError: so many created records are alike and tied together that no form was found in `LIMIT` numberings.
    """
    nodes = {
        (table, key)
        for table, records in delta.items()
        if tables[table].view is None
        for key, (before, _) in records.items()
        if before is None
    }
    window = _window(now) if now else None
    facts = [fact for name, records in delta.items() for fact in _facts(tables[name], records, nodes, window)]
    if not nodes:
        return _render(facts, {})
    touching: dict[Node, list[_Fact]] = {node: [] for node in nodes}
    for fact in facts:
        for node in {*(() if fact.node is None else (fact.node,)), *(node for _, node in fact.links)}:
            touching[node].append(fact)
    return _least(facts, touching, _refine(dict.fromkeys(nodes, 0), touching), [0])


def same_end(one: Delta, other: Delta, tables: Mapping[str, Table], now: str = "") -> bool:
    """Return whether two deltas from the same start lead to the same end, up to a bijection of created ids."""
    return normal_form(one, tables, now) == normal_form(other, tables, now)


@lru_cache(maxsize=256)
def _window(now: str) -> tuple[str, str]:
    return now, (dt.datetime.fromisoformat(now) + dt.timedelta(days=1)).isoformat()


def _facts(
    table: Table, records: Mapping[str, tuple[Row | None, Row | None]], nodes: set[Node], window: tuple[str, str] | None
) -> Iterable[_Fact]:
    if table.view is not None:
        for keys, row in view_rows(records, table.view).items():
            net = tuple(map(sub, row.after, row.before))
            if any(net):
                named = dict(zip((*table.view.keys, *table.view.sums), (*keys, *net), strict=True))
                yield _fact(table, "", named, None, nodes, None)
        return
    for key, (before, after) in records.items():
        node = (table.name, key) if before is None else None
        yield _fact(table, "" if node else key, after, node, nodes, window)


def _fact(
    table: Table, key: str, row: Row | None, node: Node | None, nodes: set[Node], window: tuple[str, str] | None
) -> _Fact:
    if row is None:
        return _Fact(_dump([table.name, key, None]), node, ())
    cells = {name: _cell(value) for name, value in row.items() if name != "id"}
    for name in table.stamps if window else ():
        value = cells[name]
        if window and isinstance(value, str) and window[0] <= value <= window[1]:
            cells[name] = _WITHIN
    links: list[Link] = []
    for name, target in table.references.items():
        if name in cells:
            cells[name] = _unlinked(name, target, cells[name], nodes, links)
    return _Fact(_dump([table.name, key, cells]), node, tuple(links))


def _unlinked(name: str, target: str, value: Json, nodes: set[Node], links: list[Link]) -> Json:
    """Return a reference without the created ids it holds, which go to `links`."""
    if isinstance(value, str) and (target, value) in nodes:
        links.append((name, (target, value)))
        return _WITHIN
    if isinstance(value, (list, tuple)):
        links.extend((name, (target, item)) for item in value if isinstance(item, str) and (target, item) in nodes)
        return sorted((item for item in value if (target, item) not in nodes), key=_dump)
    return value


def _cell(value: Json) -> Json:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _dump(value: object) -> bytes:
    return orjson.dumps(value, option=orjson.OPT_SORT_KEYS)


def _refine(colours: Colours, touching: Mapping[Node, list[_Fact]]) -> Colours:
    """Return the coarsest refinement of `colours` in which records of one colour stand in alike facts."""
    count = len(set(colours.values()))
    while count < len(colours):
        seen = {node: (colours[node], sorted(_seen(f, node, colours) for f in touching[node])) for node in colours}
        order = sorted(seen.values())
        ranks: dict[Node, int] = {node: order.index(signature) for node, signature in seen.items()}
        if len(set(ranks.values())) == count:
            break
        colours, count = ranks, len(set(ranks.values()))
    return colours


def _seen(fact: _Fact, node: Node, colours: Colours) -> tuple[bytes, bool, int, list[tuple[str, int, bool]]]:
    """Return a fact as it looks from `node`."""
    links = sorted((name, colours[other], other == node) for name, other in fact.links)
    return fact.text, fact.node == node, -1 if fact.node is None else colours[fact.node], links


def _least(facts: list[_Fact], touching: Mapping[Node, list[_Fact]], colours: Colours, tried: list[int]) -> bytes:
    """Return the least rendering over all numberings that respect the colours."""
    tried[0] += 1
    if tried[0] > LIMIT:
        raise ValueError(f"{len(colours)} created records are too much alike to be told apart")
    classes: dict[int, list[Node]] = {}
    for node, colour in colours.items():
        classes.setdefault(colour, []).append(node)
    shared = [colour for colour in sorted(classes) if len(classes[colour]) > 1]
    if not shared:
        return _render(facts, colours)
    members = classes[shared[0]]
    # Records tied to no undecided record look alike to everything: any choice among them gives the same bytes.
    alone = not any(len(classes[colours[other]]) > 1 for f in touching[members[0]] for other in _others(f, members[0]))
    # A class of colour c holds at least two records, so the next class has at least colour c + 2.
    apart = {**colours, **dict.fromkeys(members, shared[0] + 1)}
    return min(
        _least(facts, touching, _refine({**apart, node: shared[0]}, touching), tried)
        for node in (members[:1] if alone else members)
    )


def _others(fact: _Fact, node: Node) -> list[Node]:
    mentioned = [other for _, other in fact.links] + ([] if fact.node is None else [fact.node])
    return [other for other in mentioned if other != node]


def _render(facts: list[_Fact], colours: Colours) -> bytes:
    lines = [
        (
            fact.text,
            -1 if fact.node is None else colours[fact.node],
            sorted((name, colours[node]) for name, node in fact.links),
        )
        for fact in facts
    ]
    return _dump([[text.decode(), own, links] for text, own, links in sorted(lines)])
