"""How much of what a run is for it holds: tasks, or users where none are asked for."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from schemas.config import RunConfig


class Amount(NamedTuple):
    """What there is of what is wanted."""

    kept: int
    wanted: int
    unit: str

    def text(self) -> str:
        """Return it in words."""
        return f"{self.kept} of {self.wanted} {self.unit}"


def amount_of(config: RunConfig, tasks: int, users: int) -> Amount:
    """Return what a run of this configuration holds when it has so many tasks and users."""
    if config.tasks_per_user:
        return Amount(tasks, config.users * config.tasks_per_user, "tasks")
    return Amount(users, config.users, "users")
