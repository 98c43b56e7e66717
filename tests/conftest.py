"""Settings for every test: property tests draw the same examples in every run and know no deadline."""

from __future__ import annotations

from hypothesis import settings

from tests.effort import amount

settings.register_profile("pausegen", derandomize=True, deadline=None, database=None, max_examples=amount(40, 100))
settings.load_profile("pausegen")
