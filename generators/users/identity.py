"""Keys for what is kept about a large object: the object itself, not what it holds."""

from __future__ import annotations

from typing import Generic, TypeVar

T = TypeVar("T")


class Same(Generic[T]):
    """An object as a key that equals only itself."""

    __slots__ = ("thing",)

    def __init__(self, thing: T) -> None:
        """Stand for `thing`, which is kept alive."""
        self.thing = thing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Same) and other.thing is self.thing  # pyright: ignore[reportUnknownMemberType]

    def __hash__(self) -> int:
        return id(self.thing)
