"""A person's body, habits and devices as a model: minute-level signals, workouts and nights of a window of days."""

from __future__ import annotations

from generators.environments.wearables.physiology.habits import Habits, draw_family, draw_habits
from generators.environments.wearables.physiology.life import draw_life
from generators.environments.wearables.physiology.person import Person, draw_person
from generators.environments.wearables.physiology.signals import Signals
from generators.environments.wearables.physiology.simulate import simulate

__all__ = ["Habits", "Person", "Signals", "draw_family", "draw_habits", "draw_life", "draw_person", "simulate"]
