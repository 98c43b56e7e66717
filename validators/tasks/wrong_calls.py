"""Calls with wrong arguments: another item, amount, day, choice or option than the one that was asked for."""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING, cast

from schemas.plan import Call
from validators.contract.values import is_number
from validators.tasks.altered import Deviation, call_at, changed, elsewhere, lean, mattering
from validators.tasks.deeds import deeds_of
from validators.tasks.execution import alike
from validators.tasks.other_values import a_little_off, days_off, is_day, neighbours
from validators.tasks.replay import Act, dig
from validators.tasks.worth import graph_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from schemas.base import Json
    from services.runtime.declare import Alternative
    from services.runtime.streams import Stream
    from validators.tasks.context import TaskContext

Site = tuple[int, str]
"""A call of the gold and one of its arguments, by dotted path."""
DAYS = (1, -1, 7, -7)


def wrong_pack(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Take a declared alternative that means something else."""
    found = [
        (number, changes)
        for number in deeds_of(context).lasting
        for other in context.catalogue.tools[call_at(context, number).tool].alternatives
        if (changes := _alternative(call_at(context, number).arguments, other))
    ]
    for number, changes in stream.shuffled(found):
        yield Deviation(changed(context, {number: changes}))


def _alternative(arguments: Mapping[str, Json], other: Alternative) -> dict[str, Json]:
    """Return the arguments that an alternative changes; none where it does not apply."""
    if arguments.get(other.argument) != other.value:
        return {}
    changes: dict[str, Json] = {other.argument: other.other}
    if other.scaled:
        amount = arguments.get(other.scaled)
        if not isinstance(amount, int):
            return {}
        changes[other.scaled] = amount * other.times
    return changes


def other_item(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Take what an argument names from another row of its list, in all calls that name it."""
    groups: dict[tuple[str, str], list[Site]] = {}
    for number, path in _sites(context):
        value = dig(call_at(context, number).arguments, path.split("."))
        if isinstance(value, str):
            groups.setdefault((path, value), []).append((number, path))
    for (path, _), sites in stream.shuffled(groups.items()):
        taken = [value for other, value in groups if other == path]
        node = call_at(context, sites[0][0]).origins[path]
        other = next((value for value in neighbours(graph_of(context), node) if value not in taken), None)
        if other is not None:
            yield Deviation(changed(context, {number: {path: other} for number, _ in sites}))


def crossed(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Exchange an argument between two calls of one tool."""
    pairs = [
        (one, other, name)
        for one, other in combinations(deeds_of(context).lasting, 2)
        if call_at(context, one).tool == call_at(context, other).tool
        for name in sorted(call_at(context, one).arguments)
    ]
    for one, other, name in stream.shuffled(pairs):
        first, second = call_at(context, one), call_at(context, other)
        if name not in second.arguments or (name in second.origins and not _known(context, second.origins[name], one)):
            continue
        mine, theirs = first.arguments[name], second.arguments[name]
        # Where nothing else sets the calls apart, they would just change places.
        if not alike(mine, theirs) and not alike({**first.arguments, name: theirs}, second.arguments):
            yield Deviation(changed(context, {one: {name: theirs}, other: {name: mine}}))


def _known(context: TaskContext, node: int, before: int) -> bool:
    """Return whether a value is there before step `before`."""
    return graph_of(context).latest[node] < before


def other_choice(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Take another one of the values that a tool lists for an argument."""
    found = [
        (number, name, other)
        for number in deeds_of(context).lasting
        for name, schema in _properties(context, call_at(context, number)).items()
        for other in _listed(schema)
        if name in call_at(context, number).arguments and other != call_at(context, number).arguments[name]
    ]
    for number, name, other in stream.shuffled(found):
        yield Deviation(changed(context, {number: {name: other}}))


def other_amount(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Take a little more or less."""
    found = [
        (number, name, a_little_off(value, whole=schema.get("type") == "integer", sign=sign))
        for number in deeds_of(context).lasting
        for name, schema in _properties(context, call_at(context, number)).items()
        if is_number(value := call_at(context, number).arguments.get(name))
        for sign in (1, -1)
    ]
    for number, name, other in stream.shuffled(found):
        yield Deviation(changed(context, {number: {name: other}}))


def other_day(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Do something for another day, or with what stands where one looks at another day."""
    for number in stream.shuffled(mattering(context)):
        arguments = call_at(context, number).arguments
        days = {name: str(value) for name, value in arguments.items() if is_day(value)}
        spans = [list(days), *([name] for name in days if len(days) > 1)] if days else []
        for shift, names in product(DAYS, spans):
            changes = elsewhere(context, number, {name: days_off(days[name], shift) for name in names})
            if changes:
                yield Deviation(changed(context, changes))


def lost_option(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Leave out an argument that need not be given."""
    for number, name in stream.shuffled(_options(context)):
        step = call_at(context, number)
        if step.arguments.get(name) is not None:
            kept = step.model_copy(
                update={
                    "arguments": {key: value for key, value in step.arguments.items() if key != name},
                    "origins": {path: node for path, node in step.origins.items() if path.split(".")[0] != name},
                }
            )
            acts = [*context.acts[:number], Act(kept, number), *context.acts[number + 1 :]]
            yield Deviation(lean(context, acts))


def needless_option(context: TaskContext, stream: Stream) -> Iterator[Deviation]:
    """Give an argument that need not be given, and was not asked for."""
    for number, name in stream.shuffled(_options(context)):
        step = call_at(context, number)
        if step.arguments.get(name) is None:
            values = [*_listed(_properties(context, step)[name]), *_referred_to(context, name)]
            yield from (Deviation(changed(context, {number: {name: value}})) for value in stream.shuffled(values))


def _options(context: TaskContext) -> list[Site]:
    """Return the arguments of the gold's acts that need not be given."""
    return [
        (number, name)
        for number in deeds_of(context).lasting
        for name in _properties(context, call_at(context, number))
        if name not in cast("list[str]", context.catalogue.tools[call_at(context, number).tool].schema["required"])
    ]


def _referred_to(context: TaskContext, name: str) -> list[Json]:
    """Return the ids that an argument may hold by its name: of the tables that a field of this name refers to."""
    targets = {table.references[name]: None for table in context.catalogue.tables.values() if name in table.references}
    return [key for target in targets for key in context.tables.get(target, {})]


def _sites(context: TaskContext) -> list[Site]:
    """Return the arguments of the gold's acts that come from somewhere, parts of containers one by one."""
    return [(number, path) for number in deeds_of(context).lasting for path in sorted(call_at(context, number).origins)]


def _properties(context: TaskContext, step: Call) -> Mapping[str, Mapping[str, Json]]:
    return cast("Mapping[str, Mapping[str, Json]]", context.catalogue.tools[step.tool].schema["properties"])


def _listed(schema: Mapping[str, Json]) -> list[Json]:
    """Return the values that a schema lists; those of a truth value are both."""
    variants = [schema, *cast("list[Mapping[str, Json]]", schema.get("anyOf", []))]
    found: list[Json] = []
    for variant in variants:
        found += cast("list[Json]", variant.get("enum", []))
        found += [True, False] if variant.get("type") == "boolean" else []
    return found
