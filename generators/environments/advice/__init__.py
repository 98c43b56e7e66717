"""Rules that somebody gives, remembers or notes down: drawn for a person, and said in hand-written forms."""

from __future__ import annotations

from generators.environments.advice.rules import Advice, advice, draw_rule, fitting, said

__all__ = ["Advice", "advice", "draw_rule", "fitting", "said"]
