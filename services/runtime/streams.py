"""Named sub-streams of one root seed: the only source of randomness.

A stream is BLAKE2b in counter mode: block n of the stream named `a/b` under seed s is
`blake2b(n as 8 little-endian bytes, key = blake2b("s/a/b", 32 bytes), 64 bytes)`, read as eight little-endian 64-bit
integers. Every consumer takes its own name, so drawing more in one place changes nothing elsewhere. Integers below n
are drawn by rejection, so they are exactly uniform; floats are never drawn.
"""

from __future__ import annotations

import struct
from hashlib import blake2b
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

T = TypeVar("T")
_WORDS = struct.Struct("<8Q")
_RANGE = 1 << 64


class Stream:
    """One named sub-stream. Two streams with the same seed and names give the same draws."""

    __slots__ = ("_block", "_keyed", "_name", "_words")

    def __init__(self, seed: int | str, *names: int | str) -> None:
        """Open the stream of `seed` that is named by `names`. Raise ValueError when a name holds a slash."""
        own = "/".join([str(part) for part in names])
        if own.count("/") != max(0, len(names) - 1):
            msg = f"the name {next(part for part in names if '/' in str(part))!r} holds a slash"
            raise ValueError(msg)
        self._name = f"{seed}/{own}" if names else str(seed)
        key = blake2b(self._name.encode(), digest_size=32).digest()
        # Copied for each block, in two thirds of the time that a new one with the key takes.
        self._keyed = blake2b(key=key, digest_size=64)
        self._block = 0
        self._words: list[int] = []

    def child(self, *names: int | str) -> Stream:
        """Return the sub-stream `names` of this stream; it does not depend on what was drawn here."""
        return Stream(self._name, *names)

    def word(self) -> int:
        """Return the next integer in [0, 2^64)."""
        if not self._words:
            self._words = list(reversed(_WORDS.unpack(self._digest(self._block))))
            self._block += 1
        return self._words.pop()

    def _digest(self, number: int) -> bytes:
        block = self._keyed.copy()
        block.update(number.to_bytes(8, "little"))
        return block.digest()

    def take(self, count: int) -> bytes:
        """Return `count` bytes: whole blocks from the next one on, the last one cut; none comes again."""
        first, blocks = self._block, -(-count // 64)
        self._block += blocks
        found: list[bytes] = []
        keyed, add = self._keyed.copy, found.append
        for number in range(first, first + blocks):
            block = keyed()
            block.update(number.to_bytes(8, "little"))
            add(block.digest())
        return b"".join(found)[:count]

    def below(self, n: int) -> int:
        """Return a uniform integer in [0, n). Raise ValueError unless 1 <= n <= 2^64."""
        if not 1 <= n <= _RANGE:
            msg = f"cannot draw below {n}"
            raise ValueError(msg)
        words, last = self._words, _RANGE - n
        while True:
            word = words.pop() if words else self.word()
            rest = word % n
            # Beyond the last whole multiple of n, low values would come up more often.
            if word - rest <= last:
                return rest
            words = self._words

    def between(self, low: int, high: int) -> int:
        """Return a uniform integer in [low, high], both ends included."""
        return low + self.below(high - low + 1)

    def chance(self, numerator: int, denominator: int) -> bool:
        """Return True with probability numerator / denominator."""
        return self.below(denominator) < numerator

    def choice(self, items: Sequence[T]) -> T:
        """Return one of `items`, all alike likely."""
        return items[self.below(len(items))]

    def shuffled(self, items: Iterable[T]) -> list[T]:
        """Return `items` in a uniformly random order (Fisher-Yates)."""
        result = list(items)
        for last in range(len(result) - 1, 0, -1):
            other = self.below(last + 1)
            result[last], result[other] = result[other], result[last]
        return result

    def sample(self, items: Sequence[T], count: int) -> list[T]:
        """Return `count` different items in random order; all of them when there are fewer."""
        pool = list(items)
        count = min(count, len(pool))
        for first in range(count):
            other = first + self.below(len(pool) - first)
            pool[first], pool[other] = pool[other], pool[first]
        return pool[:count]

    def weighted(self, options: Sequence[tuple[T, int]]) -> T:
        """Return one item, each with a probability proportional to its integer weight."""
        point = self.below(sum([weight for _, weight in options]))
        for item, weight in options:
            point -= weight
            if point < 0:
                return item
        msg = "weights must be positive"
        raise ValueError(msg)
