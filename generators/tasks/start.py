"""The records that a task starts from, and what goals find in them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from services.runtime.algebra import evaluate_goal
from services.runtime.state import State

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from generators.tasks.intent import Scene
    from schemas.goal import Goal
    from schemas.task import Patch
    from services.runtime.algebra import Scope
    from services.runtime.state import Base


class Start:
    """The records of a scene with some patches, put together when first read."""

    def __init__(self, scene: Scene, patches: Sequence[Patch]) -> None:
        """Stand on `scene` with `patches`."""
        self.scene = scene
        self.patches = patches
        self._known: list[tuple[Goal, Mapping[str, object], Scope]] = []

    @cached_property
    def base(self) -> Base:
        """The records."""
        return self.scene.patched(self.patches)

    def scope(self, goal: Goal, slots: Mapping[str, object]) -> Scope:
        """Return the nodes of a goal, evaluated once for the same slots."""
        for known, given, scope in self._known:
            if known is goal and given == slots:
                return scope
        scope = evaluate_goal(goal, State(self.base), slots, self.scene.now)
        self._known.append((goal, slots, scope))
        return scope
