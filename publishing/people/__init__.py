"""The users of a run: how what they are and do is distributed, and the life of one of them to be read."""

from __future__ import annotations

from publishing.people.life import life
from publishing.people.person import Person, find_person, people_of, world_of
from publishing.people.report import write_report
from publishing.people.weeks import plot_weeks

__all__ = ["Person", "find_person", "life", "people_of", "plot_weeks", "world_of", "write_report"]
