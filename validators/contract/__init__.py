"""Judging an end-state against the contract of its task, and the mutants that show how well that is done."""
