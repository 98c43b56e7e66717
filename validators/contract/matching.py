"""Whether the facts can be given to the patterns one to one, every `ref` holding: exact, by backtracking.

Only patterns whose variable some `ref` names are tried one fact after the other. Once these are bound, the other
patterns depend on nothing but the fact itself, so that two bipartite matchings decide: one gives every required
pattern a fact, the other gives every fact a pattern. When both exist, there is one that does both (Mendelsohn and
Dulmage, 1958).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from typing import cast

from validators.contract.changes import Fact, Row
from validators.contract.patterns import Key, Pattern

LIMIT = 20_000
"""Bindings tried before the search gives up; thousands of times what real end-states need."""


class TooManyBindings(ValueError):
    """The search gave up: the end-state counts as not matching."""


def shown(fact: Fact) -> Row:
    """Return the row that field rules look at: the new one, or the deleted one."""
    return cast("Row", fact.before if fact.after is None else fact.after)


def refs_hold(pattern: Pattern, fact: Fact, ids: Mapping[str, str]) -> bool:
    """Return whether the fact refers to the records bound to the variables of the pattern; an unbound one fails."""
    row = shown(fact)
    return all(var in ids and row[field] == ids[var] for field, var in pattern.refs)


def saturates(left: Iterable[int], edges: Mapping[int, Sequence[int]], capacity: Mapping[int, int]) -> bool:
    """Return whether every left node gets a partner, each right one serving at most its capacity (Kuhn's algorithm)."""
    partners: dict[int, list[int]] = {}

    def place(node: int, seen: set[int]) -> bool:
        for right in edges[node]:
            if right in seen:
                continue
            seen.add(right)
            guests = partners.setdefault(right, [])
            if len(guests) < capacity[right]:
                guests.append(node)
                return True
            for position, guest in enumerate(guests):
                if place(guest, seen):
                    guests[position] = node
                    return True
        return False

    return all(place(node, set()) for node in left)


class Matching:
    """One question: do these facts fit the patterns, of which the first `required` must each get a fact?"""

    def __init__(
        self,
        patterns: Sequence[Pattern],
        required: int,
        facts: Sequence[Fact],
        groups: Mapping[Key, list[int]],
        free: Set[int],
    ) -> None:
        """Find for each pattern the facts it may get, as far as the fact alone can tell; `free` ones need none."""
        self._patterns = patterns
        self._required = required
        self._facts = facts
        self._free = free
        self._options = [[i for i in groups.get(p.key, ()) if p.holds(facts[i])] for p in patterns]
        self._bound = [i for i, p in enumerate(patterns) if p.var]
        self._tried = 0

    def exists(self) -> bool:
        """Return the answer. Raise `TooManyBindings` when it takes too long to find."""
        return self._bind(0, {}, {})

    def _bind(self, depth: int, given: dict[int, int], ids: dict[str, str]) -> bool:
        """Bind the variable patterns from `depth` on; `given` maps patterns to facts, `ids` variables to record ids."""
        if depth == len(self._bound):
            return self._rest_fits(given, ids)
        index = self._bound[depth]
        pattern = self._patterns[index]
        for option in self._options[index]:
            if option in given.values():
                continue
            self._tried += 1
            if self._tried > LIMIT:
                raise TooManyBindings(f"gave up after trying {LIMIT} bindings of created records")
            next_ids = {**ids, pattern.var: self._facts[option].id}
            if self._plausible(next_ids) and self._bind(depth + 1, {**given, index: option}, next_ids):
                return True
        return index >= self._required and self._bind(depth + 1, given, ids)

    def _plausible(self, ids: Mapping[str, str]) -> bool:
        """Return whether each required pattern whose variables are all bound still has a fact."""
        return all(
            any(refs_hold(pattern, self._facts[i], ids) for i in options)
            for pattern, options in zip(self._patterns[: self._required], self._options, strict=False)
            if pattern.refs and all(var in ids for _, var in pattern.refs)
        )

    def _rest_fits(self, given: Mapping[int, int], ids: Mapping[str, str]) -> bool:
        facts = self._facts
        if not all(refs_hold(self._patterns[p], facts[f], ids) for p, f in given.items()):
            return False
        taken = set(given.values())
        options = {
            index: [f for f in self._options[index] if f not in taken and refs_hold(pattern, facts[f], ids)]
            for index, pattern in enumerate(self._patterns)
            if not pattern.var
        }
        must = [index for index in options if index < self._required]
        once = dict.fromkeys(range(len(facts)), 1)
        return saturates(must, options, once) and self._all_covered(options, taken)

    def _all_covered(self, options: Mapping[int, list[int]], taken: Set[int]) -> bool:
        takers: dict[int, list[int]] = {i: [] for i in range(len(self._facts)) if i not in taken | self._free}
        for index, found in options.items():
            for fact in found:
                if fact in takers:
                    takers[fact].append(index)
        return saturates(takers, takers, {index: self._patterns[index].at_most for index in options})
