"""Measured figures against the budgets of the design: `python -m benchmarks`."""
