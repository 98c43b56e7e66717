"""Settings for every test: property tests draw the same examples in every run and know no deadline."""

from __future__ import annotations

from hypothesis import settings

settings.register_profile("pausegen", derandomize=True, deadline=None, database=None)
settings.load_profile("pausegen")
