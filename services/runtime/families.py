"""Families of tools: declared once, and offered once for each of several members, such as the user's data sources.

The tool `readings` of the family of sources is documented as `<source>-readings` and called as `fitbit-readings`, once
the feature of fitbit has been unlocked. Its function takes the member as a keyword argument that callers do not give.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeVar, overload

if TYPE_CHECKING:
    from collections.abc import Mapping

    from services.runtime.tools import Tool

D = TypeVar("D")
JOINT = "-"
"""Stands between the member and the name of the tool."""


@dataclass(frozen=True, slots=True)
class Family:
    """Whom a tool is offered for."""

    label: str
    """What a member is, such as `source`."""
    argument: str
    """Name under which the function and the gates of a tool know the member."""
    members: tuple[str, ...]

    @property
    def behind(self) -> str:
        """What stands for the features of the members in a declared tool."""
        return f"{self.label}:*"

    def feature(self, member: str) -> str:
        """Return the feature that the tools of a member are behind."""
        return f"{self.label}:{member}"

    def declared(self, name: str) -> str:
        """Return the name under which a tool is documented."""
        return f"<{self.label}>{JOINT}{name}"


def for_member(tool: Tool, member: str) -> Tool:
    """Return a declared tool of a family as it is offered for one member."""
    family = tool.family
    if family is None:
        msg = f"the tool {tool.name!r} belongs to no family"
        raise ValueError(msg)
    name = member + tool.name.removeprefix(family.declared("")[: -len(JOINT)])
    return replace(tool, name=name, behind=family.feature(member), fixed={family.argument: member})


class Tools(dict[str, "Tool"]):
    """Tools by name. Listed are those declared, each once; found by name are the members of families as well."""

    __slots__ = ("_members", "by_feature")

    def __init__(self, declared: Mapping[str, Tool]) -> None:
        """Hold declared tools, and make those of every member."""
        super().__init__(declared)
        self._members: dict[str, Tool] = {}
        self.by_feature: dict[str, list[Tool]] = {}
        """Callable tools behind each feature, by name."""
        for tool in declared.values():
            made = [tool] if tool.family is None else [for_member(tool, member) for member in tool.family.members]
            for one in made:
                if tool.family is not None:
                    self._members[one.name] = one
                if one.behind:
                    self.by_feature.setdefault(one.behind, []).append(one)
        for tools in self.by_feature.values():
            tools.sort(key=lambda one: one.name)

    def __missing__(self, name: str) -> Tool:
        """Return a tool of a member of a family. Raise KeyError when there is none of this name."""
        return self._members[name]

    def __contains__(self, name: object) -> bool:
        """Return whether there is a tool of this name."""
        return super().__contains__(name) or name in self._members

    @overload
    def get(self, key: str, default: None = None, /) -> Tool | None: ...
    @overload
    def get(self, key: str, default: Tool, /) -> Tool: ...
    @overload
    def get(self, key: str, default: D, /) -> Tool | D: ...
    def get(self, key: str, default: object = None, /) -> object:
        """Return the tool of this name, or the default."""
        found = super().get(key)
        return found if found is not None else self._members.get(key, default)  # type: ignore[arg-type]
